package trials

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/planner/playbook"
)

// A trial is a sentence on a page and what has to have reached the page: the
// lines of its log, or a refusal with all its candidates, and nothing at all.
type trial struct {
	page, step string
	want       string // lines joined by "; ", or "! code"
	among      string // a refusal's candidates, as role "name" in place, joined by "; "
}

var trials = []trial{
	// A list of customers; Enter in a form clicks its button, as browsers do. with actions in each row.
	{"crm", `Click "Edit" in the row with "Beta GmbH"`, "click edit-beta", ""},
	{"crm", `In the row of "Acme Ltd", click the Edit button`, "click edit-acme", ""},
	{"crm", `Click "Edit" in the row of "Acme"`, "! ambiguous", `button "Edit"|Acme Ltd; button "Edit"|Acme International`},
	{"crm", `Click "Edit"`, "! ambiguous", `button "Edit"|Acme Ltd; button "Edit"|Acme International; button "Edit"|Beta GmbH; button "Edit"|Gamma & Sons`},
	{"crm", `Click the Delete icon in the row of "Gamma & Sons"`, "click del-gamma", ""},
	{"crm", `Click the third "Edit" button`, "click edit-beta", ""},
	{"crm", `Click "Edit" in the last row`, "click edit-gamma", ""},
	{"crm", `Click "Acme Ltd"`, "click open-acme", ""},
	{"crm", `Click the link Beta GmbH`, "click open-beta", ""},
	{"crm", `Type "beta" into the search box and press Enter`, "input search=beta; enter search; click go", ""},
	{"crm", `Click the Search button`, "click go", ""},
	{"crm", `Tick the checkbox in the row with "Rome"`, "click sel-gamma; set sel-gamma=true", ""},
	{"crm", `Check the box "Select row"`, "! ambiguous", `checkbox "Select row"|Acme Ltd; checkbox "Select row"|Acme International; checkbox "Select row"|Beta GmbH; checkbox "Select row"|Gamma & Sons`},
	{"crm", `Click "More actions" in the row with "Beta GmbH" and click "Archive"`, "click more-beta; click arch-beta", ""},
	{"crm", `Hover over the row of "Gamma & Sons" and click "Call"`, "click call-gamma", ""},
	{"crm", `In the row where the status is "Lead", click "Edit"`, "click edit-acmeint", ""},
	{"crm", `In the row where the city is "Berlin", click "Edit"`, "! ambiguous", `button "Edit"|Acme Ltd; button "Edit"|Beta GmbH`},
	{"crm", `Click "2" in the navigation "Pages"`, "click p2", ""},
	{"crm", `Click "Orders" in the main navigation`, "click nav-orders", ""},
	{"crm", `Click "Save"`, "! not_found", ""},
	{"crm", `Click the button "Edit" next to "Beta GmbH"`, "click edit-beta", ""},
	{"crm", `Hold Ctrl and click "Acme Ltd"`, "click open-acme +ctrl", ""},

	// A form of settings whose labels are only beside or inside their fields.
	{"settings", `Type "Ada" into the field "Display name"`, "input display=Ada", ""},
	{"settings", `Fill in "E-mail" with "a@example.com"`, "! ambiguous", `textbox ""|Profile; textbox ""|Company`},
	{"settings", `In the group "Company", fill in "E-mail" with "a@example.com"`, "input cemail=a@example.com", ""},
	{"settings", `Set the field "E-mail" in the section "Profile" to "a@example.com"`, "input pemail=a@example.com", ""},
	{"settings", `Enter "Main Street 5" in the field "Street and number"`, "input street=Main Street 5", ""},
	{"settings", `Enter DE123 as the VAT number`, "input vat=DE123", ""},
	{"settings", `Choose French in the Language list`, "input lang=French", ""},
	{"settings", `Turn on "Weekly report"`, "click weekly; switch weekly=true", ""},
	{"settings", `Check "Newsletter" and uncheck "SMS alerts"`, "click news; set news=true; click sms; set sms=false", ""},
	{"settings", `Tick the box "Beta features"`, "click beta; set beta=true", ""},
	{"settings", `Select the radio button "Weekly"`, "click weeklyr; set weeklyr=true", ""},
	{"settings", `Type the secret PW into the field "New password"`, "input newpw=s3cret", ""},
	{"settings", `Click "Save settings"`, "click save", ""},
	{"settings", `Click the icon "Undo changes"`, "click undo", ""},
	{"settings", `Click the Help button`, "click help", ""},
	{"settings", `Clear the field "E-mail" in the group "Profile"`, "input pemail=", ""},
	{"settings", `Write "Hello" in the text area "About you"`, "input about=Hello", ""},
	{"settings", `Replace "old" with "new" in the field "E-mail" in the group "Profile"`, "input pemail=new@example.com", ""},

	// A board of cards.
	{"board", `Drag the card "Call Bob" to the column "Done"`, "drop Call Bob on Done", ""},
	{"board", `Drag "Fix login" onto the column "In progress"`, "drop Fix login on In progress", ""},
	{"board", `Click "Add card" in the column "In progress"`, "click add-In progress", ""},
	{"board", `Click "Add card"`, "! ambiguous", `button "Add card"|To do; button "Add card"|In progress; button "Add card"|Done`},
	{"board", `Hover over the card "Write report" and click "Edit"`, "click edit-Write report", ""},
	{"board", `Click "Delete" in the card "Fix logo"`, "click del-Fix logo", ""},
	{"board", `Double-click the card "Ship release"`, "open Ship release", ""},

	// A checkout whose two addresses have the same labels.
	{"checkout", `Type "Berlin" into the field "City" in the section "Billing"`, "input b-city=Berlin", ""},
	{"checkout", `In the Shipping section, fill "Street" with "Main Street 5"`, "input s-street=Main Street 5", ""},
	{"checkout", `Type "Hamburg" into "City" under "Shipping"`, "input s-city=Hamburg", ""},
	{"checkout", `Enter "Berlin" in the field "City"`, "! ambiguous", `textbox "City"|Billing; textbox "City"|Shipping`},
	{"checkout", `Select "France" in the list "Country" in the section "Shipping"`, "input s-country=France", ""},
	{"checkout", `Choose Italy for the country`, "! ambiguous", `combobox "Country"|Billing; combobox "Country"|Shipping`},
	{"checkout", `Fill in the second field "Name" with "Bob"`, "input s-name=Bob", ""},
	{"checkout", `Set the delivery date to 24 December 2026`, "input date=2026-12-24", ""},
	{"checkout", `Enter 3 in the field "Quantity" in the row with "Paper"`, "input q-paper=3", ""},
	{"checkout", `Choose the radio button "Express"`, "click exp; set exp=true", ""},
	{"checkout", `Tick "I agree to the terms"`, "click agree; set agree=true", ""},
	{"checkout", `Click "Place order" and accept the dialog`, "click order; confirm true", ""},
	{"checkout", `Click "Place order" and cancel the confirmation`, "click order; confirm false", ""},
	{"checkout", `Make sure that "Total" says "7.00"`, "", ""},
	{"checkout", `Tick the box "Same as billing"`, "click same; set same=true", ""},

	// A mail client: the same words in the toolbar, the list and the folders.
	{"mail", `Click "Archive" in the toolbar`, "click t-archive", ""},
	{"mail", `Click the link "Archive"`, "click f-archive", ""},
	{"mail", `Click "Archive"`, "! ambiguous", `button "Archive"|Mail; link "Archive"|Folders`},
	{"mail", `Open the message "Invoice 1043"`, "click msg-e", ""},
	{"mail", `Click "Star" in the row with "Invoice 1042"`, "click star-a", ""},
	{"mail", `Tick the box next to "Lunch?"`, "click sel-b; set sel-b=true", ""},
	{"mail", `Hover over the item "Re: Lunch?" and click "Delete"`, "click del-c", ""},
	{"mail", `Click Compose, type "bob@example.com" into the field "To", write "Hi" in the field "Body" and click "Send"`, "click compose; input to=bob@example.com; input body=Hi; click send", ""},
	{"mail", `Click the Refresh icon`, "click t-refresh", ""},

	// A table of users with the same boxes in every row.
	{"admin", `Tick the box "Admin" in the row with "Bob"`, "click admin-Bob; set admin-Bob=true", ""},
	{"admin", `Check "Billing" in the row of "Dan"`, "click billing-Dan; set billing-Dan=true", ""},
	{"admin", `Check the box "Admin"`, "! ambiguous", `checkbox ""|Ann; checkbox ""|Bob; checkbox ""|Cleo; checkbox ""|Dan`},
	{"admin", `Choose "Owner" in the list "Role" in the row with "Cleo"`, "input role-Cleo=Owner", ""},
	{"admin", `Set the role of "Ann" to "Editor"`, "input role-Ann=Editor", ""},
	{"admin", `Select "Support" in the list "Team"`, "click team; team=Support", ""},
	{"admin", `Choose "Sales" from the Team dropdown`, "click team; team=Sales", ""},
	{"admin", `Sort by "Role"`, "! unread", ""},
	{"admin", `Select "Last login" in the list "Sort by"`, "input sort=Last login", ""},
	{"admin", `Click "Reset password" in the second row`, "click reset-Bob", ""},
	{"admin", `Tick the second box in the row with "Ann"`, "click admin-Ann; set admin-Ann=true", ""},
}

