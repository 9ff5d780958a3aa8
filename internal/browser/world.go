package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// worldName is the isolated world that all clients of a page share.
const worldName = "quartet"

//go:embed js/quiet.js
var quietScript string

//go:embed js/missing.js
var missingScript string

// A world is the isolated world of one document. Guarded by Tab.mu.
type world struct {
	id     runtime.ExecutionContextID
	unique string
	loaded bool // our scripts are known to have run
}

// marked is the script with a note in the world that it has run.
func (s script) marked() string {
	return s.source + "\n;globalThis.__quartetLoaded = Object.assign(globalThis.__quartetLoaded || Object.create(null), {" + strconv.Quote(s.name) + ": 1});"
}

// trackWorlds follows the contexts of the world, per frame.
func (t *Tab) trackWorlds(p *part, method string, params jsonv2.Value) {
	t.mu.Lock()
	switch method {
	case runtime.ExecutionContextsCleared.Method:
		clear(p.worlds)
		clear(p.marked)
	case runtime.ExecutionContextDestroyed.Method:
		ev, _ := decode[runtime.EventExecutionContextDestroyed](params)
		for frame, w := range p.worlds {
			if w.unique == ev.ExecutionContextUniqueID {
				delete(p.worlds, frame)
			}
		}
	default:
		ev, ok := decode[runtime.EventExecutionContextCreated](params)
		var aux struct {
			FrameID cdp.FrameID `json:"frameId"`
		}
		if !ok || ev.Context.Name != worldName || json.Unmarshal(ev.Context.AuxData, &aux) != nil || aux.FrameID == "" {
			t.mu.Unlock()
			return
		}
		p.worlds[aux.FrameID] = &world{id: ev.Context.ID, unique: ev.Context.UniqueID}
	}
	t.mu.Unlock()
	t.notify()
}

// World returns the frame's isolated world, with every script of the pool in
// it. It is made when the document has none, and lives as long as the document.
func (f *Frame) World(ctx context.Context) (runtime.ExecutionContextID, error) {
	ctx, end, err := f.tab.unlessDialog(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	w, err := f.world(ctx)
	if err != nil {
		return 0, because(ctx, err)
	}
	return w.id, nil
}

func (f *Frame) world(ctx context.Context) (world, error) {
	if f.part == nil {
		return world{}, fmt.Errorf("frame %s: %w", f.ID, ErrFrameGone)
	}
	w, ok := f.known()
	if !ok {
		made, err := cdp.Call(ctx, f.part.s, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: f.ID, WorldName: worldName})
		if err != nil {
			if protocolError(err) != nil {
				return world{}, fmt.Errorf("%w: %w", ErrFrameGone, err)
			}
			return world{}, err
		}
		// Its event is on the way, or has come.
		err = f.tab.waitFor(ctx, func() bool {
			k := f.part.worlds[f.ID]
			return k != nil && k.id == made.ExecutionContextID || f.part.s.ended()
		})
		if err != nil {
			return world{}, err
		}
		if w, ok = f.known(); !ok {
			return world{}, fmt.Errorf("frame %s: %w", f.ID, ErrFrameGone)
		}
	}
	if w.loaded {
		return w, nil
	}
	if err := f.load(ctx, w); err != nil {
		return world{}, err
	}
	f.tab.mu.Lock()
	if k := f.part.worlds[f.ID]; k != nil && k.unique == w.unique {
		k.loaded = true
	}
	f.tab.mu.Unlock()
	return w, nil
}

func (s *session) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

func (f *Frame) known() (world, bool) {
	f.tab.mu.Lock()
	defer f.tab.mu.Unlock()
	w := f.part.worlds[f.ID]
	if w == nil {
		return world{}, false
	}
	return *w, true
}

// load runs the scripts that the document has not seen: it is older than our
// attachment, or its world was made by hand.
func (f *Frame) load(ctx context.Context, w world) error {
	scripts := f.tab.st.h.pool.o.scripts
	names := make([]any, len(scripts))
	for i, s := range scripts {
		names[i] = s.name
	}
	var missing []string
	if err := f.callIn(ctx, w, &missing, nil, missingScript, names); err != nil {
		return err
	}
	for _, s := range scripts {
		for _, name := range missing {
			if name != s.name {
				continue
			}
			res, err := cdp.Call(ctx, f.part.s, runtime.Evaluate, runtime.EvaluateParams{Expression: s.marked(), UniqueContextID: w.unique, Silent: new(true)})
			if err != nil {
				return err
			}
			if res.ExceptionDetails != nil {
				return fmt.Errorf("world script %s: %w", s.name, thrown(res.ExceptionDetails))
			}
		}
	}
	return nil
}

