package browser

import (
	"context"

	"github.com/chromedp/cdproto/input"
)

// Keys sends key events to the page, in order and without waiting in between,
// and returns when the page has taken the last one, or the first error. What
// the page does on one key it does before the next.
func (t *Tab) Keys(ctx context.Context, events []input.DispatchKeyEventParams) error {
	steps := make([]step, 0, len(events))
	for _, e := range events {
		steps = append(steps, step{method: input.DispatchKeyEvent.Method, params: e})
	}
	return t.main.all(ctx, steps)
}
