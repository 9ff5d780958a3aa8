package actor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/observer/aria"
)

// What an element is made ready for.
const (
	forClick  = "click"
	forFill   = "fill"
	forHover  = "hover"
	forScroll = "scroll"
)

// A standing is what the page says of an element by ref (act.js, describe).
type standing struct {
	Ref  string `json:"ref"`
	Role string `json:"role"`
	Name string `json:"name"`
	Tag  string `json:"tag"`
	ID   string `json:"id"`
}

func (s standing) String() string {
	out := s.Role
	if out == "" {
		out = s.Tag
	}
	if s.Name != "" {
		out += fmt.Sprintf(" %q", clip(s.Name))
	} else if s.ID != "" {
		out += " #" + s.ID
	}
	if s.Ref != "" {
		out += " " + s.Ref
	}
	return out
}

// A readiness is the answer of __quartetAct.ready.
type readiness struct {
	OK       bool      `json:"ok"`
	Code     string    `json:"code"`
	Message  string    `json:"message"`
	X        float64   `json:"x"`
	Y        float64   `json:"y"`
	Box      bus.Box   `json:"box"`
	Scrolled int       `json:"scrolled"`
	Label    bool      `json:"label"`  // its label takes the event
	Canvas   bool      `json:"canvas"` // the document has one
	Is       *standing `json:"is"`     // what the ref is now, where the registry knows it
	Blocker  *standing `json:"blocker"`
	Status   refStatus `json:"status"`
	controlFacts

	// What was done at once, see readyOptions.
	Armed bool       `json:"armed"`
	Held  *heldValue `json:"held"`
	Focus *focused   `json:"focus"`
}

// A refStatus is the answer of __quartet.status for a ref without element.
type refStatus struct {
	Status string    `json:"status"` // ok, removed, replaced, recycled, unknown
	Now    *standing `json:"now"`    // what stands there now, where that is known
}

// controlFacts say what kind of control an element is.
type controlFacts struct {
	Tag         string `json:"tag"`
	Type        string `json:"type"`
	RoleAttr    string `json:"role"`
	Editable    string `json:"editable"` // "", "input", "textarea", "rich"
	ReadOnly    bool   `json:"readonly"`
	Select      bool   `json:"select"`
	Multiple    bool   `json:"multiple"`
	Checked     string `json:"checked"`
	Href        string `json:"href"`
	Popup       string `json:"popup"`
	Expanded    string `json:"expanded"`
	Placeholder string `json:"placeholder"`
}

// An aim is an element that is ready, and the point at which it receives events.
type aim struct {
	frame *browser.Frame
	ref   string
	at    bus.Point // top viewport
	local bus.Point // the frame's viewport
	readiness
}

// readyOptions go to __quartetAct.ready.
type readyOptions struct {
	Purpose  string     `json:"purpose"`
	Wait     int        `json:"wait"` // milliseconds
	Offset   *bus.Point `json:"offset,omitempty"`
	ReadOnly bool       `json:"readonly,omitempty"` // a read-only field will do

	// Once it is ready the probe is armed, and a field is read and, if it still has
	// the name, given the focus; each a way to the page that is spared.
	Arm    *arming `json:"arm,omitempty"`
	Read   bool    `json:"read,omitempty"` // whatever the purpose
	Secret bool    `json:"secret,omitempty"`
	Focus  string  `json:"focus,omitempty"` // "", or as focus has it
	Name   string  `json:"name,omitempty"`
}

// frameOf finds the frame whose document has the ref (or handle).
func (h *hand) frameOf(ctx context.Context, ref string) (*browser.Frame, error) {
	if h.frames == nil {
		fs, err := h.tab.Frames(ctx)
		if err != nil {
			return nil, err
		}
		h.frames = fs
	}
	if len(h.frames) == 0 {
		return nil, browser.ErrTabGone
	}
	if !strings.HasPrefix(ref, "f") {
		return h.frames[0], nil
	}
	for _, f := range h.frames[1:] {
		var ok bool
		if err := f.Call(ctx, &ok, `(ref) => Boolean(globalThis.__quartetAct.el(ref))`, ref); err == nil && ok {
			return f, nil
		}
	}
	// No frame holds it: a child document with that number is gone.
	h.frames = nil
	return nil, refuse(bus.RefusedStale, "%s is stale: the document of its frame is gone", ref)
}

// aimAt waits until the element is ready for purpose, and says where it will
// receive the event. Frames around it must let the event through as well.
func (h *hand) aimAt(ctx context.Context, ref string, o readyOptions) (*aim, error) {
	f, err := h.frameOf(ctx, ref)
	if err != nil {
		return nil, err
	}
	return h.aimIn(ctx, f, ref, o)
}