var refForm = regexp.MustCompile(`\be\d+\b`)

// TestSentencesOnPages carries out every sentence on a page of its own and looks
// into that page's log for what came of it. A sentence that ends its run is
// followed by a new run for the rest.
func TestSentencesOnPages(t *testing.T) {
	site, stack := newSite(t), newStack(t, 2)
	byPage := map[string][]int{}
	for i, c := range trials {
		if _, err := playbook.Read(playbook.Source{Text: c.step}); (err != nil) != (c.want == "! unread") {
			t.Errorf("%s\n read: %v", c.step, err)
		} else if err == nil {
			byPage[c.page] = append(byPage[c.page], i)
		}
	}
	t.Run("pages", func(t *testing.T) {
		for name, list := range byPage {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for len(list) > 0 {
					var starts, steps []string
					for _, i := range list {
						starts, steps = append(starts, fmt.Sprintf("%s/%s/%d", site.URL, name, i)), append(steps, trials[i].step)
					}
					out, err := stack.run(fmt.Sprintf("%s-%d", name, list[0]), starts, steps)
					if err != nil || len(out) > len(list) {
						t.Fatalf("%s\n%v", steps[0], err)
					}
					for k, o := range out {
						check(t, trials[list[k]], strings.Join(site.what(fmt.Sprintf("/%s/%d", name, list[k])), "; "), o)
					}
					list = list[len(out):]
				}
			})
		}
	})
}

