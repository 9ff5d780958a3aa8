package planner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
)

// label is the words by which scripts and the ledger know an intent.
func label(i bus.Intent) string {
	switch {
	case i.Action == bus.ActionOpen:
		return "open"
	case i.Target == nil:
		return string(i.Action)
	case i.Target.Name != "":
		return i.Target.Name
	}
	return i.Target.Words
}

func (s *site) planFor(i bus.Intent, try int) plan {
	plans := s.script.plans[label(i)]
	if len(plans) == 0 {
		return plan{}
	}
	return plans[min(max(try, 1), len(plans))-1]
}

func (s *site) brokenRule(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = append(s.broken, fmt.Sprintf(format, args...))
}

// call counts a call and lets the script fail it.
func (s *site) call(v bus.Verb) error {
	s.mu.Lock()
	s.calls[v]++
	fail := s.script.fail
	s.mu.Unlock()
	if fail != nil {
		return fail(s, v)
	}
	return nil
}

func (s *site) point(name string, i bus.Intent) {
	if s.script.at != nil {
		s.script.at(s, name, i)
	}
}

// alive says whether the session's browser still lives.
func (s *site) alive(x bus.Session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.browser > 0 && x.Context == fmt.Sprintf("b%d", s.browser)
}

// crash ends the browser; the server's ledger stays.
func (s *site) crash() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.browser = -len(s.opened)
}

// onTab holds the planner to the tab that the last receipt named.
func (s *site) onTab(x bus.Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.browser > 0 && x.Context == fmt.Sprintf("b%d", s.browser) && x.Tab != s.tab {
		s.broken = append(s.broken, fmt.Sprintf("the session is on tab %s, the page on %s", x.Tab, s.tab))
	}
}

func (s *site) scene() bus.Scene {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bus.Scene{Version: 1, URL: s.url}
}

func gone() error { return bus.Errorf(bus.GiveUp, bus.CodeNodeGone, "the browser's process is gone") }

