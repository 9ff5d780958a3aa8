package vision

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/observer/aria"
)

func TestMain(m *testing.M) {
	if browser.GuardMain(os.Args[1:]) {
		return
	}
	os.Exit(m.Run())
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// A stage is a real browser with one page, and a real bus.
type stage struct {
	*testing.T
	ctx     context.Context
	pool    *browser.Pool
	session bus.Session
	tab     *browser.Tab
	bus     *bus.Bus
	// masked are the boxes the observer says hold secrets; dialog and stale are
	// what it says of the page.
	masked []aria.Box
	dialog *bus.Dialog
	stale  bool
}

func newStage(t *testing.T, html string) *stage {
	t.Helper()
	s := &stage{T: t, ctx: within(t, 3*time.Minute)}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, html)
	}))
	t.Cleanup(web.Close)
	var err error
	if s.pool, err = browser.NewPool(browser.WithNode("here")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
		defer cancel()
		_ = s.pool.Close(ctx)
	})
	if s.session, err = s.pool.OpenSession(s.ctx, "s1", []string{web.URL}); err != nil {
		t.Fatal(err)
	}
	if s.tab, err = s.pool.Tab(s.ctx, s.session); err != nil {
		t.Fatal(err)
	}
	if err := s.tab.Navigate(s.ctx, web.URL+"/"); err != nil {
		t.Fatal(err)
	}
	return s
}

// js evaluates a function in the page's isolated world.
func (s *stage) js(out any, fn string, args ...any) {
	s.Helper()
	frames, err := s.tab.Frames(s.ctx)
	if err != nil {
		s.Fatal(err)
	}
	if err := frames[0].Call(s.ctx, out, fn, args...); err != nil {
		s.Fatal(err)
	}
}

// screen sets the size and the device pixel ratio.
func (s *stage) screen(w, h int64, dpr float64) {
	s.Helper()
	_, err := cdp.Call(s.ctx, s.tab.Session(), emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: w, Height: h, DeviceScaleFactor: dpr})
	if err != nil {
		s.Fatal(err)
	}
}

func (s *stage) click(p bus.Point) {
	s.Helper()
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		_, err := cdp.Call(s.ctx, s.tab.Session(), input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: kind, X: p.X, Y: p.Y, Button: input.MouseButtonLeft, ClickCount: 1})
		if err != nil {
			s.Fatal(err)
		}
	}
}

// serve puts the agent on a bus, with an observer that knows the page's canvas.
func (s *stage) serve(o Options) *Agent {
	s.Helper()
	server, err := bus.StartServer(bus.ServerOptions{StoreDir: s.TempDir()})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(server.Close)
	if s.bus, err = bus.Connect(s.ctx, bus.ConnectOptions{Server: server, Name: "test", Node: "here"}); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = s.bus.Close() })
	observer := bus.NewService(s.bus, "observer")
	bus.Handle(observer, bus.VerbObserve, s.observe)
	if err := observer.Start(s.ctx); err != nil {
		s.Fatal(err)
	}
	a, err := New(s.bus, s.pool, o)
	if err != nil {
		s.Fatal(err)
	}
	if err := a.Start(s.ctx); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = a.Stop(ctx)
		_ = observer.Stop(ctx)
	})
	return a
}

func (s *stage) observe(ctx context.Context, _ bus.ObserveRequest) (bus.Observation, error) {
	var page struct {
		Box      *aria.Box     `json:"box"`
		Viewport aria.Viewport `json:"viewport"`
	}
	frames, err := s.tab.Frames(ctx)
	if err != nil {
		return bus.Observation{}, err
	}
	err = frames[0].Call(ctx, &page, `() => {
		const c = document.querySelector("canvas"), r = c && c.getBoundingClientRect();
		return {box: r && {x: r.x, y: r.y, w: r.width, h: r.height},
			viewport: {w: innerWidth, h: innerHeight, dpr: devicePixelRatio}};
	}`)
	if err != nil {
		return bus.Observation{}, err
	}
	t := &aria.Tree{Version: 1, Viewport: page.Viewport, Root: &aria.Node{Role: "document", Children: []*aria.Node{
		{Ref: "e1", Role: "canvas", Box: page.Box},
	}}}
	for i := range s.masked {
		t.Root.Children = append(t.Root.Children, &aria.Node{Role: "textbox", Masked: true, Box: &s.masked[i]})
	}
	key, err := bus.PutJSON(ctx, s.bus.Scenes(), t)
	return bus.Observation{Scene: bus.Scene{Version: 1, Tree: key}, Dialog: s.dialog, Stale: s.stale}, err
}
