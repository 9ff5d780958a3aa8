package actor

import (
	"context"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/quartet-agents/quartet/bus"
)

// maxResult bounds what an evaluated function may return, in bytes of JSON.
const maxResult = 100 << 10

// evaluate runs the intent's function in the page's own world, with the target
// as its argument where there is one, and reads what it returns as JSON. What
// it does to the page is the page's own doing: no input event proves it.
func (h *hand) evaluate(ctx context.Context) error {
	fn := strings.TrimSpace(h.in.Value)
	if fn == "" {
		return refuse(bus.RefusedUnsupported, "there is no function to run")
	}
	var got *runtime.RemoteObject
	var thrown *runtime.ExceptionDetails
	if el := h.req.Attempt.Target; el != nil {
		f, err := h.frameOf(ctx, el.Ref)
		if err != nil {
			return err
		}
		inner, err := f.Handle(ctx, `(ref) => globalThis.__quartetAct.el(ref)`, el.Ref)
		if err != nil {
			return refuse(bus.RefusedStale, "%s (%s) is gone", el.Ref, label(el.Role, el.Name))
		}
		defer f.Release(context.WithoutCancel(ctx), inner)
		node, err := cdp.Call(ctx, f.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: inner})
		if err != nil {
			return err
		}
		outer, err := cdp.Call(ctx, f.Session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node.Node.BackendNodeID})
		if err != nil {
			return err
		}
		defer f.Release(context.WithoutCancel(ctx), outer.Object.ObjectID)
		t := *el
		h.rec.Target, h.rec.Sent = &t, true
		res, err := cdp.Call(ctx, f.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: fn, ObjectID: outer.Object.ObjectID, Arguments: []*runtime.CallArgument{{ObjectID: outer.Object.ObjectID}},
			AwaitPromise: new(true), ReturnByValue: new(true), UserGesture: new(true),
		})
		if err != nil {
			return err
		}
		got, thrown = res.Result, res.ExceptionDetails
	} else {
		h.rec.Sent = true
		res, err := cdp.Call(ctx, h.tab.Session(), runtime.Evaluate, runtime.EvaluateParams{
			Expression: "(f => typeof f === 'function' ? f() : f)(" + fn + "\n)", AwaitPromise: new(true), ReturnByValue: new(true), UserGesture: new(true),
		})
		if err != nil {
			return err
		}
		got, thrown = res.Result, res.ExceptionDetails
	}
	if thrown != nil {
		why := thrown.Text
		if thrown.Exception != nil && thrown.Exception.Description != "" {
			why, _, _ = strings.Cut(thrown.Exception.Description, "\n")
		}
		return refuse(bus.RefusedScript, "the function threw: %s", clip(why))
	}
	text := "undefined"
	if got != nil && len(got.Value) > 0 {
		text = string(got.Value)
	} else if got != nil && got.UnserializableValue != "" {
		text = string(got.UnserializableValue)
	}
	if len(text) > maxResult {
		return refuse(bus.RefusedScript, "the function returned %d bytes, more than the %d that are kept; return less", len(text), maxResult)
	}
	h.rec.Read = &text
	h.note("the function returned %s", clip(fmt.Sprint(text)))
	return nil
}
