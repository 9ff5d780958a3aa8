package verifier

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
	. "github.com/quartet-agents/quartet/observer/aria/ariatest"
)

// A stage is a real bus with the agent on it, and an observer and a vision
// agent that play a page as a film: what it shows at which time.
type stage struct {
	*testing.T
	ctx context.Context
	bus *bus.Bus

	mu    sync.Mutex
	start time.Time
	film  []scene
	looks int
	shots int
}

type scene struct {
	from   time.Duration
	tree   *aria.Tree
	dialog *bus.Dialog
	err    error
}

func newStage(t *testing.T, o Options) *stage {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	server, err := bus.StartServer(bus.ServerOptions{StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	b, err := bus.Connect(ctx, bus.ConnectOptions{Server: server, Name: "test", Node: "here"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	s := &stage{T: t, ctx: ctx, bus: b}
	observer, vision := bus.NewService(b, "observer"), bus.NewService(b, "vision")
	bus.Handle(observer, bus.VerbObserve, s.observe)
	bus.Handle(vision, bus.VerbScreenshot, func(context.Context, bus.ScreenshotRequest) (bus.ScreenshotReply, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.shots++
		return bus.ScreenshotReply{Blob: "picture"}, nil
	})
	a, err := New(b, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []interface {
		Start(context.Context) error
		Stop(context.Context) error
	}{observer, vision, a} {
		if err := x.Start(ctx); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			_ = x.Stop(ctx)
		})
	}
	return s
}

// play starts a film, and returns the scene of before.
func (s *stage) play(before *aria.Tree, film ...scene) bus.Scene {
	s.Helper()
	key, err := bus.PutJSON(s.ctx, s.bus.Scenes(), before)
	if err != nil {
		s.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start, s.film, s.looks, s.shots = time.Now(), film, 0, 0
	return bus.Scene{Version: before.Version, Tree: key}
}

// counts are the looks and the pictures taken since play.
func (s *stage) counts() (looks, shots int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.looks, s.shots
}

func (s *stage) observe(ctx context.Context, _ bus.ObserveRequest) (bus.Observation, error) {
	s.mu.Lock()
	s.looks++
	now := s.film[0]
	for _, f := range s.film {
		if time.Since(s.start) >= f.from {
			now = f
		}
	}
	s.mu.Unlock()
	if now.err != nil {
		return bus.Observation{}, now.err
	}
	key, err := bus.PutJSON(ctx, s.bus.Scenes(), now.tree)
	return bus.Observation{Scene: bus.Scene{Version: now.tree.Version, Tree: key, URL: now.tree.URL}, Stale: now.tree.Stale, Dialog: now.dialog}, err
}

func (s *stage) judge(i bus.Intent, target *bus.Element, before bus.Scene, r bus.Receipt, horizon time.Duration, all ...bus.Download) bus.Verdict {
	s.Helper()
	v, err := bus.Call[bus.JudgeRequest, bus.Verdict](s.ctx, s.bus, bus.VerbJudge, nil, bus.JudgeRequest{
		Run: "r1", Session: bus.Session{ID: "r1", Tab: "t1"}, Intent: i, Attempt: bus.Attempt{ID: "i1.1", Target: target, Before: before},
		Receipt: r, HorizonMS: int(horizon.Milliseconds()), Downloads: all})
	if err != nil {
		s.Fatal(err)
	}
	return v
}

// TestHorizon plays effects that come at once, late, shortly and never.
func TestHorizon(t *testing.T) {
	s := newStage(t, Options{})
	quiet := page(1, saveButton())
	toast := page(2, saveButton(), N("status", "", "e9", T("Saved")))
	for _, c := range []struct {
		name    string
		film    []scene
		horizon time.Duration
		want    bus.Outcome
		min     time.Duration // no verdict may come earlier
		max     time.Duration // nor much later than the horizon, or than the evidence
	}{
		{"at once", []scene{{0, toast, nil, nil}}, 30 * time.Second, bus.Right, 0, 20 * time.Second},
		{"late", []scene{{0, quiet, nil, nil}, {700 * time.Millisecond, toast, nil, nil}}, 30 * time.Second, bus.Right, 650 * time.Millisecond, 20 * time.Second},
		{"a toast of half a second", []scene{{0, quiet, nil, nil}, {1000 * time.Millisecond, toast, nil, nil}, {1500 * time.Millisecond, quiet, nil, nil}}, 5 * time.Second, bus.Right, 900 * time.Millisecond, 4 * time.Second},
		{"never", []scene{{0, quiet, nil, nil}}, 600 * time.Millisecond, bus.NoEffect, 550 * time.Millisecond, 20 * time.Second},
		{"too late", []scene{{0, quiet, nil, nil}, {25 * time.Second, toast, nil, nil}}, 300 * time.Millisecond, bus.NoEffect, 250 * time.Millisecond, 20 * time.Second},
		{"the observer fails at first", []scene{{0, nil, nil, bus.Errorf(bus.GiveUp, "broken", "broken")}, {400 * time.Millisecond, toast, nil, nil}}, 30 * time.Second, bus.Right, 350 * time.Millisecond, 20 * time.Second},
		{"the observer always fails", []scene{{0, nil, nil, bus.Errorf(bus.GiveUp, "broken", "broken")}}, 300 * time.Millisecond, bus.Unsure, 250 * time.Millisecond, 20 * time.Second},
	} {
		before := s.play(quiet, c.film...)
		start := time.Now()
		v := s.judge(click(), save, before, sent("e1", "button", "Save"), c.horizon)
		took := time.Since(start)
		looks, shots := s.counts()
		if v.Outcome != c.want || took < c.min || took > c.max {
			t.Errorf("%s: %s after %v, want %s within %v to %v; %q", c.name, v.Outcome, took, c.want, c.min, c.max, v.Reasons)
		}
		if c.name == "at once" && looks != 1 {
			t.Errorf("%d looks where one had the evidence", looks)
		}
		if right := v.Outcome == bus.Right; right != (v.Screenshot == "") || right == (shots > 0) {
			t.Errorf("%s: %s with the picture %q, %d taken", c.name, v.Outcome, v.Screenshot, shots)
		}
		if c.want == bus.Right && (!strings.Contains(v.Diff, "Saved") || v.Tokens == 0 || v.After.Version != 2) {
			t.Errorf("%s: the diff is %q, %d tokens, after @%d", c.name, v.Diff, v.Tokens, v.After.Version)
		}
		t.Logf("%s: %s after %v and %d looks: %q", c.name, v.Outcome, took.Round(time.Millisecond), looks, v.Reasons)
	}
}

// TestSettledAtOnce does not wait for what no waiting can change.
func TestSettledAtOnce(t *testing.T) {
	s := newStage(t, Options{})
	quiet := page(1, saveButton())
	for _, r := range []bus.Receipt{
		{Refusal: &bus.Refusal{Code: bus.RefusedStale, Message: "removed"}},
		{Sent: true, Hit: &bus.Hit{Role: "link", Seen: true}},
	} {
		before := s.play(quiet, scene{0, quiet, nil, nil})
		v := s.judge(click(), save, before, r, 0)
		if looks, _ := s.counts(); v.Outcome == bus.Right || looks != 1 {
			t.Errorf("%s, %d looks", v.Outcome, looks)
		}
	}
}

func TestFiles(t *testing.T) {
	s := newStage(t, Options{})
	data := []byte("invoice")
	key, err := s.bus.Blobs().Put(s.ctx, data)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	good := bus.Download{Name: "a.pdf", Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:]), Blob: key, State: "completed"}
	bad := good
	bad.SHA256 = strings.Repeat("0", 64)
	short := good
	short.Size = 3
	for d, want := range map[bus.Download]bus.Outcome{good: bus.Right, bad: bus.WrongEffect, short: bus.WrongEffect} {
		before := s.play(page(1, saveButton()), scene{0, page(2, saveButton()), nil, nil})
		v := s.judge(bus.Intent{Action: bus.ActionDownload}, save, before, bus.Receipt{Sent: true, Downloads: []bus.Download{d}}, 200*time.Millisecond)
		if v.Outcome != want {
			t.Errorf("%+v: %s %q", d, v.Outcome, v.Reasons)
		}
	}
	// A file of an earlier step proves nothing of this one.
	before := s.play(page(1, saveButton()), scene{0, page(2, saveButton()), nil, nil})
	i := click(bus.Expect{Kind: bus.ExpectDownload, Want: "a.pdf"})
	if v := s.judge(i, save, before, sent("e1", "button", "Save"), 200*time.Millisecond, good); v.Outcome != bus.NoEffect || !strings.Contains(v.Reasons[0], "proves nothing") {
		t.Errorf("%s %q", v.Outcome, v.Reasons)
	}
}

func TestCheck(t *testing.T) {
	s := newStage(t, Options{})
	quiet, toast := page(1, saveButton()), page(2, saveButton(), N("status", "", "e9", T("Saved")))
	saved := bus.Expect{Kind: bus.ExpectVisible, Want: "Saved"}
	check := func(within int, e ...bus.Expect) (bus.CheckReply, error) {
		return bus.Call[bus.CheckRequest, bus.CheckReply](s.ctx, s.bus, bus.VerbCheck, nil, bus.CheckRequest{Session: bus.Session{ID: "r1"}, Expect: e, WithinMS: within})
	}
	s.play(quiet, scene{0, quiet, nil, nil}, scene{500 * time.Millisecond, toast, nil, nil})
	if r, err := check(0, saved); err != nil || r.Held || len(r.Checks) != 1 {
		t.Errorf("at once: %+v, %v", r, err)
	}
	if r, err := check(3000, saved, bus.Expect{Kind: bus.ExpectURL, Want: "/seats"}); err != nil || !r.Held || len(r.Checks) != 2 || r.Scene.Version != 2 {
		t.Errorf("in time: %+v, %v", r, err)
	}
	if r, err := check(200, bus.Expect{Kind: bus.ExpectVisible, Want: "Never"}, saved); err != nil || r.Held || r.Checks[0].Held || !r.Checks[1].Held {
		t.Errorf("never: %+v, %v", r, err)
	}
	if r, err := check(0); err != nil || r.Held {
		t.Errorf("nothing to check holds: %+v, %v", r, err)
	}
	if _, err := check(-1, saved); err == nil {
		t.Error("a negative time was taken")
	}
	s.play(quiet, scene{0, nil, nil, bus.Errorf(bus.GiveUp, "broken", "the page is broken")})
	if r, err := check(100, saved); err == nil {
		t.Errorf("without a page: %+v", r)
	}
}

// TestBigPage bounds the verdict's diff, whatever changed.
func TestBigPage(t *testing.T) {
	s := newStage(t, Options{})
	var rows []*aria.Node
	for range 3000 {
		rows = append(rows, N("listitem", "", "", T(strings.Repeat("long words ", 8))))
	}
	before := s.play(page(1, saveButton()), scene{0, page(2, append([]*aria.Node{saveButton()}, rows...)...), nil, nil})
	v := s.judge(click(), save, before, sent("e1", "button", "Save"), time.Second)
	if v.Outcome != bus.Right || len(v.Diff) == 0 || len(v.Diff) > maxDiff {
		t.Errorf("%s, a diff of %d bytes", v.Outcome, len(v.Diff))
	}
}

func TestOptions(t *testing.T) {
	if _, err := New(nil, Options{}); err == nil {
		t.Error("an agent without a bus")
	}
	o := Options{Horizon: -1}
	if err := o.validate(); err == nil {
		t.Error("a negative horizon")
	}
}