func (h *hand) aimIn(ctx context.Context, f *browser.Frame, ref string, o readyOptions) (*aim, error) {
	o.Wait = int(h.readyIn(patience(ctx)).Milliseconds())
	if o.Arm != nil {
		if err := h.listen(ctx); err != nil {
			return nil, err
		}
		o.Arm.Token = h.probe.token
	}
	for try := 0; ; try++ {
		var r readiness
		if err := f.Call(ctx, &r, `(ref, o) => globalThis.__quartetAct.ready(ref, o)`, ref, o); err != nil {
			return nil, err
		}
		if !r.OK {
			return nil, notReady(ref, r)
		}
		a := &aim{frame: f, ref: ref, local: bus.Point{X: r.X, Y: r.Y}, readiness: r}
		if r.Scrolled != 0 {
			h.note("scrolled %s by %d px", ref, r.Scrolled)
		}
		outside, err := h.through(ctx, a)
		if err != nil {
			return nil, err
		}
		if !outside || try == 3 {
			if outside {
				return nil, refuse(bus.RefusedHidden, "%s lies in a frame that cannot be scrolled into view", ref)
			}
			h.aimed = a
			return a, nil
		}
	}
}

// patience is how long readiness may be waited for: most of what is left, so
// that the refusal still gets out in time.
func patience(ctx context.Context) time.Duration {
	d, ok := ctx.Deadline()
	if !ok {
		return DefaultTimeout
	}
	left := time.Until(d)
	return max(left-max(left/5, time.Second), left/3, 10*time.Millisecond)
}

// readyIn is patience for what comes before any input, if the intent allows less.
func (h *hand) readyIn(most time.Duration) time.Duration {
	if h.in.ReadyMS > 0 {
		return min(most, time.Duration(h.in.ReadyMS)*time.Millisecond)
	}
	return most
}

// through walks from the element's frame to the top, and checks that each
// frame element would pass the event on. Outside means that a frame had to be
// scrolled into view and the aim must be taken again.
func (h *hand) through(ctx context.Context, a *aim) (outside bool, err error) {
	if a.frame.Parent == nil {
		a.at = a.local
		return false, nil
	}
	place, err := a.frame.Place(ctx)
	if err != nil {
		return false, err
	}
	a.at.X, a.at.Y = place.Out(a.local.X, a.local.Y)
	a.Box = outer(place, a.Box)
	for f := a.frame; f.Parent != nil; f = f.Parent {
		x, y := a.at.X, a.at.Y
		if f.Parent.Parent != nil {
			around, err := f.Parent.Place(ctx)
			if err != nil {
				return false, err
			}
			x, y = around.In(x, y)
		}
		var p struct {
			OK      bool      `json:"ok"`
			Outside bool      `json:"outside"`
			Blocker *standing `json:"blocker"`
		}
		if err := callOwner(ctx, f, &p, `(owner, x, y) => globalThis.__quartetAct.passes(owner, x, y)`, x, y); err != nil {
			return false, err
		}
		switch {
		case p.OK:
		case p.Outside:
			if err := callOwner(ctx, f, nil, `(owner) => globalThis.__quartetAct.showFrame(owner)`); err != nil {
				return false, err
			}
			return true, nil
		default:
			r := readiness{Code: "covered", Blocker: p.Blocker}
			return false, notReady(a.ref, r)
		}
	}
	return false, nil
}

// outer is the box around a frame's box, in the top frame.
func outer(p browser.Place, b bus.Box) bus.Box {
	x0, y0 := p.Out(b.X, b.Y)
	x1, y1 := x0, y0
	for _, c := range [][2]float64{{b.X + b.W, b.Y}, {b.X, b.Y + b.H}, {b.X + b.W, b.Y + b.H}} {
		x, y := p.Out(c[0], c[1])
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
	}
	return bus.Box{X: x0, Y: y0, W: x1 - x0, H: y1 - y0}
}

// callOwner calls a function with the frame's own element, in the parent's world.
func callOwner(ctx context.Context, f *browser.Frame, out any, fn string, args ...any) error {
	owner, err := f.Parent.Node(ctx, f.OwnerNode)
	if err != nil {
		return err
	}
	defer f.Parent.Release(context.WithoutCancel(ctx), owner)
	return f.Parent.Call(ctx, out, fn, append([]any{owner}, args...)...)
}

// notReady turns the page's answer into a refusal.
func notReady(ref string, r readiness) error {
	switch r.Code {
	case "stale":
		return &staleError{ref: ref, status: r.Status}
	case "covered":
		no := &refused{bus.Refusal{Code: bus.RefusedCovered, Message: fmt.Sprintf("%s would not receive the event; nothing was sent", ref)}}
		if r.Blocker != nil {
			no.Message = fmt.Sprintf("the event would go to %s instead of %s; nothing was sent", r.Blocker, ref)
			no.Diagnosis = &bus.Diagnosis{Covering: &bus.Element{Ref: r.Blocker.Ref, Role: r.Blocker.Role, Name: clip(r.Blocker.Name)}}
		}
		return no
	case "hidden":
		return refuse(bus.RefusedHidden, "%s: %s", ref, r.Message)
	case "disabled":
		return refuse(bus.RefusedDisabled, "%s: %s", ref, r.Message)
	case "readonly":
		return refuse(bus.RefusedReadOnly, "%s: %s", ref, r.Message)
	case "unstable":
		return refuse(bus.RefusedUnstable, "%s: %s", ref, r.Message)
	}
	return refuse(bus.RefusedUnsupported, "%s: %s %s", ref, r.Code, r.Message)
}

