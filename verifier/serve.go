package verifier

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

// maxDiff bounds a verdict's diff, in bytes; diffBudget in tokens.
const (
	maxDiff    = 4 << 10
	diffBudget = 1000
)

// judge answers one verifier.judge.
func (a *Agent) judge(ctx context.Context, req bus.JudgeRequest) (bus.Verdict, error) {
	start := time.Now()
	if req.Receipt.Attempt != "" && req.Receipt.Attempt != req.Attempt.ID {
		return bus.Verdict{}, bus.Errorf(bus.GiveUp, bus.CodeBadArgument, "the receipt is of attempt %q, not of %q", req.Receipt.Attempt, req.Attempt.ID)
	}
	session := current(req.Session, req.Receipt)
	c := Case{Idle: map[string]bool{}, Intent: req.Intent, Attempt: req.Attempt, Receipt: req.Receipt, Reopened: req.Reopened, Filled: req.Filled, Earlier: earlier(req.Downloads, req.Receipt.Downloads)}
	c.Receipt.Tabs = session.Tabs
	before, err := a.tree(ctx, req.Attempt.Before)
	if err != nil {
		a.o.Logger.InfoContext(ctx, "the observation of before is lost", "attempt", req.Attempt.ID, "error", err)
	}
	c.Before = before
	c.Files = a.files(ctx, req.Receipt.Downloads)

	var (
		j    Judgement
		last look
	)
	err = a.watch(ctx, session, a.horizon(ctx, req), byAddress(req.Intent), func(l look) bool {
		if l.tree == nil && last.tree != nil {
			return false // a look that failed takes no evidence back
		}
		if last.tree != nil {
			noteIdle(c.Idle, last.tree, l.tree)
		}
		last = l
		c.After, c.Dialog, c.Watched = l.tree, l.dialog(), time.Since(start) >= watchIdle
		refreshTabs(&c)
		j = Judge(c)
		return j.Settled
	}, func() bool { return j.Outcome == bus.Unsure })
	if err != nil && j.Outcome == "" {
		return bus.Verdict{}, err
	}

	v := bus.Verdict{Attempt: req.Attempt.ID, Outcome: j.Outcome, Reasons: j.Reasons, Evidence: j.Evidence, Checks: j.Checks, After: last.obs.Scene}
	if last.err != nil {
		v.Reasons = append(v.Reasons, "The last look failed: "+last.err.Error()+".")
	}
	v.Diff, v.Tokens = diffText(j.effects.delta, last.tree)
	silent := last.obs.Stale && last.dialog() == nil // then there is no picture to be had
	if v.Outcome != bus.Right && !a.o.NoScreenshots && !silent {
		v.Screenshot = a.picture(ctx, session)
	}
	v.Millis = time.Since(start).Milliseconds()
	a.o.Logger.InfoContext(ctx, "judged", "run", req.Run, "attempt", v.Attempt, "action", req.Intent.Action,
		"outcome", v.Outcome, "ms", v.Millis)
	return v, nil
}

// byAddress holds for what is judged by where the page is, not by what it holds.
func byAddress(i bus.Intent) bool {
	switch i.Action {
	case bus.ActionOpen, bus.ActionBack, bus.ActionForward:
		return len(i.Expect) == 0
	}
	return false
}

// horizon is how long this attempt's effect is waited for.
func (a *Agent) horizon(ctx context.Context, req bus.JudgeRequest) time.Duration {
	h := a.o.Horizon
	if req.HorizonMS > 0 {
		h = time.Duration(req.HorizonMS) * time.Millisecond
	}
	if req.Reopened {
		h = min(h, reopenedHorizon)
	}
	if req.Intent.Action == bus.ActionWait && len(req.Intent.Expect) > 0 {
		// A wait's own time counts from when it began, not from its receipt.
		if ms, err := strconv.Atoi(strings.TrimSpace(req.Intent.Value)); err == nil && ms > 0 {
			h = max(h, time.Duration(ms)*time.Millisecond-time.Duration(req.Receipt.Millis)*time.Millisecond)
		} else if req.Intent.TimeoutMS > 0 {
			h = max(h, time.Duration(req.Intent.TimeoutMS-int(req.Receipt.Millis))*time.Millisecond)
		}
	}
	if left := time.Duration(req.Intent.TimeoutMS)*time.Millisecond - time.Duration(req.Receipt.Millis)*time.Millisecond; req.Intent.TimeoutMS > 0 && req.Intent.Action != bus.ActionWait {
		h = min(h, max(left, 0)) // the attempt's own time ends the wait
	}
	return within(ctx, min(h, maxHorizon))
}

