package vision

import (
	"context"
	"fmt"

	"github.com/quartet-agents/quartet/bus"
)

// screenshot answers one vision.screenshot: the viewport at one picture pixel
// per CSS pixel, secret fields painted over. Where they are is asked before and
// after the picture, and every place is covered, so that a page which moves
// meanwhile shows nothing either.
func (a *Agent) screenshot(ctx context.Context, req bus.ScreenshotRequest) (bus.ScreenshotReply, error) {
	ctx, cancel := context.WithTimeout(ctx, a.o.Timeout)
	defer cancel()
	tree, obs, err := a.observe(ctx, req.Session)
	if err != nil {
		return bus.ScreenshotReply{}, err
	}
	if err := picturable(obs); err != nil {
		return bus.ScreenshotReply{}, err
	}
	if tree.URL == "about:blank" && (tree.Root == nil || len(tree.Root.Children) == 0) {
		// A tab that never showed a document paints nothing, and Chromium would
		// wait for it.
		return bus.ScreenshotReply{}, &bus.Error{Code: "blank", Decision: bus.GiveUp, Message: "the tab is blank; there is nothing to picture"}
	}
	tab, err := a.pool.Tab(ctx, req.Session)
	if err != nil {
		return bus.ScreenshotReply{}, fmt.Errorf("vision: the tab: %w", err)
	}
	v := tree.Viewport
	f, err := capture(ctx, tab.Session(), bus.Box{W: v.W, H: v.H}, v.DPR, 1)
	if err != nil {
		return bus.ScreenshotReply{}, err
	}
	hide := secrets(tree)
	after, obs, err := a.observe(ctx, req.Session)
	if err != nil {
		return bus.ScreenshotReply{}, err
	}
	if err := picturable(obs); err != nil {
		return bus.ScreenshotReply{}, err
	}
	cover(f, append(hide, secrets(after)...))
	data, err := f.PNG()
	if err != nil {
		return bus.ScreenshotReply{}, err
	}
	key, err := a.bus.Blobs().Put(ctx, data)
	if err != nil {
		return bus.ScreenshotReply{}, fmt.Errorf("vision: keep the screenshot: %w", err)
	}
	w, h := f.Size()
	return bus.ScreenshotReply{Blob: key, Width: w, Height: h}, nil
}
