package browser_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

func TestDialogs(t *testing.T) {
	s := serve(t, map[string]string{"/": `<title>home</title><button id=go onclick="window.got = prompt('name?', 'x')">x</button><p id=p></p>
<script>setInterval(() => { p.textContent = String(window.got) }, 20)</script>`})
	_, tab := page(t, s.URL+"/", s.URL)
	top := frames(t, tab)[0]
	w := tab.Watch()
	defer w.Close()
	const text = `() => document.getElementById('p').textContent`

	// Nobody answers: calls say so, at once, instead of hanging.
	waiting := make(chan error, 1)
	go func() { waiting <- top.Call(context.Background(), nil, `() => new Promise(() => {})`) }()
	go click(t, tab, "#go")
	if _, err := w.Wait(within(t, 5*time.Second), func(f browser.Facts) bool { return len(f.Dialogs) == 1 }); err != nil {
		t.Fatal("no dialog seen")
	}
	if err := <-waiting; !errors.Is(err, browser.ErrDialogOpen) {
		t.Errorf("the call that was under way: %v", err)
	}
	began := time.Now()
	if err := top.Call(context.Background(), nil, `() => 1`); !errors.Is(err, browser.ErrDialogOpen) {
		t.Errorf("a call under a dialog: %v", err)
	}
	if err := tab.Settle(context.Background(), 50*time.Millisecond, 5*time.Second); !errors.Is(err, browser.ErrDialogOpen) {
		t.Errorf("settling under a dialog: %v", err)
	}
	if d := time.Since(began); d > 500*time.Millisecond {
		t.Errorf("they took %v", d)
	}
	if d := tab.Dialog(); d == nil || d.Type != "prompt" || d.Message != "name?" {
		t.Fatalf("dialog = %+v", d)
	}
	if err := tab.AnswerDialog(within(t, 5*time.Second), true, "Ada"); err != nil {
		t.Fatal(err)
	}
	waitText(t, top, text, "Ada")

	// A policy answers, and the fact is kept.
	tab.SetDialogPolicy(func(d bus.Dialog) browser.DialogAnswer { return browser.DialogAnswer{Accept: false} })
	click(t, tab, "#go")
	waitText(t, top, text, "null")
	f := w.Facts()
	if len(f.Dialogs) != 2 || f.Dialogs[0].Answer != "accepted" || f.Dialogs[1].Answer != "dismissed" {
		t.Errorf("dialogs = %+v", f.Dialogs)
	}
	if tab.Dialog() != nil {
		t.Error("a dialog is open still")
	}
}

