package vision

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

// look answers one vision.look.
func (a *Agent) look(ctx context.Context, req bus.LookRequest) (bus.LookReply, error) {
	switch req.Kind {
	case bus.EscalateCanvas, bus.EscalateDatePicker, bus.EscalateSpatial:
	default:
		return bus.LookReply{}, &bus.Error{Code: "bad_request", Decision: bus.GiveUp,
			Message: fmt.Sprintf("%q is no reason to look at pixels", req.Kind)}
	}
	if strings.TrimSpace(req.Label) == "" {
		return bus.LookReply{}, &bus.Error{Code: "bad_request", Decision: bus.GiveUp, Message: "a look needs a label to look for"}
	}
	ctx, cancel := context.WithTimeout(ctx, a.o.Timeout)
	defer cancel()
	tree, obs, err := a.observe(ctx, req.Session)
	if err != nil {
		return bus.LookReply{}, err
	}
	if err := picturable(obs); err != nil {
		return bus.LookReply{}, err
	}
	region := req.Box
	if req.Ref != "" {
		n := tree.ByRef(req.Ref)
		if n == nil || n.Box == nil {
			return bus.LookReply{}, &bus.Error{Code: "stale", Decision: bus.Retry,
				Message: fmt.Sprintf("%s is not on the page any more, or has no place on it", req.Ref)}
		}
		region = bus.Box(*n.Box)
	}
	tab, err := a.pool.Tab(ctx, req.Session)
	if err != nil {
		return bus.LookReply{}, fmt.Errorf("vision: the tab: %w", err)
	}
	return a.read(ctx, tab.Session(), req, region, tree.Viewport.DPR, secrets(tree))
}

// read takes the picture, has it read, and maps the answer back to the page.
func (a *Agent) read(ctx context.Context, s cdp.Session, req bus.LookRequest, region bus.Box, dpr float64, hide []bus.Box) (bus.LookReply, error) {
	start := time.Now()
	full, err := capture(ctx, s, region, dpr, 0)
	if err != nil {
		return bus.LookReply{}, err
	}
	cover(full, hide)
	q := Question{Kind: req.Kind, Label: req.Label, Words: req.Trigger, Chart: req.Kind == bus.EscalateCanvas, Marks: req.Marks}
	var (
		reply bus.LookReply
		errs  []error
	)
	for _, r := range []Reader{a.o.Reader, a.o.Fallback} {
		if r == nil {
			continue
		}
		w, h := full.Size()
		pic := full.Resize(r.Fit(w, h))
		answer, err := r.Read(ctx, pic, q)
		reply.Escalation.Tokens += answer.Tokens
		if err != nil {
			errs = append(errs, err)
			continue
		}
		a.fill(ctx, &reply, r, pic, answer)
		if answer.Found {
			break
		}
	}
	if reply.Escalation.Backend == "" {
		return bus.LookReply{}, readError(errs)
	}
	for _, err := range errs {
		reply.Escalation.Outcome += "; " + err.Error()
	}
	reply.Escalation.Kind, reply.Escalation.Trigger = req.Kind, req.Trigger
	reply.Escalation.Millis = time.Since(start).Milliseconds()
	a.o.Logger.InfoContext(ctx, "looked", "session", req.Session.ID, "kind", req.Kind, "label", req.Label,
		"found", reply.Found, "confidence", reply.Confidence, "backend", reply.Escalation.Backend, "ms", reply.Escalation.Millis)
	return reply, nil
}

// fill puts a reader's answer into the reply, in page coordinates.
func (a *Agent) fill(ctx context.Context, reply *bus.LookReply, r Reader, pic Frame, answer Answer) {
	e := &reply.Escalation
	e.Backend, e.Outcome = r.Name(), answer.Says
	if pic.Note != "" {
		e.Outcome += "; " + pic.Note
	}
	e.Width, e.Height = pic.Size()
	reply.Found, reply.Read = answer.Found, bounded(answer.Read)
	if answer.Found {
		reply.Confidence = answer.Confidence
		reply.Box = pic.Transform.BoxToPage(answer.Box)
		reply.At = bus.Point{X: reply.Box.X + reply.Box.W/2, Y: reply.Box.Y + reply.Box.H/2}
	}
	data, err := pic.PNG()
	if err == nil {
		e.Blob, err = a.bus.Blobs().Put(ctx, data)
	}
	if err != nil {
		e.Outcome += "; the picture could not be kept: " + err.Error()
	}
}

// bounded keeps a reply well under the bus's message limit.
func bounded(lines []string) []string {
	const most = 200
	if len(lines) > most {
		lines = append(lines[:most:most], fmt.Sprintf("… and %d more", len(lines)-most))
	}
	return lines
}

// readError says that nobody could look, and what to do about it.
func readError(errs []error) error {
	err := errors.Join(errs...)
	if errors.Is(err, ErrNoTesseract) {
		return &bus.Error{Code: "no_tesseract", Decision: bus.GiveUp, Message: ErrNoTesseract.Error()}
	}
	return err
}

// secrets returns the boxes of the fields whose values nobody may see.
func secrets(t *aria.Tree) []bus.Box {
	var out []bus.Box
	var walk func(n *aria.Node)
	walk = func(n *aria.Node) {
		if n == nil {
			return
		}
		if (n.Masked || n.InputType == "password") && n.Box != nil {
			out = append(out, bus.Box(*n.Box))
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(t.Root)
	return out
}
