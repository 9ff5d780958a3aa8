package goals_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/demo"
	"github.com/quartet-agents/quartet/internal/llm/llmtest"
)

var seatsDone = []string{`The page shows "22 of 27 seats in use"`, `The dialog "Confirm seat change" is gone`}

// TestACleanRun follows a run from the sign-in to the proof on both wires.
func TestACleanRun(t *testing.T) {
	t.Parallel()
	for _, wire := range wires {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			e := run(t, goal{wire: wire, done: seatsDone, mind: inOrder(all(signIn, openCustomer, addSeats, confirm)...)})
			ends(t, e, 0, bus.Succeeded, "every final check holds")
			threeSeats(t, e.ledger)
			oneFullReportADocument(t, e.asked)
			used(t, wire, e)
		})
	}
}

// oneFullReportADocument: the whole page is sent when it is another document,
// or has become shorter than what changed would be; else what has changed.
func oneFullReportADocument(t *testing.T, asked []llmtest.Asked) {
	t.Helper()
	blocks := newView(asked[len(asked)-1]).blocks
	last, size, full := "", 0, 0
	for i, b := range blocks {
		m := headline.FindStringSubmatch(b)
		if m == nil {
			t.Errorf("report %d has no version: %s", i, b)
			continue
		}
		if strings.HasPrefix(m[2], " from") {
			continue
		}
		full++
		u, err := url.Parse(m[3])
		if err != nil {
			t.Fatal(err)
		}
		if u.Path == last {
			if len(b) > size/2 {
				t.Errorf("report %d is a second full one of %s", i, u.Path)
			}
			full--
		}
		last, size = u.Path, len(b)
	}
	if full != 4 || len(blocks) < 10 { // sign-in, dashboard, customers, customer
		t.Errorf("%d full reports of %d, want 4", full, len(blocks))
	}
}

// used compares the tokens that the server charged with those in the journal
// and on the screen.
func used(t *testing.T, wire string, e ended) {
	t.Helper()
	var charged bus.Usage
	for _, q := range e.asked {
		in := len(q.Raw) / 4
		charged.CachedTokens += in / 2
		if wire == "anthropic" {
			in = in / 2 * 2
		}
		charged.InputTokens += in
		charged.OutputTokens += 5
	}
	var booked bus.Usage
	for _, ev := range e.events {
		if ev.Kind != bus.EventUsage {
			continue
		}
		var u bus.Usage
		if err := json.Unmarshal(ev.Data, &u); err != nil {
			t.Fatal(err)
		}
		if u.Role != "planner" || u.Model != wire+"/test" {
			t.Errorf("usage of %s, %s", u.Role, u.Model)
		}
		booked.Calls += u.Calls
		booked.InputTokens += u.InputTokens
		booked.CachedTokens += u.CachedTokens
		booked.OutputTokens += u.OutputTokens
	}
	charged.Calls = len(e.asked)
	if booked != charged {
		t.Errorf("booked %+v, charged %+v", booked, charged)
	}
	for _, want := range []string{
		fmt.Sprintf("%d model tokens", charged.InputTokens+charged.OutputTokens),
		fmt.Sprintf("planner %s/test: %d calls, %d tokens in (%d cached), %d out", wire, charged.Calls, charged.InputTokens, charged.CachedTokens, charged.OutputTokens),
	} {
		if !strings.Contains(e.out, want) {
			t.Errorf("the output does not say %q", want)
		}
	}
}

// TestAClumsyRun breaks every house rule once, takes the wrong one of two
// neighbours and claims to be done, and is put right each time.
func TestAClumsyRun(t *testing.T) {
	t.Parallel()
	told := func(want string, m move) move {
		return func(v view) (llmtest.Answer, bool) {
			if !v.says(want) {
				t.Errorf("the model was told %q, want %q", v.newest, want)
			}
			return m(v)
		}
	}
	again := func(role, name, words string) move {
		return func(v view) (llmtest.Answer, bool) {
			return answer("check", "ref", v.ref(role, name), "element", words), false
		}
	}
	mind := inOrder(all(
		[]move{
			say("click", "ref", "e999", "element", "Sign in button"),
			told("e999 is not on the page as you have been shown it", say("fill", "element", "Email", "text", "anna@northgate.example")),
			told(`Fill needs "ref"`, again("textbox", "Email", "Email field")),
			told("Verdict: no_effect", again("textbox", "Email", "the big Email field at the top")),
			told("Other words will not help", on("fill", "textbox", "Email", "text", "anna@northgate.example")),
			told("Verdict: right", func(v view) (llmtest.Answer, bool) { // two calls in a turn
				return llmtest.Answer{Calls: []llmtest.Call{
					call("fill", "ref", v.ref("textbox", "Password"), "element", "Password", "text", "${secret:SHOP_PASSWORD}"),
					call("click", "ref", v.ref("button", "Sign in"), "element", "Sign in button"),
				}}, false
			}),
			told("Not carried out: one call a turn", func(v view) (llmtest.Answer, bool) { // talks
				return llmtest.Answer{Text: "I will now click the Sign in button."}, false
			}),
			told("exactly one tool call", signIn[2]),
		},
		openCustomer, addSeats,
		[]move{
			// The link's ref with the button's words, then with its own.
			func(v view) (llmtest.Answer, bool) {
				return answer("click", "ref", v.ref("link", "Terms"), "element", "Confirm button"), false
			},
			told("contradict", on("click", "link", "Terms")),
			say("finish", "claim", "three seats were added"),
			told("Not done", say("close_tab")),
			confirm[0],
			say("finish", "claim", "three seats were added, now really"),
		})...)
	e := run(t, goal{wire: "openai", done: seatsDone, mind: mind})
	ends(t, e, 0, bus.Succeeded, "every final check holds")
	threeSeats(t, e.ledger)
	if n := len(of(e.ledger, demo.KindTermsOpened)); n != 1 {
		t.Errorf("the terms were opened %d times, want once: the call with the button's words must not have been sent", n)
	}
}

// TestALiar claims to be done without having done anything.
func TestALiar(t *testing.T) {
	t.Parallel()
	e := run(t, goal{wire: "anthropic", done: seatsDone, mind: func(view) llmtest.Answer { return answer("finish", "claim", "all is done") }})
	ends(t, e, 1, bus.Failed, "claimed to be done")
	if len(e.ledger) != 0 || len(e.asked) > 4 {
		t.Errorf("%d requests, ledger %+v", len(e.asked), e.ledger)
	}
}

// TestALooper repeats what does not work.
func TestALooper(t *testing.T) {
	t.Parallel()
	turn := 0
	e := run(t, goal{wire: "openai", done: seatsDone, mind: func(v view) llmtest.Answer {
		if turn++; turn%2 == 0 {
			return answer("look") // as the house rule asks for
		}
		return answer("check", "ref", v.ref("textbox", "Email"), "element", "Email")
	}})
	ends(t, e, 1, bus.Failed, "the same intent had the same outcome 3 times")
}

// TestAnIdler repeats what does nothing for the goal.
func TestAnIdler(t *testing.T) {
	t.Parallel()
	e := run(t, goal{wire: "openai", done: seatsDone, more: "limits: {steps: 4}\n", mind: func(view) llmtest.Answer { return answer("press", "key", "Tab") }})
	ends(t, e, 1, bus.Failed, "the limit of 4 steps is reached")
}