func (g *rig) actor() *bus.Service {
	svc := bus.NewService(g.bus, "actor")
	bus.Handle(svc, bus.VerbOpen, func(_ context.Context, q bus.OpenRequest) (bus.Session, error) {
		s := g.site(q.Session)
		if err := s.call(bus.VerbOpen); err != nil {
			return bus.Session{}, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.opened = append(s.opened, q)
		s.browser, s.url, s.fields, s.tab = len(s.opened), q.RestoreAt, nil, "t1"
		return bus.Session{ID: q.Session, Endpoint: "http://browser", Context: fmt.Sprintf("b%d", s.browser),
			Tabs: []bus.Tab{{ID: "t1", Target: "x"}}, Tab: "t1", AllowedOrigins: q.AllowedOrigins}, nil
	})
	bus.Handle(svc, bus.VerbClose, func(_ context.Context, q bus.CloseRequest) (bus.Raw, error) {
		s := g.site(q.Session.ID)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.closed++
		return bus.Raw("{}"), nil
	})
	bus.Handle(svc, bus.VerbPrepare, g.prepare)
	bus.Handle(svc, bus.VerbAct, g.act)
	bus.Handle(svc, bus.VerbReceipt, func(_ context.Context, q bus.ReceiptRequest) (bus.Receipt, error) {
		s := g.site(q.Run)
		if err := s.call(bus.VerbReceipt); err != nil {
			return bus.Receipt{}, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		r, ok := s.receipts[q.Attempt]
		if !ok {
			return r, bus.Errorf(bus.GiveUp, bus.CodeNotFound, "no receipt of %s", q.Attempt)
		}
		return r, nil
	})
	return svc
}

func (g *rig) prepare(_ context.Context, q bus.PrepareRequest) (bus.Prepared, error) {
	s := g.site(q.Run)
	if err := s.call(bus.VerbPrepare); err != nil {
		return bus.Prepared{}, err
	}
	s.point("after intent", q.Intent)
	s.onTab(q.Session)
	if !s.alive(q.Session) {
		return bus.Prepared{Refusal: &bus.Refusal{Code: bus.RefusedBrowserGone, Message: "the browser is gone"}}, nil
	}
	s.mu.Lock()
	s.tries[label(q.Intent)]++
	p := s.planFor(q.Intent, s.tries[label(q.Intent)])
	s.mu.Unlock()
	out := bus.Prepared{Before: s.scene()}
	if p.refuse != "" {
		out.Refusal = &bus.Refusal{Code: p.refuse, Message: "refused by the script"}
	} else if q.Intent.Target != nil {
		out.Target = &bus.Element{Ref: "e1", Role: "button", Name: label(q.Intent)}
	}
	return out, nil
}

// act is held to the actor's rule: no input unless the attempt is the last
// entry of the run's journal.
func (g *rig) act(ctx context.Context, q bus.ActRequest) (bus.Receipt, error) {
	s := g.site(q.Run)
	if err := s.call(bus.VerbAct); err != nil {
		return bus.Receipt{}, err
	}
	s.point("after attempt", q.Intent)
	r := bus.Receipt{Attempt: q.Attempt.ID, Started: time.Now()}
	state, err := g.bus.Journal().State(context.WithoutCancel(ctx), q.Run)
	if err != nil {
		s.brokenRule("the journal of %s: %v", q.Run, err)
		return r, err
	}
	a := state.OpenAttempt()
	if a == nil || a.Attempt.ID != q.Attempt.ID || state.LastSeq != q.Seq || a.Seq != q.Seq || a.Receipt != nil {
		if ctx.Err() == nil {
			s.brokenRule("act of %s came with entry %d; the journal ends with %s %d", q.Attempt.ID, q.Seq, state.LastKind, state.LastSeq)
		}
		r.Refusal = &bus.Refusal{Code: bus.RefusedNoVerdict, Message: "not the journal's last entry"}
		return r, nil
	}
	if !s.alive(q.Session) {
		r.Refusal = &bus.Refusal{Code: bus.RefusedBrowserGone, Message: "the browser is gone"}
		return r, nil
	}
	s.mu.Lock()
	p := s.planFor(q.Intent, s.tries[label(q.Intent)])
	lost := bus.Errorf(bus.Retry, bus.CodeReplicaLost, "the actor went silent")
	if p.loses == "before" {
		s.mu.Unlock()
		return r, lost
	}
	r.Sent, r.URLBefore = true, s.url
	s.effect(q.Intent, q.Attempt.ID, p, &r)
	r.URLAfter = s.url
	if p.loses != "after" {
		s.receipts[q.Attempt.ID] = r
	}
	s.mu.Unlock()
	s.point("during act", q.Intent)
	if p.loses != "" {
		return r, lost
	}
	return r, nil
}

// effect is what the input does to the page. The caller holds the lock.
func (s *site) effect(i bus.Intent, attempt string, p plan, r *bus.Receipt) {
	switch {
	case p.nothing:
		return
	case i.Action == bus.ActionExpectation || i.Action == bus.ActionWait:
		r.Sent = false
	case i.Action == bus.ActionRemember:
		r.Sent = false
		read := s.script.read
		r.Read = &read
	case i.Action == bus.ActionOpen:
		s.url = i.Value
	case i.Action == bus.ActionFill || i.Action == bus.ActionCheck || i.Action == bus.ActionPickDate:
		s.fields = append(s.fields, label(i)+"="+i.Value)
	case strings.HasPrefix(label(i), "Toggle"): // the page's own
		s.fields = append(s.fields, label(i))
	default:
		s.ledger = append(s.ledger, label(i))
		if !p.asks {
			r.Requests = append(r.Requests, bus.Request{Method: "POST", URL: s.url, Status: p.status})
		}
	}
	s.effects[attempt] = s.browser
	if p.tab != "" {
		s.tab = p.tab
		r.Tabs, r.Tab = []bus.Tab{{ID: "t1", Target: "x"}, {ID: p.tab, Target: "y"}}, p.tab
	}
	if p.goes != "" {
		s.url, s.fields = p.goes, nil
	}
}

func (g *rig) observer() *bus.Service {
	svc := bus.NewService(g.bus, "observer")
	bus.Handle(svc, bus.VerbObserve, func(_ context.Context, q bus.ObserveRequest) (bus.Observation, error) {
		s := g.site(q.Session.ID)
		if err := s.call(bus.VerbObserve); err != nil {
			return bus.Observation{}, err
		}
		if !s.alive(q.Session) {
			return bus.Observation{}, gone()
		}
		return bus.Observation{Scene: s.scene(), Kind: "full", Text: "button e1 \"Pay\"\nbutton e2 \"Save\""}, nil
	})
	return svc
}

func (g *rig) verifier() *bus.Service {
	svc := bus.NewService(g.bus, "verifier")
	bus.Handle(svc, bus.VerbJudge, func(_ context.Context, q bus.JudgeRequest) (bus.Verdict, error) {
		s := g.site(q.Run)
		if err := s.call(bus.VerbJudge); err != nil {
			return bus.Verdict{}, err
		}
		s.point("after receipt", q.Intent)
		s.onTab(q.Session)
		if !s.alive(q.Session) {
			return bus.Verdict{}, gone()
		}
		s.mu.Lock()
		s.judged = append(s.judged, q)
		p := s.planFor(q.Intent, s.tries[label(q.Intent)])
		v := bus.Verdict{Attempt: q.Attempt.ID, Outcome: bus.NoEffect, After: bus.Scene{Version: 2, URL: s.url}}
		if at, ok := s.effects[q.Attempt.ID]; ok && q.Receipt.Lost && at != s.browser {
			v.Outcome = s.seenAnew(q.Intent, p)
		} else if ok && (q.Intent.Action != bus.ActionRemember || q.Receipt.Read != nil) {
			v.Outcome = bus.Right
		}
		if p.verdict != "" {
			v.Outcome = p.verdict
		}
		v.Reasons = []string{"judged " + string(v.Outcome)}
		s.mu.Unlock()
		s.point("before verdict", q.Intent)
		return v, nil
	})
	bus.Handle(svc, bus.VerbCheck, func(_ context.Context, q bus.CheckRequest) (bus.CheckReply, error) {
		s := g.site(q.Session.ID)
		if err := s.call(bus.VerbCheck); err != nil {
			return bus.CheckReply{}, err
		}
		if !s.alive(q.Session) {
			return bus.CheckReply{}, gone()
		}
		s.mu.Lock()
		s.checks = append(s.checks, q.Expect)
		s.mu.Unlock()
		reply := bus.CheckReply{Held: true, Scene: s.scene()}
		for _, e := range q.Expect {
			held := s.script.holds == nil || s.script.holds(s, e)
			reply.Held = reply.Held && held
			reply.Checks = append(reply.Checks, bus.Checked{Expect: e, Held: held, Fact: fmt.Sprintf("%q held: %v", e.Want, held)})
		}
		return reply, nil
	})
	return svc
}

// seenAnew is what another browser shows of an effect that nobody has reported:
// the server's, but not the page's own.
func (s *site) seenAnew(i bus.Intent, p plan) bus.Outcome {
	switch {
	case p.goes != "":
		return bus.Unsure
	case slices.Contains(s.ledger, label(i)), i.Action == bus.ActionOpen:
		return bus.Right
	}
	return bus.NoEffect
}

func (g *rig) vision() *bus.Service {
	svc := bus.NewService(g.bus, "vision")
	bus.Handle(svc, bus.VerbScreenshot, func(_ context.Context, q bus.ScreenshotRequest) (bus.ScreenshotReply, error) {
		if err := g.site(q.Session.ID).call(bus.VerbScreenshot); err != nil {
			return bus.ScreenshotReply{}, err
		}
		return bus.ScreenshotReply{Blob: "picture"}, nil
	})
	return svc
}

// about says whether an expectation names the words, wherever they stand in it.
func about(e bus.Expect, words string) bool {
	data, err := json.Marshal(e)
	return err == nil && strings.Contains(string(data), words)
}
