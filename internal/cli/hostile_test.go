package cli

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/report"
)

// serveElsewhere is a site on an address of its own: another origin.
func serveElsewhere(t *testing.T) *site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{}
	s.Server = httptest.NewUnstartedServer(s.handler(map[string]string{"/": "<h1>Done</h1>"}, nil))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.end)
	return s
}

// TestForeignOrigin leads a run to an origin that is not allowed, by every way
// that there is: the run says so, and the origin is never asked.
func TestForeignOrigin(t *testing.T) {
	t.Parallel()
	evil := serveElsewhere(t)
	home := serve(t, map[string]string{
		"/": `<h1>Home</h1><p><a href="/redirect">Redirect</a> <a target="_blank" href="` + evil.URL + `/popup">Popup</a>
			<a href="` + evil.URL + `/link">Link</a> <a href="/framed">Framed</a>
			<button onclick="window.open('` + evil.URL + `/opened')">Opener</button>
			<button onclick="window.location = '` + evil.URL + `/script'">Script</button>
			<form action="` + evil.URL + `/form" method="post"><button>Form</button></form>`,
		"/framed": `<h1>Done</h1><iframe title="Foreign" src="` + evil.URL + `/frame"></iframe>`,
	}, map[string]http.HandlerFunc{
		"/redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, evil.URL+"/redirected", http.StatusFound)
		},
	})
	for name, test := range map[string]struct {
		step string
		code int
	}{
		"opened":     {`Open "` + evil.URL + `/"`, exitFailed},
		"redirect":   {`Click the link "Redirect"`, exitFailed},
		"link":       {`Click the link "Link"`, exitFailed},
		"popup":      {`Click the link "Popup"`, exitFailed},
		"script":     {`Click the button "Script"`, exitFailed},
		"new window": {`Click the button "Opener"`, exitFailed},
		"form":       {`Click the button "Form"`, exitFailed},
		"frame":      {`Click the link "Framed"`, exitOK}, // the page itself is allowed
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			got := p.run(t, "run", p.file(t, "flow.yaml", flow(home.URL+"/", test.step, "limits: {step_seconds: 5}\n")))
			if got.code != test.code {
				t.Errorf("want exit %d: %v", test.code, got)
			}
			said := got.out + got.err
			if len(p.runs(t)) > 0 {
				last := p.state(t).LastIntent().Last()
				for _, e := range last.Verdict.Evidence {
					said += e.Fact + "\n"
				}
				if test.code == exitFailed && last.Verdict.Outcome == bus.Right {
					t.Errorf("the step is right: %q", last.Verdict.Reasons)
				}
			}
			if !strings.Contains(said, evil.URL) || !strings.Contains(said, "allowed") {
				t.Errorf("it does not say that %s was refused: %s", evil.URL, said)
			}
		})
	}
	// Once the parallel tests below have ended.
	t.Cleanup(func() {
		if hits := evil.asked(); len(hits) > 0 {
			t.Errorf("the foreign origin was asked: %q", hits)
		}
	})
}

// TestForeignStart has a start that the workflow's own origins forbid.
func TestForeignStart(t *testing.T) {
	t.Parallel()
	evil := serveElsewhere(t)
	p := newPlace(t)
	got := p.run(t, "run", p.file(t, "flow.yaml", flow(evil.URL+"/", `Click "A"`, "allowed_origins: [\"http://127.0.0.1:9\"]\n")))
	if got.code != exitUsage && got.code != exitFailed || !strings.Contains(got.out+got.err, "allowed") {
		t.Errorf("%v", got)
	}
	if hits := evil.asked(); len(hits) > 0 {
		t.Errorf("the foreign origin was asked: %q", hits)
	}
}

// TestHostilePages has pages that alert, hang or never load: the step ends
// within its deadline with that as its evidence. They busy the processor: no
// other test runs beside them.
func TestHostilePages(t *testing.T) {
	ending := make(chan struct{})
	home := serve(t, map[string]string{
		"/": `<h1>Home</h1><button onclick="for(;;) alert('again')">Alert</button> <button onclick="for(;;);">Hang</button>
			<a href="/never">Never</a> <a href="/alerts">Alerts</a> <a href="/hangs">Hangs</a>`,
		"/alerts": `<h1>Alerts</h1><script>for(;;) alert('on load')</script>`,
		"/hangs":  `<h1>Hangs</h1><script>for(;;);</script>`,
	}, map[string]http.HandlerFunc{
		"/never": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-ending:
			}
		},
	})
	t.Cleanup(func() { close(ending) })
	const limit = 3 * time.Second
	for name, test := range map[string]struct {
		start, step string
		words       []string // one of them in the evidence
	}{
		"click alerts":     {"/", `Click the button "Alert"`, []string{"again"}},
		"click hangs":      {"/", `Click the button "Hang"`, []string{"not answer", "no answer", "busy", "hang", "unresponsive", "does not respond"}},
		"click never ends": {"/", `Click the link "Never"`, []string{"/never", "loading", "no answer"}},
		"open never ends":  {"/", `Open "/never"`, []string{"/never", "loading", "no answer"}},
		"page alerts":      {"/", `Click the link "Alerts"`, []string{"on load"}},
		"page hangs":       {"/", `Click the link "Hangs"`, []string{"not answer", "no answer", "busy", "hang", "unresponsive", "does not respond", "loading"}},
		"start alerts":     {"/alerts", `Click the link "A"`, []string{"on load"}},
		"start hangs":      {"/hangs", `Click the link "A"`, []string{"not answer", "no answer", "busy", "hang", "unresponsive", "does not respond", "loading"}},
		"start never ends": {"/never", `Click the link "A"`, []string{"/never", "loading", "no answer"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			got := p.run(t, "run", p.file(t, "flow.yaml", flow(home.URL+test.start, test.step, "limits: {step_seconds: 3, seconds: 60}\n")))
			if got.code != exitFailed {
				t.Fatalf("want exit 1: %v", got)
			}
			state, err := report.Load(p.only(t))
			if err != nil {
				t.Fatal(err)
			}
			said := got.out
			for _, i := range state.Intents {
				for _, a := range i.Attempts {
					// The verdict's look at the page has a bound of its own.
					if d := a.Closed.Sub(a.Time); d > limit+10*time.Second {
						t.Errorf("%q took %v, its limit is %v", i.Intent.Text, d, limit)
					}
					for _, e := range a.Verdict.Evidence {
						said += e.Fact + "\n"
					}
				}
			}
			found := false
			for _, w := range test.words {
				found = found || strings.Contains(said, w)
			}
			if !found {
				t.Errorf("the evidence has none of %q:\n%s", test.words, said)
			}
			t.Logf("took %v: %s", got.took.Round(100*time.Millisecond), state.Finished.Reason)
		})
	}
}
