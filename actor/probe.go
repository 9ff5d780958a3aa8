package actor

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

// probeBinding is the function of the isolated world by which probe.js reports.
const probeBinding = "__quartetProbe"

// probeGrace is how long a report may lag behind the end of the input.
const probeGrace = 250 * time.Millisecond

// maxBound bounds the sessions that are remembered as bound.
const maxBound = 512

// A probed event is one that probe.js saw.
type probed struct {
	Token   string `json:"token"`
	Type    string `json:"type"`
	Via     string `json:"via"` // "host": seen from outside a closed root; "root": from inside
	Inside  bool   `json:"inside"`
	Trusted bool   `json:"trusted"`
	Ref     string `json:"ref"`
	Role    string `json:"role"`
	Name    string `json:"name"`
	Tag     string `json:"tag"`
}

// A probe is armed before an input and collected after it. Its reports come by
// a binding the moment the event is dispatched, so a navigation that the event
// causes cannot lose them.
type probe struct {
	token  string
	target bool           // there is a target to be inside of
	frame  *browser.Frame // the target's, else the top one
	stops  []func()
	heard  []cdp.Session
	wg     sync.WaitGroup

	mu     sync.Mutex
	events []probed
	more   chan struct{} // closed and replaced at each report
}

// An arming goes to probe.js: which events to report, and as whose.
type arming struct {
	Token string   `json:"token"`
	Kinds []string `json:"kinds"`
}

// listen makes the attempt's probe and hears what every frame of the page has to
// report.
func (h *hand) listen(ctx context.Context) error {
	if h.probe == nil {
		b := make([]byte, 8)
		_, _ = rand.Read(b) // never fails
		h.probe = &probe{token: hex.EncodeToString(b), more: make(chan struct{})}
	}
	p := h.probe
	if h.frames == nil {
		fs, err := h.tab.Frames(ctx)
		if err != nil {
			return err
		}
		h.frames = fs
	}
	for _, fr := range h.frames {
		s := fr.Session
		if fr.Note != "" || slices.Contains(p.heard, s) {
			continue
		}
		p.heard = append(p.heard, s)
		ch, stop := s.Subscribe(runtime.BindingCalled.Method)
		p.stops = append(p.stops, stop)
		p.wg.Go(func() { p.read(ch, p.token) })
		h.a.bind(ctx, s)
	}
	return nil
}

// armAt arms the probe for an input to what was aimed at.
func (h *hand) armAt(ctx context.Context, a *aim, kinds ...string) error {
	return h.armIn(ctx, a.frame, a.ref, a.Armed, kinds)
}

// arm puts the probe into every frame of the page, with the target in its own
// frame; f nil and ref "" for an input without a target. A second arm of the
// same attempt adds to the first.
func (h *hand) arm(ctx context.Context, f *browser.Frame, ref string, kinds ...string) error {
	return h.armIn(ctx, f, ref, false, kinds)
}

// armIn is arm; there says that the target's own frame has been armed.
func (h *hand) armIn(ctx context.Context, f *browser.Frame, ref string, there bool, kinds []string) error {
	if err := h.listen(ctx); err != nil {
		return err
	}
	p := h.probe
	p.target = ref != ""
	if p.frame = f; p.frame == nil {
		p.frame = h.frames[0]
	}
	for _, fr := range h.frames {
		if fr.Note != "" {
			continue
		}
		in := ""
		if f != nil && fr.ID == f.ID {
			if there {
				continue
			}
			in = ref
		}
		var ok bool
		err := fr.Call(ctx, &ok, `(t, ref, kinds) => globalThis.__quartetAct.arm(t, ref, kinds)`, p.token, in, kinds)
		if err != nil && in != "" {
			return err
		}
	}
	return nil
}

// bind gives the isolated worlds of a CDP session the probe's binding, once:
// it serves later documents too. A frame that is going away has nothing to
// report, so that it cannot be bound is no error.
func (a *Agent) bind(ctx context.Context, s cdp.Session) {
	a.mu.Lock()
	done := a.bound[s]
	a.mu.Unlock()
	if done {
		return
	}
	if _, err := cdp.Call(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: probeBinding, ExecutionContextName: "quartet"}); err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.bound) >= maxBound {
		clear(a.bound) // mostly sessions that are gone; binding twice does no harm
	}
	a.bound[s] = true
}