func waitText(t *testing.T, f *browser.Frame, fn, want string) {
	t.Helper()
	var got string
	for range 200 {
		if got = eval[string](t, f, fn); got == want {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("text is %q, want %q", got, want)
}

func TestCloseStormyAndHungSessions(t *testing.T) {
	s := serve(t, map[string]string{
		"/storm": `<script>addEventListener('beforeunload', e => { e.preventDefault(); e.returnValue = 'x' }); setTimeout(() => { for (;;) alert('again') }, 10)</script>`,
		"/hung":  `<script>setTimeout(() => { for (;;); }, 10)</script>`,
		"/never": `<p>x<script src="/slow"></script>`,
	})
	s.mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for _, path := range []string{"storm", "hung", "never"} {
		t.Run(path, func(t *testing.T) {
			p := pool(t)
			session, err := p.OpenSession(within(t, 30*time.Second), "close-"+path, []string{s.URL})
			if err != nil {
				t.Fatal(err)
			}
			tab, err := p.Tab(within(t, 5*time.Second), session)
			if err != nil {
				t.Fatal(err)
			}
			if err := tab.Navigate(within(t, 5*time.Second), s.URL+"/"+path); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			_ = tab.Settle(ctx, 50*time.Millisecond, time.Second)
			_, _ = tab.Frames(ctx)
			_, _ = p.Tabs(ctx, session)
			cancel()
			if d := time.Since(began); d > 2500*time.Millisecond {
				t.Errorf("calls took %v", d)
			}
			began = time.Now()
			if err := p.CloseSession(within(t, 10*time.Second), session); err != nil {
				t.Errorf("closing: %v", err)
			}
			if d := time.Since(began); d > 3*time.Second {
				t.Errorf("closing took %v", d)
			}
			if _, err := p.Tab(within(t, 5*time.Second), session); !errors.Is(err, browser.ErrTabGone) {
				t.Errorf("a tab of the closed session: %v", err)
			}
		})
	}
}

func TestDownload(t *testing.T) {
	s := serve(t, map[string]string{"/": `<a id=go href="/file">get</a>`})
	s.mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="in voice.pdf"`)
		_, _ = w.Write([]byte("%PDF fake"))
	})
	_, tab := page(t, s.URL+"/", s.URL)
	w := tab.Watch()
	defer w.Close()
	click(t, tab, "#go")
	f, err := w.Wait(within(t, 5*time.Second), func(f browser.Facts) bool { return len(f.Downloads) == 1 && f.Downloads[0].State == "completed" })
	if err != nil {
		t.Fatalf("facts: %+v", f)
	}
	d := f.Downloads[0]
	data, err := d.Read()
	if err != nil || string(data) != "%PDF fake" || d.Name != "in voice.pdf" || d.Size != 9 || d.URL != s.URL+"/file" {
		t.Errorf("download %+v: %q, %v", d, data, err)
	}
}

func TestRequestsAndNavigations(t *testing.T) {
	s := serve(t, map[string]string{
		"/":     `<title>home</title><button id=go onclick="fetch('/api', {method: 'POST'}).then(() => fetch('/gone')).then(() => { history.pushState(0, '', '/pushed'); document.title = 'done' })">x</button><iframe src="{OTHER}/leaf"></iframe>`,
		"/leaf": `<script>fetch('/fromleaf', {method: 'PUT'})</script>`, "/api": `ok`, "/fromleaf": `ok`,
	})
	_, tab := blank(t, pool(t), s.URL, s.Other())
	w := tab.Watch()
	defer w.Close()
	if err := tab.Navigate(within(t, 5*time.Second), s.URL+"/"); err != nil {
		t.Fatal(err)
	}
	if err := tab.Settle(within(t, 5*time.Second), 100*time.Millisecond, 3*time.Second); err != nil {
		t.Fatal(err)
	}
	click(t, tab, "#go")
	f, err := w.Wait(within(t, 5*time.Second), func(f browser.Facts) bool {
		return slices.ContainsFunc(f.Navigations, func(n browser.Navigation) bool { return n.SameDocument && n.URL == s.URL+"/pushed" })
	})
	if err != nil {
		t.Fatalf("facts: %+v", f)
	}
	var got []string
	for _, r := range f.Requests {
		if !strings.HasSuffix(r.URL, "favicon.ico") {
			got = append(got, fmt.Sprintf("%s %s %s %d", r.Method, r.URL[strings.LastIndex(r.URL, "/"):], r.Type, r.Status))
		}
	}
	slices.Sort(got)
	want := []string{"GET / Document 200", "GET /gone Fetch 404", "GET /leaf Document 200", "POST /api Fetch 200", "PUT /fromleaf Fetch 200"}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("requests\n got %q\nwant %q", got, want)
	}
}

func TestSettle(t *testing.T) {
	s := serve(t, map[string]string{
		"/slowfetch": `<script>setTimeout(() => fetch('/wait').then(() => { document.body.append('done') }), 20)</script>`,
		"/mutating":  `<p id=p><script>let n = 0; const i = setInterval(() => { p.textContent = n; if (++n == 10) clearInterval(i) }, 40)</script>`,
		"/forever":   `<p id=p><script>let n = 0; setInterval(() => { p.textContent = n++ }, 10)</script>`,
		"/stream":    `<p>x<script>new EventSource('/events'); fetch('/hang')</script>`,
		"/still":     `<p>x<iframe src="{OTHER}/leaf"></iframe>`, "/leaf": `<p>leaf`,
	})
	s.mux.HandleFunc("/wait", func(w http.ResponseWriter, r *http.Request) { time.Sleep(600 * time.Millisecond) })
	s.mux.HandleFunc("/hang", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s.mux.HandleFunc("/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	for _, c := range []struct {
		path     string
		min, max time.Duration
		text     string
	}{
		{"slowfetch", 650 * time.Millisecond, 1600 * time.Millisecond, "done"},
		{"mutating", 450 * time.Millisecond, 1500 * time.Millisecond, "9"},
		{"forever", 2900 * time.Millisecond, 3300 * time.Millisecond, ""},
		{"stream", 1500 * time.Millisecond, 2900 * time.Millisecond, "x"},
		{"still", 90 * time.Millisecond, 900 * time.Millisecond, "x"},
	} {
		t.Run(c.path, func(t *testing.T) {
			_, tab := blank(t, pool(t), s.URL, s.Other())
			if err := tab.Navigate(within(t, 5*time.Second), s.URL+"/"+c.path); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if err := tab.Settle(within(t, 10*time.Second), 100*time.Millisecond, 3*time.Second); err != nil {
				t.Fatal(err)
			}
			d := time.Since(began)
			t.Logf("settled in %v", d.Round(time.Millisecond))
			if d < c.min || d > c.max {
				t.Errorf("settled in %v, want %v to %v", d, c.min, c.max)
			}
			if got := eval[string](t, frames(t, tab)[0], `() => document.body.innerText.trim()`); c.text != "" && got != c.text {
				t.Errorf("text %q, want %q", got, c.text)
			}
		})
	}
}

func TestSettleBoundedByContext(t *testing.T) {
	s := serve(t, map[string]string{"/": `<p id=p><script>setInterval(() => { p.textContent += 1 }, 10)</script>`})
	_, tab := blank(t, pool(t), s.URL)
	if err := tab.Navigate(within(t, 5*time.Second), s.URL+"/"); err != nil {
		t.Fatal(err)
	}
	if err := tab.Settle(within(t, 300*time.Millisecond), 100*time.Millisecond, 5*time.Second); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("settling: %v", err)
	}
}

func TestCrash(t *testing.T) {
	s := serve(t, map[string]string{"/": `<p>x`})
	_, tab := page(t, s.URL+"/", s.URL)
	w := tab.Watch()
	defer w.Close()
	_, _ = cdp.Call(within(t, time.Second), tab.Session(), cdppage.Crash, cdp.Empty{})
	if _, err := w.Wait(within(t, 5*time.Second), func(f browser.Facts) bool { return f.Crashed }); err != nil {
		t.Error("the crash was not seen")
	}
	start := time.Now()
	if err := frames(t, tab)[0].Call(within(t, 20*time.Second), nil, `() => 1`); !errors.Is(err, browser.ErrCrashed) || time.Since(start) > 5*time.Second {
		t.Errorf("a call to a dead renderer took %v: %v", time.Since(start), err)
	}
	if err := tab.Navigate(within(t, 10*time.Second), s.URL+"/"); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, frames(t, tab)[0], `() => document.body.innerText`); got != "x" {
		t.Errorf("after a new navigation the page says %q", got)
	}
}

func TestState(t *testing.T) {
	s := serve(t, map[string]string{"/": `<title>home</title><script>document.cookie = 'a=1; max-age=1000'; localStorage.k = 'v'</script>`})
	session, tab := page(t, s.URL+"/", s.URL)
	data, err := pool(t).SaveState(within(t, 5*time.Second), session)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.pages["/"] = `<title>again</title>`
	s.mu.Unlock()
	if err := pool(t).CloseSession(within(t, 5*time.Second), session); err != nil {
		t.Fatal(err)
	}
	_ = tab
	session, tab = blank(t, pool(t), s.URL)
	if err := pool(t).LoadState(within(t, 5*time.Second), session, data); err != nil {
		t.Fatal(err)
	}
	if got := s.Hits(); len(got) != 1 {
		t.Errorf("loading asked for %v", got)
	}
	if err := tab.Navigate(within(t, 5*time.Second), s.URL+"/"); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, frames(t, tab)[0], `() => document.title + ' ' + document.cookie + ' ' + localStorage.k`); got != "again a=1 v" {
		t.Errorf("after loading: %q", got)
	}
	if got := s.Hits(); len(got) != 2 {
		t.Errorf("requests: %v", got)
	}
}

func TestHiddenTabWorks(t *testing.T) {
	s := serve(t, map[string]string{"/": `<title>home</title><button id=go onclick="window.open('/pop')">x</button>`, "/pop": `<title>pop</title>`})
	session, tab := page(t, s.URL+"/", s.URL)
	if _, err := pool(t).OpenTab(within(t, 5*time.Second), session); err != nil {
		t.Fatal(err)
	}
	w := tab.Watch()
	defer w.Close()
	click(t, tab, "#go")
	if f, err := w.Wait(within(t, 5*time.Second), func(f browser.Facts) bool { return len(f.NewTabs) == 1 }); err != nil || f.NewTabs[0].ID != "t3" || f.NewTabs[0].Opener != "t1" {
		t.Errorf("a click in a hidden tab: %+v, %v", f.NewTabs, err)
	}
	top := frames(t, tab)[0]
	n := eval[int](t, top, `() => new Promise(r => { let n = 0; const end = performance.now() + 500; const f = () => { n++; performance.now() > end ? r(n) : requestAnimationFrame(f) }; f() })`)
	if n < 10 {
		t.Errorf("%d animation frames in half a second", n)
	}
	if got := eval[string](t, top, `() => [innerWidth, innerHeight, devicePixelRatio, navigator.language, document.hasFocus(), document.visibilityState].join(' ')`); got != "1280 800 1 en-US true visible" {
		t.Errorf("the page sees %s", got)
	}
	if err := pool(t).CloseTab(within(t, 5*time.Second), session, "t3"); err != nil {
		t.Fatal(err)
	}
	tabs, err := pool(t).Tabs(within(t, 5*time.Second), session)
	if err != nil || len(tabs) != 2 || tabs[1].ID != "t2" {
		t.Errorf("tabs %+v, %v", tabs, err)
	}
	if next, err := pool(t).OpenTab(within(t, 5*time.Second), session); err != nil || next.ID != "t4" {
		t.Errorf("an id was used again: %+v, %v", next, err)
	}
}