// A staleError is a ref that has no element any more.
type staleError struct {
	ref    string
	status refStatus
}

func (e *staleError) Error() string { return e.ref + " is stale: " + e.status.Status }

// target aims at the attempt's element. When the page has replaced it since
// (a row that re-rendered under the hand), the element that stands there now
// is taken if it is its equal: one of the same role, name and place. Anything
// else is refused, with what stands there now.
func (h *hand) target(ctx context.Context, el *bus.Element, o readyOptions) (*aim, error) {
	if el == nil || el.Ref == "" {
		return nil, refuse(bus.RefusedNotFound, "the attempt names no element")
	}
	if el.At != nil {
		o.Offset = &bus.Point{X: el.At.X - el.Box.X, Y: el.At.Y - el.Box.Y}
	}
	want := *el
	for try := 0; ; try++ {
		a, err := h.aimAt(ctx, want.Ref, o)
		stale, isStale := errors.AsType[*staleError](err)
		gone := isStale || errors.Is(err, browser.ErrNavigated) || errors.Is(err, browser.ErrFrameGone)
		r, isRefused := errors.AsType[*refused](err)
		if err == nil {
			if bad := a.stillIs(want); bad != nil {
				return nil, bad
			}
			got := want
			got.Box = a.Box
			h.rec.Target = &got
			return a, nil
		}
		if !gone && !(isRefused && r.Code == bus.RefusedStale) {
			return nil, err
		}
		why := "removed"
		if isStale && stale.status.Status != "" {
			why = stale.status.Status
		}
		next, ok := h.rebind(ctx, want)
		if !ok || try == 3 {
			return nil, h.staleRefusal(want, why, next)
		}
		h.note("%s was %s by the page; its equal %s stands there now", want.Ref, why, next.Ref)
		want.Ref, want.Box = next.Ref, next.Box
	}
}

// stillIs compares what the ref is now with what was looked at: a node that the
// page has recycled for another row keeps its ref in the DOM but not its
// meaning.
func (a *aim) stillIs(want bus.Element) error {
	now := a.Is
	if now == nil {
		return nil
	}
	if now.Role == "" || sameWords(now.Name, want.Name) || want.Name == "" {
		return nil
	}
	return &refused{bus.Refusal{
		Code:       bus.RefusedStale,
		Message:    fmt.Sprintf("%s is stale: the page has recycled the element; it was %s and is %s now", want.Ref, label(want.Role, want.Name), label(now.Role, now.Name)),
		Candidates: []bus.Element{{Ref: want.Ref, Role: now.Role, Name: now.Name, Box: a.Box}},
	}}
}

// rebind looks at the page again for the one equal of an element that is gone.
func (h *hand) rebind(ctx context.Context, was bus.Element) (now bus.Element, ok bool) {
	h.frames = nil
	tree, _, err := h.a.look(ctx, h.sess)
	if err != nil {
		return bus.Element{}, false
	}
	var equals []bus.Element
	tree.Walk(func(n *aria.Node, _ []*aria.Node) bool {
		if n.Ref != "" && n.Role == was.Role && sameWords(n.Name, was.Name) {
			if e := elementOf(tree, n); e.Place == was.Place {
				equals = append(equals, e)
			}
		}
		return true
	})
	if len(equals) == 1 && (was.Name != "" || was.Place != "") {
		return equals[0], true
	}
	// What stands at its place now, for the message.
	cx, cy := was.Box.X+was.Box.W/2, was.Box.Y+was.Box.H/2
	tree.Walk(func(n *aria.Node, _ []*aria.Node) bool {
		if n.Ref != "" && n.Box != nil && cx >= n.Box.X && cy >= n.Box.Y && cx < n.Box.X+n.Box.W && cy < n.Box.Y+n.Box.H {
			now = elementOf(tree, n)
		}
		return true
	})
	return now, false
}

func (h *hand) staleRefusal(was bus.Element, why string, now bus.Element) error {
	r := &refused{bus.Refusal{Code: bus.RefusedStale, Message: fmt.Sprintf("%s (%s) is stale: %s", was.Ref, label(was.Role, was.Name), why)}}
	if now.Ref != "" {
		r.Message += fmt.Sprintf("; %s stands there now", label(now.Role, now.Name)+" "+now.Ref)
		r.Candidates = []bus.Element{now}
	}
	return r
}

func label(role, name string) string {
	if name == "" {
		return role
	}
	return fmt.Sprintf("%s %q", role, clip(name))
}

func sameWords(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}