// check answers one verifier.check.
func (a *Agent) check(ctx context.Context, req bus.CheckRequest) (bus.CheckReply, error) {
	if req.WithinMS < 0 {
		return bus.CheckReply{}, bus.Errorf(bus.GiveUp, bus.CodeBadArgument, "the time %d ms is negative", req.WithinMS)
	}
	var (
		reply bus.CheckReply
		last  look
	)
	horizon := within(ctx, min(time.Duration(req.WithinMS)*time.Millisecond, maxHorizon))
	err := a.watch(ctx, req.Session, horizon, false, func(l look) bool {
		last = l
		v := view{tree: l.tree, downloads: req.Downloads, tabs: withCurrent(req.Session.Tabs, l.tree)}
		if d := l.dialog(); d != nil {
			v.dialogs = []bus.Dialog{*d}
		}
		reply = bus.CheckReply{Held: len(req.Expect) > 0, Scene: l.obs.Scene}
		for _, e := range req.Expect {
			c := evaluate(e, v)
			reply.Held = reply.Held && c.Held
			reply.Checks = append(reply.Checks, c)
		}
		return reply.Held
	}, func() bool { return last.err != nil && req.WithinMS == 0 })
	switch {
	case last.err != nil:
		return bus.CheckReply{}, last.err
	case err != nil && reply.Checks == nil:
		return bus.CheckReply{}, err
	}
	return reply, nil
}

// current is the session as the attempt left it: the receipt knows which tab
// is in front now, unless it is of a browser that the session has lost.
func current(s bus.Session, r bus.Receipt) bus.Session {
	for _, had := range r.Tabs {
		for _, has := range s.Tabs {
			if had.ID == has.ID && had.Target != has.Target {
				return s
			}
		}
	}
	if len(r.Tabs) > 0 {
		s.Tabs = r.Tabs
	}
	if r.Tab != "" {
		s.Tab = r.Tab
	}
	return s
}

// refreshTabs writes what the fresh observation says of the tab in front into
// the list of tabs.
func refreshTabs(c *Case) { c.Receipt.Tabs = withCurrent(c.Receipt.Tabs, c.After) }

func withCurrent(tabs []bus.Tab, t *aria.Tree) []bus.Tab {
	if t == nil || t.Stale || t.Tab == "" {
		return tabs
	}
	out := make([]bus.Tab, 0, len(tabs))
	for _, tab := range tabs {
		if tab.ID == t.Tab {
			tab.URL, tab.Title = t.URL, t.Title
		}
		out = append(out, tab)
	}
	return out
}

// earlier are the run's downloads that are not of this attempt.
func earlier(all, own []bus.Download) []bus.Download {
	var out []bus.Download
	for _, d := range all {
		mine := false
		for _, o := range own {
			mine = mine || d == o
		}
		if !mine {
			out = append(out, d)
		}
	}
	return out
}

// files compares the downloads with the files that are kept.
func (a *Agent) files(ctx context.Context, ds []bus.Download) map[string]string {
	out := map[string]string{}
	for _, d := range ds {
		if d.State != "completed" || d.Blob == "" {
			continue
		}
		data, err := a.bus.Blobs().Get(ctx, d.Blob)
		sum := sha256.Sum256(data)
		switch {
		case err != nil:
			out[d.Blob] = "the file can't be read: " + err.Error()
		case int64(len(data)) != d.Size:
			out[d.Blob] = fmt.Sprintf("the file kept has %d bytes, not %d", len(data), d.Size)
		case !strings.EqualFold(hex.EncodeToString(sum[:]), d.SHA256):
			out[d.Blob] = "the file kept has another hash"
		default:
			out[d.Blob] = ""
		}
	}
	return out
}

// picture takes the screenshot for the report; "" when it can't be had.
func (a *Agent) picture(ctx context.Context, s bus.Session) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := bus.Call[bus.ScreenshotRequest, bus.ScreenshotReply](ctx, a.bus, bus.VerbScreenshot, &s, bus.ScreenshotRequest{Session: s})
	if err != nil {
		a.o.Logger.WarnContext(ctx, "no screenshot", "session", s.ID, "error", err)
		return ""
	}
	return r.Blob
}

// diffText renders what changed; of a new document, what stands there now.
func diffText(d *aria.Delta, after *aria.Tree) (string, int) {
	var r aria.Rendering
	switch {
	case after == nil:
		return "", 0
	case d == nil || d.NewDocument():
		r = aria.Render(after, aria.Compact, aria.RenderOptions{Budget: diffBudget})
	case d.Empty():
		return "", 0
	default:
		r = aria.RenderDelta(d, aria.RenderOptions{Budget: diffBudget})
	}
	if len(r.Text) <= maxDiff {
		return r.Text, r.Tokens
	}
	const mark = "\n… cut at 4 KiB\n"
	text := r.Text[:maxDiff-len(mark)]
	if i := strings.LastIndexByte(text, '\n'); i > 0 {
		text = text[:i]
	}
	text = strings.ToValidUTF8(text, "") + mark
	return text, aria.Tokens(text)
}
