package target

import "testing"

func TestRenamed(t *testing.T) {
	for _, c := range []struct {
		was, is string
		want    bool
	}{
		{"Archive", "Remove all", true},
		{"Following", "Unfollow", true},
		{"Confirm", "Terms", true},
		{"Like (1)", "Like (2)", false},
		{"Save", "Save…", false},
		{"Add to cart", "add to cart 3", false},
		{"Inbox", "Inbox, 4 unread", false},
		{"", "Delete", false},
		{"Delete", "", false},
		{"7", "8", false},
	} {
		if got := Renamed(c.was, c.is); got != c.want {
			t.Errorf("Renamed(%q, %q) = %v", c.was, c.is, got)
		}
	}
}