// Call calls fn, a function expression, in the frame's isolated world, with
// args as JSON (a runtime.RemoteObjectID stands for its object), awaits a
// promise, and decodes its JSON result into out; nil ignores it, undefined
// leaves it alone.
//
// A document that went away before the call began is looked up once more;
// ErrNavigated means that it went away while the function ran, or again. An
// exception is a *ScriptError. A dialog that stays open ends the call with
// ErrDialogOpen.
func (f *Frame) Call(ctx context.Context, out any, fn string, args ...any) error {
	return f.retry(ctx, func(ctx context.Context, w world) error { return f.callIn(ctx, w, out, nil, fn, args) })
}

// Handle is Call with the result by reference, "" when it is not an object. The
// object is kept until Release or until the document goes.
func (f *Frame) Handle(ctx context.Context, fn string, args ...any) (runtime.RemoteObjectID, error) {
	var obj runtime.RemoteObject
	err := f.retry(ctx, func(ctx context.Context, w world) error { return f.callIn(ctx, w, nil, &obj, fn, args) })
	return obj.ObjectID, err
}

// Release lets the browser free the objects of handles; best effort.
func (f *Frame) Release(ctx context.Context, ids ...runtime.RemoteObjectID) {
	steps := make([]step, 0, len(ids))
	for _, id := range ids {
		if id != "" {
			steps = append(steps, step{method: runtime.ReleaseObject.Method, params: runtime.ReleaseObjectParams{ObjectID: id}, may: true})
		}
	}
	if f.part != nil {
		_ = f.part.s.all(ctx, steps)
	}
}

// retry runs call in the frame's world, once more when the world was gone.
func (f *Frame) retry(ctx context.Context, call func(context.Context, world) error) error {
	ctx, end, err := f.tab.unlessDialog(ctx)
	if err != nil {
		return err
	}
	defer end()
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, callTimeout)
		defer cancel()
	}
	for again := false; ; again = true {
		w, err := f.world(ctx)
		if err == nil {
			err = call(ctx, w)
		}
		switch {
		case err == nil:
			return nil
		case errors.Is(err, ErrTabGone) && f.part.s != f.tab.main:
			return fmt.Errorf("%w: %w", ErrNavigated, err) // a cross-site frame's process went
		case !contextLost(err):
			return because(ctx, err)
		case again || !notBegun(err):
			return fmt.Errorf("%w: %w", ErrNavigated, err)
		}
		f.tab.mu.Lock()
		if k := f.part.worlds[f.ID]; k != nil && k.unique == w.unique {
			delete(f.part.worlds, f.ID)
		}
		f.tab.mu.Unlock()
	}
}

// contextLost says whether the browser's answer means that the world is gone.
func contextLost(err error) bool {
	e := protocolError(err)
	if e == nil {
		return false
	}
	for _, s := range []string{"Cannot find context", "uniqueContextId not found", "context was destroyed", "Inspected target navigated", "Cannot find default execution context", "Promise was collected", "No frame for given id", "No frame with given id"} {
		if strings.Contains(e.Message, s) {
			return true
		}
	}
	return false
}

// notBegun says whether the function cannot have run.
func notBegun(err error) bool {
	e := protocolError(err)
	return e != nil && (strings.Contains(e.Message, "Cannot find context") || strings.Contains(e.Message, "uniqueContextId not found"))
}

// callIn calls fn in a world. The result goes by reference into obj when that
// is not nil, else by value into out.
func (f *Frame) callIn(ctx context.Context, w world, out any, obj *runtime.RemoteObject, fn string, args []any) error {
	params := runtime.CallFunctionOnParams{
		FunctionDeclaration: fn, UniqueContextID: w.unique,
		AwaitPromise: new(true), ReturnByValue: new(obj == nil), Silent: new(true),
	}
	for _, a := range args {
		arg := &runtime.CallArgument{}
		if id, ok := a.(runtime.RemoteObjectID); ok {
			arg.ObjectID = id
		} else {
			raw, err := json.Marshal(a)
			if err != nil {
				return fmt.Errorf("argument of a page function: %w", err)
			}
			arg.Value = raw
		}
		params.Arguments = append(params.Arguments, arg)
	}
	res, err := cdp.Call(ctx, f.part.s, runtime.CallFunctionOn, params)
	if err != nil {
		return err
	}
	if res.ExceptionDetails != nil {
		return thrown(res.ExceptionDetails)
	}
	if obj != nil {
		*obj = *res.Result
		return nil
	}
	if out == nil || res.Result == nil || len(res.Result.Value) == 0 {
		return nil
	}
	if err := json.Unmarshal(res.Result.Value, out); err != nil {
		return fmt.Errorf("result of a page function: %w", err)
	}
	return nil
}

func thrown(d *runtime.ExceptionDetails) error {
	text := d.Text
	if d.Exception != nil && d.Exception.Description != "" {
		text = d.Exception.Description
	} else if d.Exception != nil && len(d.Exception.Value) > 0 {
		text += " " + string(d.Exception.Value)
	}
	return &ScriptError{Text: text}
}
