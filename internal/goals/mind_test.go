package goals_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/quartet-agents/quartet/internal/llm/llmtest"
)

// A view is what a model can know: the texts that it was sent.
type view struct {
	q      llmtest.Asked
	blocks []string // page reports, the oldest first
	newest string   // everything after the model's last turn
}

var fence = regexp.MustCompile(`(?s)<<page (\w+)>>\n(.*?)<<end (\w+)>>`)

func newView(q llmtest.Asked) view {
	v := view{q: q}
	for _, turn := range q.Turns {
		if turn.Role == "assistant" {
			v.newest = ""
			continue
		}
		v.newest += turn.Text + "\n"
		for _, m := range fence.FindAllStringSubmatch(turn.Text, -1) {
			v.blocks = append(v.blocks, m[2])
		}
	}
	return v
}

var (
	headline = regexp.MustCompile(`(?m)^@(\d+)( from @\d+|.*? (https?://\S+))`)
)

// ref finds an element by role and label, as a reader would: in the newest
// report that shows it. "" when none does.
func (v view) ref(role, name string) string {
	// Alone, or in a run of its kind: "links: e1 "A" | e2 "B"".
	line := regexp.MustCompile(`\b` + regexp.QuoteMeta(role) + `(?: |(?:e?s: )(?:.* \| )?)((?:f\d+)?e\d+) "` + regexp.QuoteMeta(name) + `"`)
	for i := len(v.blocks) - 1; i >= 0; i-- {
		for _, l := range strings.Split(v.blocks[i], "\n") {
			if m := line.FindStringSubmatch(l); m != nil && !strings.HasPrefix(l, "- "+role) {
				return m[1]
			}
		}
		if m := headline.FindStringSubmatch(v.blocks[i]); m != nil && !strings.HasPrefix(m[2], " from") {
			break // what was before is of another page
		}
	}
	return ""
}

// says whether the model was told so since its last turn.
func (v view) says(words string) bool { return strings.Contains(v.newest, words) }

// answer makes a tool call; args are names and values in turn.
func answer(tool string, args ...any) llmtest.Answer {
	return llmtest.Answer{Calls: []llmtest.Call{call(tool, args...)}}
}

func call(tool string, args ...any) llmtest.Call {
	m := map[string]any{}
	for i := 0; i+1 < len(args); i += 2 {
		m[args[i].(string)] = args[i+1]
	}
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return llmtest.Call{Name: tool, Args: string(raw)}
}

// A move is one turn; again says that the same move is asked for once more.
type move func(v view) (a llmtest.Answer, again bool)

// inOrder is a mind that makes moves one after the other. It gives up when it
// has none left or can't find what it looks for.
func inOrder(moves ...move) func(view) llmtest.Answer {
	at, tries := 0, 0
	return func(v view) llmtest.Answer {
		if at >= len(moves) {
			return answer("give_up", "reason", "no more moves; told: "+v.newest)
		}
		a, again := moves[at](v)
		if tries++; !again || tries > 8 {
			at, tries = at+1, 0
		}
		return a
	}
}

// say makes the same call whatever the page is.
func say(tool string, args ...any) move {
	return func(view) (llmtest.Answer, bool) { return answer(tool, args...), false }
}

// on acts on the element with the role and the name, and looks once more while
// it is not shown.
func on(tool, role, name string, args ...any) move {
	return func(v view) (llmtest.Answer, bool) {
		ref := v.ref(role, name)
		if ref == "" {
			return answer("look"), true
		}
		return answer(tool, append([]any{"ref", ref, "element", fmt.Sprintf("%s %s", name, plain(role))}, args...)...), false
	}
}

// plain is a role in a person's word.
func plain(role string) string {
	switch role {
	case "textbox", "searchbox", "spinbutton":
		return "field"
	}
	return role
}

// The parts of the task that every mind here carries out.
var (
	signIn = []move{
		on("fill", "textbox", "Email", "text", "anna@northgate.example"),
		on("fill", "textbox", "Password", "text", "${secret:SHOP_PASSWORD}"),
		on("click", "button", "Sign in", "expect", `the heading "Dashboard" is visible`),
	}
	openCustomer = []move{
		on("click", "link", "Customers"),
		on("fill", "searchbox", "Search customers", "text", "Fernhill Logistics"),
		on("click", "link", "Fernhill Logistics", "expect", `the heading "Fernhill Logistics" is visible`),
	}
	addSeats = []move{
		on("fill", "spinbutton", "Seats", "text", "3"),
		on("click", "button", "Add seats", "expect", `the dialog "Confirm seat change" is visible`),
	}
	confirm = []move{
		on("click", "button", "Confirm", "irreversible", true, "expect", `the page shows "27 seats"`),
		say("finish", "claim", "three seats were added"),
	}
)

func all(parts ...[]move) []move {
	var out []move
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}
