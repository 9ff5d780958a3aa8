package middleware

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRedactor(t *testing.T) {
	r := NewRedactor("12", "abcd")
	r.Add("PW", `s3"cret/ü&`)
	r.Add("LONG", "abcdefgh")
	r.Add("EMPTY", "")
	for _, c := range []struct{ in, want string }{
		{`{"a":"12"}`, `{"a":"[secret]"}`},
		{`{"a":"2012","n":12}`, `{"a":"2012","n":12}`},
		{`{"a":"xabcdx"}`, `{"a":"x[secret]x"}`},
		{`{"a":"xabcdefghx"}`, `{"a":"x[secret:LONG]x"}`},
		{`{"abcd": 1, "12" : "y"}`, `{"abcd": 1, "12" : "y"}`},
		{`["abcd","\u0061bcd"]`, `["[secret]","[secret]"]`},
		{`"s3\"cret/ü&"`, `"[secret:PW]"`},
		{`"s3\"cret\/\u00fc\u0026!"`, `"[secret:PW]!"`},
		{`{"url":"https://x/?q=s3%22cret%2F%C3%BC%26"}`, `{"url":"https://x/?q=[secret:PW]"}`},
		{`not json: abcd`, `not json: [secret]`},
		{`"\\abcd\\"`, `"\\[secret]\\"`},
		{`{"a":{"b":["abcd",{"c":"abcd"}]}}`, `{"a":{"b":["[secret]",{"c":"[secret]"}]}}`},
		{``, ``},
	} {
		in := []byte(c.in)
		if got := string(r.JSON(in)); got != c.want {
			t.Errorf("%s became %s, want %s", c.in, got, c.want)
		}
		if string(in) != c.in {
			t.Errorf("the input %s was changed", c.in)
		}
	}
	var none *Redactor
	if got := none.JSON([]byte(`"abcd"`)); string(got) != `"abcd"` {
		t.Errorf("no redactor gives %s", got)
	}
	if got := r.Text("the abcd in 12"); got != "the [secret] in 12" {
		t.Errorf("text is %q", got)
	}
}

// Whatever the secret and wherever it stands, no string value holds it any
// more, the rest of the document is the same, and it still is JSON.
func TestRedactorProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringOfN(rapid.SampledFrom([]rune(`aB1"\/<>& üµ😀[]{}:,`)), MinSecretSubstring, 12, -1).Draw(t, "secret")
		mark := "[secret:N]"
		part := func(name string) string {
			return rapid.StringOfN(rapid.SampledFrom([]rune(`xyz"\ `)), 0, 5, -1).Draw(t, name)
		}
		before, after, other := part("before"), part("after"), part("other")
		in := map[string]any{"k": before + value + after, "o": other, "n": 7.5, "l": []any{value, nil, true}}
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		r := NewRedactor()
		r.Add("N", value)
		var out map[string]any
		if err := json.Unmarshal(r.JSON(data), &out); err != nil {
			t.Fatalf("no JSON any more: %v", err)
		}
		if s := out["k"].(string); strings.Contains(s, value) && !strings.Contains(before+mark+after, value) {
			t.Fatalf("%q holds %q", s, value)
		}
		l := out["l"].([]any)
		if out["o"] != other || out["n"] != 7.5 || l[0] != mark || l[1] != nil || l[2] != true || len(out) != 4 {
			t.Fatalf("the document became %v", out)
		}
	})
}

func TestRedactSides(t *testing.T) {
	r := NewRedactor("abcd")
	h := func(_ context.Context, m *Message) (*Message, error) { return &Message{Data: []byte(`"abcd"`)}, nil }
	var sent string
	out := Redact(r, false)(func(ctx context.Context, m *Message) (*Message, error) { sent = string(m.Data); return h(ctx, m) })
	reply, err := out(t.Context(), &Message{Data: []byte(`"abcd!"`)})
	if err != nil || sent != `"[secret]!"` || string(reply.Data) != `"abcd"` {
		t.Errorf("calling: sent %s, got %s, %v", sent, reply.Data, err)
	}
	reply, err = Redact(r, true)(h)(t.Context(), &Message{})
	if err != nil || string(reply.Data) != `"[secret]"` {
		t.Errorf("serving: %s, %v", reply.Data, err)
	}
	if Redact(nil, true) != nil {
		t.Error("without a redactor there is a middleware")
	}
}