func (p *probe) read(ch <-chan jsonv2.Value, token string) {
	for raw := range ch {
		var ev runtime.EventBindingCalled
		if json.Unmarshal(raw, &ev) != nil || ev.Name != probeBinding {
			continue
		}
		var e probed
		if json.Unmarshal([]byte(ev.Payload), &e) != nil || e.Token != token {
			continue
		}
		p.mu.Lock()
		// The report from inside a closed root is the more exact one.
		if n := len(p.events); e.Via == "root" && n > 0 && p.events[n-1].Type == e.Type && p.events[n-1].Via != "" {
			p.events[n-1] = e
		} else {
			p.events = append(p.events, e)
		}
		close(p.more)
		p.more = make(chan struct{})
		p.mu.Unlock()
	}
}

// wait waits until an event of the kind was reported, at most probeGrace. What
// the window says of a closed root's host is not yet the whole report.
func (p *probe) wait(ctx context.Context, kind string) {
	p.until(ctx, func() bool {
		return slices.ContainsFunc(p.events, func(e probed) bool { return e.Type == kind && e.Via != "host" })
	})
}

// until waits until enough was reported, at most probeGrace. enough is asked with
// p.mu held.
func (p *probe) until(ctx context.Context, enough func() bool) {
	t := time.NewTimer(probeGrace)
	defer t.Stop()
	for {
		p.mu.Lock()
		done, more := enough(), p.more
		p.mu.Unlock()
		if done {
			return
		}
		select {
		case <-more:
		case <-t.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// hit sums up what received the input: the target only when every deciding
// event reached it.
func (p *probe) hit(decide ...string) *bus.Hit {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := &bus.Hit{Inside: true}
	var at *probed
	exact := slices.ContainsFunc(p.events, func(e probed) bool { return e.Via == "root" })
	for i := range p.events {
		e := &p.events[i]
		if traceOf[e.Type] != "" {
			continue
		}
		if !slices.Contains(out.Events, e.Type) {
			out.Events = append(out.Events, e.Type)
		}
		if !slices.Contains(decide, e.Type) || !e.Trusted && e.Type != "input" && e.Type != "change" {
			continue // what the page itself dispatches on an event says nothing of ours
		}
		if exact && e.Via == "host" {
			continue // the report from inside the closed root did not come any more
		}
		if at == nil || (!e.Inside && out.Inside) {
			at = e
		}
		if p.target && !e.Inside {
			out.Inside = false
		}
	}
	if at == nil {
		out.Inside = false
		return out
	}
	out.Seen, out.Ref, out.Role, out.Name = true, at.Ref, at.Role, clip(at.Name)
	if out.Role == "" {
		out.Role = at.Tag
	}
	return out
}

// traceOf are the reports that are no input but what one leaves behind.
var traceOf = map[string]bus.TraceKind{
	"scroll": bus.TraceScroll, "selectionchange": bus.TraceSelection, "copy": bus.TraceCopy, "cut": bus.TraceCopy, "mark": bus.TraceMark,
}

// traces are what the input left behind that no observation shows.
func (p *probe) traces() []bus.Trace {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.traced()
}

// traced is traces with p.mu held.
func (p *probe) traced() []bus.Trace {
	var out []bus.Trace
	for _, e := range p.events {
		fact := ""
		switch kind := traceOf[e.Type]; kind {
		case "":
			continue
		case bus.TraceScroll:
			fact = "the page scrolled"
			if e.Role != "" {
				fact = label(e.Role, e.Name) + " scrolled"
			}
		case bus.TraceSelection:
			fact = "what is selected, or where the caret stands, changed"
		case bus.TraceMark:
			fact = "the page marked " + label(e.Role, e.Name) + " itself as changed"
		case bus.TraceCopy:
			fact = "what was selected went to the clipboard"
		}
		out = append(out, bus.Trace{Kind: traceOf[e.Type], Fact: fact})
	}
	return out
}

// waitTraces waits until so many traces were reported, at most probeGrace.
func (p *probe) waitTraces(ctx context.Context, n int) {
	p.until(ctx, func() bool { return len(p.traced()) >= n })
}

// reset forgets what was reported, for the next input of the same attempt.
func (p *probe) reset() {
	p.mu.Lock()
	p.events = nil
	p.mu.Unlock()
}

// disarm ends the probe; its goroutines have ended when it returns.
func (p *probe) disarm() {
	for _, stop := range p.stops {
		stop()
	}
	p.wg.Wait()
}
