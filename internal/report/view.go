package report

import (
	"context"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
)

// A view is a run as the templates show it: words, no bus types with logic.
type view struct {
	Name, Run     string
	Status        bus.Status
	Headline      string
	Reason        string
	Start         string
	Started       string
	Took          string
	Steps         []stepView
	Right, Judged int
	Pixels        int // looks that took a picture
	Final         []checkView
	Usage         []usageView
	ModelTokens   int
	PageTokens    int
	Looks         []lookView
	Downloads     []bus.Download
	Notes         []string
	Resumes       []bus.Resumed
	End           template.URL // picture of where the run ended
}

type stepView struct {
	Number   string
	Text     string
	Outcome  string // right, …, or skipped
	Word     string // the outcome in a person's words
	Target   string
	Place    string
	Millis   int64
	Tokens   int
	Reasons  []string
	Evidence []bus.Evidence
	Checks   []checkView
	Diff     string
	Shot     template.URL
	Refusal  string
	Others   []string // candidates of a refusal
	Earlier  []string // what came of the tries before
	Looks    []lookView
	Open     bool // shown open: whatever is not right
}

type checkView struct {
	Text, Fact string
	Held       bool
}

type usageView struct {
	Role, Model                  string
	Calls, Input, Cached, Output int
}

type lookView struct {
	Kind, Trigger, Backend, Size, Outcome string
	Tokens                                int
	Picture                               template.URL
}

// outcomeWords are the verdicts in a person's words.
var outcomeWords = map[bus.Outcome]string{
	bus.Right: "done", bus.WrongTarget: "wrong target", bus.NoEffect: "no effect", bus.WrongEffect: "wrong effect", bus.Unsure: "not sure",
}

func newView(ctx context.Context, s *bus.RunState, blobs bus.Store) *view {
	v := &view{Name: s.Submission.Name, Run: s.Run, Started: s.Started.Local().Format("2 January 2006, 15:04:05"), Took: seconds(s.Updated.Sub(s.Started)), Downloads: s.Downloads, Resumes: s.Resumes}
	if v.Name == "" {
		v.Name = s.Run
	}
	for _, i := range s.Intents {
		step := newStep(ctx, i, blobs)
		if step.Outcome != "skipped" && step.Outcome != "" {
			v.Judged++
			if step.Outcome == string(bus.Right) {
				v.Right++
			}
		}
		v.PageTokens += step.Tokens
		v.Steps = append(v.Steps, step)
	}
	for _, role := range []string{"planner", "observer", "actor", "verifier", "vision"} {
		if u, ok := s.Usage[role]; ok {
			v.Usage = append(v.Usage, usageView{Role: role, Model: u.Model, Calls: u.Calls, Input: u.InputTokens, Cached: u.CachedTokens, Output: u.OutputTokens})
			v.ModelTokens += u.InputTokens + u.OutputTokens
		}
	}
	for _, e := range s.Escalations {
		v.Looks = append(v.Looks, newLook(ctx, e, blobs))
		if e.Width > 0 {
			v.Pixels++
		}
	}
	for _, n := range s.Notes {
		v.Notes = append(v.Notes, n.Text)
	}
	v.Headline = "Not finished"
	if f := s.Finished; f != nil {
		v.Status, v.Reason = f.Status, f.Reason
		v.Headline = map[bus.Status]string{bus.Succeeded: "Succeeded", bus.Failed: "Failed", bus.NeedsPerson: "Needs a person", bus.Closed: "Closed by its client"}[f.Status]
		v.End = picture(ctx, blobs, f.Screenshot)
		if f.Final != nil {
			v.Final = checks(f.Final.Checks)
		}
	}
	return v
}

func newStep(ctx context.Context, i *bus.IntentRecord, blobs bus.Store) stepView {
	v := stepView{Text: i.Intent.Text}
	if i.Intent.Step > 0 {
		v.Number = fmt.Sprint(i.Intent.Step)
	}
	if i.Skipped != nil {
		v.Outcome, v.Word = "skipped", "skipped"
		v.Reasons, v.Checks = []string{i.Skipped.Reason}, checks(i.Skipped.Checks)
		return v
	}
	last := i.Last()
	if last == nil {
		v.Word, v.Open = "not tried", true
		return v
	}
	for _, a := range i.Attempts[:len(i.Attempts)-1] {
		if a.Verdict != nil {
			v.Earlier = append(v.Earlier, outcomeWords[a.Verdict.Outcome]+": "+strings.Join(a.Verdict.Reasons, " "))
		}
	}
	if t := last.Attempt.Target; t != nil {
		name := t.Name
		if t.Label != "" {
			name = t.Label
		}
		v.Target, v.Place = fmt.Sprintf("%s “%s” %s", t.Role, name, t.Ref), t.Place
	}
	if r := last.Receipt; r != nil {
		for _, e := range r.Escalations {
			v.Looks = append(v.Looks, newLook(ctx, e, blobs))
		}
		if r.Refusal != nil {
			v.Refusal = r.Refusal.Message
			for _, c := range r.Refusal.Candidates {
				v.Others = append(v.Others, strings.TrimSpace(fmt.Sprintf("%s “%s” %s %s", c.Role, c.Name, c.Ref, c.Place)))
			}
		}
	}
	w := last.Verdict
	if w == nil {
		v.Word, v.Open = "not judged", true
		return v
	}
	v.Outcome, v.Word, v.Open = string(w.Outcome), outcomeWords[w.Outcome], w.Outcome != bus.Right
	v.Millis = Took(i, last).Milliseconds()
	v.Reasons, v.Evidence, v.Checks, v.Diff, v.Tokens = w.Reasons, w.Evidence, checks(w.Checks), w.Diff, w.Tokens
	v.Shot = picture(ctx, blobs, w.Screenshot)
	for _, e := range w.Escalations {
		v.Looks = append(v.Looks, newLook(ctx, e, blobs))
	}
	return v
}

// Took is what an attempt cost, the finding of its target included: from the
// intent, or from the verdict on the attempt before, to its own verdict.
func Took(i *bus.IntentRecord, at *bus.AttemptRecord) time.Duration {
	from := i.Time
	for _, a := range i.Attempts {
		if a == at {
			break
		}
		from = a.Closed
	}
	return at.Closed.Sub(from)
}

func newLook(ctx context.Context, e bus.Escalation, blobs bus.Store) lookView {
	v := lookView{Kind: strings.ReplaceAll(string(e.Kind), "_", " "), Trigger: e.Trigger, Backend: e.Backend, Outcome: e.Outcome, Tokens: e.Tokens, Size: "no pixels", Picture: picture(ctx, blobs, e.Blob)}
	if e.Width > 0 {
		v.Size = fmt.Sprintf("%d × %d pixels", e.Width, e.Height)
	}
	return v
}

func checks(list []bus.Checked) []checkView {
	out := make([]checkView, len(list))
	for i, c := range list {
		out[i] = checkView{Text: c.Expect.Text, Fact: c.Fact, Held: c.Held}
	}
	return out
}

// picture is a blob as a data URL, or nothing where it cannot be had.
func picture(ctx context.Context, blobs bus.Store, key string) template.URL {
	if key == "" || blobs == nil {
		return ""
	}
	data, err := blobs.Get(ctx, key)
	if err != nil {
		return ""
	}
	kind := http.DetectContentType(data)
	if kind != "image/png" && kind != "image/jpeg" {
		return ""
	}
	return template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data))
}

func seconds(d time.Duration) string {
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