func check(t *testing.T, c trial, got string, out outcome) {
	if code, refused := strings.CutPrefix(c.want, "! "); refused {
		checkRefusal(t, c, code, got, out)
	} else if got != c.want || out.status != bus.Succeeded {
		t.Errorf("%s\n reached the page: %s\n should have been: %s\n %s: %s\n targets %q", c.step, got, c.want, out.status, out.reason, out.targets)
	}
}

func checkRefusal(t *testing.T, c trial, code, got string, out outcome) {
	if got != "" || out.status == bus.Succeeded {
		t.Errorf("%s\n guessed: %s\n %s: %s\n targets %q", c.step, got, out.status, out.reason, out.targets)
		return
	}
	if len(out.refusals) == 0 {
		t.Errorf("%s\n ended without a refusal: %s: %s", c.step, out.status, out.reason)
		return
	}
	r := out.refusals[len(out.refusals)-1]
	if string(r.Code) != code {
		t.Errorf("%s\n refused as %s, want %s: %s", c.step, r.Code, code, r.Message)
	}
	var list []string
	for _, e := range r.Candidates {
		list = append(list, fmt.Sprintf("%s %q|%s", e.Role, e.Name, e.Place))
		if !refForm.MatchString(e.Ref) {
			t.Errorf("%s\n a candidate without a ref: %+v", c.step, e)
		}
		if !strings.Contains(out.reason, e.Ref) {
			t.Errorf("%s\n the run's reason does not name %s: %s", c.step, e.Ref, out.reason)
		}
	}
	if c.among == "" {
		return
	}
	want := strings.Split(c.among, "; ")
	fits := func(w string) bool {
		head, place, _ := strings.Cut(w, "|")
		return slices.ContainsFunc(list, func(have string) bool {
			return strings.HasPrefix(have, head+"|") && strings.Contains(have, place)
		})
	}
	for _, w := range want {
		if !fits(w) {
			t.Errorf("%s\n %s is not among the candidates:\n  %s", c.step, w, strings.Join(list, "\n  "))
		}
	}
	if len(list) != len(want) {
		t.Errorf("%s\n %d candidates, want %d:\n  %s", c.step, len(list), len(want), strings.Join(list, "\n  "))
	}
}
