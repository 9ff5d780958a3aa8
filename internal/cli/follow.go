package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/report"
)

// A result is how a run ended, for --json.
type result struct {
	Run     string     `json:"run"`
	Status  bus.Status `json:"status"`
	Reason  string     `json:"reason"`
	Steps   int        `json:"steps"`
	Seconds float64    `json:"seconds"`
	Tokens  tokens     `json:"tokens"`
	// Usage is what each role's model was asked and charged.
	Usage  []bus.Usage `json:"usage,omitempty"`
	Looks  int         `json:"looks"` // escalations that took pixels
	Report string      `json:"report"`
}

// tokens are a run's cost.
type tokens struct {
	Model       int `json:"model"`       // input and output of all models
	Observation int `json:"observation"` // of the diffs that verdicts rest on
}

// follow prints a run as its journal grows, writes the report at the end, and
// returns the run's exit code as an error.
func (a *app) follow(ctx context.Context, b *bus.Bus, j *job) error {
	state, path, err := record(ctx, b, j.id, j.run, a.printEvent)
	if err != nil {
		return err
	}
	return a.printResult(state, path)
}

// record writes a run's events as its journal grows, and its report at the end,
// into its folder; each sees every event. It returns when the run is finished.
func record(ctx context.Context, b *bus.Bus, run, folder string, each func(*bus.RunState, bus.Event) error) (*bus.RunState, string, error) {
	fail := func(err error) (*bus.RunState, string, error) { return nil, "", err }
	events, err := os.OpenFile(filepath.Join(folder, "events.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return fail(envErr(err))
	}
	defer events.Close()
	state := bus.NewRunState(run)
	for e, err := range b.Journal().Watch(ctx, run) {
		if interrupted(ctx, err) {
			return fail(errInterrupted(run))
		}
		if err != nil {
			return fail(envErr(err))
		}
		if err := state.Apply(e); err != nil {
			return fail(err)
		}
		if err := report.AppendEvent(events, e); err != nil {
			return fail(envf("the events of the run: %v", err))
		}
		if err := each(state, e); err != nil {
			return fail(err)
		}
	}
	if state.Finished == nil {
		return fail(errInterrupted(run))
	}
	if err := events.Close(); err != nil {
		return fail(envf("the events of the run: %v", err))
	}
	path, err := report.Write(ctx, folder, state, b.Blobs())
	if err != nil {
		return fail(envf("the report: %v", err))
	}
	return state, path, nil
}

// printEvent prints the line of a step when it is judged or skipped.
func (a *app) printEvent(s *bus.RunState, e bus.Event) error {
	i := s.LastIntent()
	switch e.Kind {
	case bus.EventVerdict:
		at := i.Last()
		if a.json {
			return a.printJSON(map[string]any{"step": i.Intent.Step, "intent": i.Intent.ID, "instruction": i.Intent.Text, "target": at.Attempt.Target,
				"verdict": at.Verdict.Outcome, "reasons": at.Verdict.Reasons, "millis": report.Took(i, at).Milliseconds()})
		}
		a.printf("%s\n", stepLine(i, at))
		if at.Verdict.Outcome != bus.Right {
			for _, why := range at.Verdict.Reasons {
				a.printf("      %s\n", oneLine(why, 240))
			}
		}
	case bus.EventSkipped:
		text := ""
		if s.LastIntent() != nil && s.LastIntent().Skipped != nil {
			text = s.LastIntent().Intent.Text
		} else if n := len(s.Skips); n > 0 {
			text = s.Skips[n-1].Text
		}
		if a.json {
			return a.printJSON(map[string]any{"instruction": text, "skipped": true})
		}
		a.printf("  -  skipped                %s\n", oneLine(text, 90))
	case bus.EventResumed:
		if !a.json && len(s.Resumes) > 0 {
			a.printf("     resumed: %s\n", s.Resumes[len(s.Resumes)-1].Reason)
		}
	}
	return nil
}

// stepLine is instruction, target as role "name" ref, verdict, milliseconds.
func stepLine(i *bus.IntentRecord, at *bus.AttemptRecord) string {
	number := "   "
	if i.Intent.Step > 0 {
		number = fmt.Sprintf("%3d", i.Intent.Step)
	}
	target := ""
	if t := at.Attempt.Target; t != nil {
		name := t.Name
		if t.Label != "" {
			name = t.Label
		}
		target = fmt.Sprintf("  → %s %q %s", t.Role, oneLine(name, 40), t.Ref)
	}
	return fmt.Sprintf("%s  %-12s %5d ms  %s%s", number, at.Verdict.Outcome, report.Took(i, at).Milliseconds(), oneLine(i.Intent.Text, 90), target)
}

func oneLine(s string, limit int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}

// printResult prints how the run ended and returns its exit code as an error.
func (a *app) printResult(s *bus.RunState, path string) error {
	r := result{Run: s.Run, Status: s.Finished.Status, Reason: s.Finished.Reason, Steps: len(s.Intents), Seconds: s.Updated.Sub(s.Started).Seconds(), Report: path}
	for _, role := range slices.Sorted(maps.Keys(s.Usage)) {
		u := s.Usage[role]
		r.Usage = append(r.Usage, u)
		r.Tokens.Model += u.InputTokens + u.OutputTokens
	}
	for _, i := range s.Intents {
		for _, at := range i.Attempts {
			if at.Verdict != nil {
				r.Tokens.Observation += at.Verdict.Tokens
			}
		}
	}
	for _, e := range s.Escalations {
		if e.Width > 0 {
			r.Looks++
		}
	}
	if a.json {
		if err := a.printJSON(r); err != nil {
			return err
		}
		return silentExit(exitOf(r.Status))
	}
	a.printf("\n%s: %s\n", r.Status, oneLine(r.Reason, 400))
	if s.Finished.Final != nil {
		for _, c := range s.Finished.Final.Checks {
			a.printf("  %s %s\n", map[bool]string{true: "holds  ", false: "fails  "}[c.Held], oneLine(c.Fact, 120))
		}
	}
	a.printf("%s in %.1f s; %d model tokens, %d tokens of page changes, %s at pixels\n", plural(r.Steps, "step"), r.Seconds, r.Tokens.Model, r.Tokens.Observation, plural(r.Looks, "look"))
	for _, u := range r.Usage {
		a.printf("%s %s: %d calls, %d tokens in (%d cached), %d out\n", u.Role, u.Model, u.Calls, u.InputTokens, u.CachedTokens, u.OutputTokens)
	}
	a.printf("report: %s\n", r.Report)
	return silentExit(exitOf(r.Status))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func exitOf(s bus.Status) int {
	switch s {
	case bus.Succeeded:
		return exitOK
	case bus.NeedsPerson:
		return exitPerson
	}
	return exitFailed
}

// ago is a time for people.
func ago(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }
