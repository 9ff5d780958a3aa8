package browser_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/quartet-agents/quartet/internal/browser"
)

// click sends a real click to the centre of the element.
func click(t *testing.T, tab *browser.Tab, selector string) {
	t.Helper()
	top := frames(t, tab)[0]
	at := eval[[2]float64](t, top, `(s) => { const r = document.querySelector(s).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] }`, selector)
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		_, err := cdp.Call(within(t, 3*time.Second), tab.Session(), input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: kind, X: at[0], Y: at[1], Button: input.MouseButtonLeft, ClickCount: 1,
		})
		if err != nil {
			t.Logf("click: %v", err)
		}
	}
}

func TestPolicyKeepsToOrigins(t *testing.T) {
	evil := serve(t, map[string]string{"/evil": `<title>evil</title>`})
	target := evil.Other() + "/evil"
	s := serve(t, map[string]string{
		"/link":     `<title>home</title><a id=go href="` + target + `">x</a>`,
		"/blank":    `<title>home</title><a id=go target=_blank href="` + target + `">x</a>`,
		"/noopener": `<title>home</title><a id=go target=_blank rel=noopener href="` + target + `">x</a>`,
		"/open":     `<title>home</title><button id=go onclick="window.open('` + target + `')">x</button>`,
		"/late":     `<title>home</title><button id=go onclick="const w = window.open('about:blank'); w.location = '` + target + `'">x</button>`,
		"/hop":      `<title>home</title><a id=go href="/redirect">x</a>`,
		"/pophop":   `<title>home</title><a id=go target=_blank href="/redirect">x</a>`,
		"/meta":     `<title>home</title><button id=go>x</button><meta http-equiv=refresh content="0;url=` + target + `">`,
		"/iframe":   `<title>home</title><button id=go onclick="const f = document.createElement('iframe'); f.src = '` + target + `'; document.body.append(f)">x</button>`,
		"/framehop": `<title>home</title><button id=go onclick="const f = document.createElement('iframe'); f.src = '/redirect'; document.body.append(f)">x</button>`,
		"/post":     `<title>home</title><form method=post action="` + target + `"><input name=a value=1><button id=go>x</button></form>`,
		"/script":   `<title>home</title><button id=go onclick="location.href = '` + target + `'">x</button>`,
		"/object":   `<title>home</title><button id=go onclick="const f = document.createElement('object'); f.data = '` + target + `'; f.type='text/html'; document.body.append(f)">x</button>`,
		"/nest":     `<title>home</title><button id=go onclick="const f = document.createElement('iframe'); f.src = '/frame'; document.body.append(f)">x</button>`,
		"/frame":    `<iframe src="` + target + `"></iframe>`,
		"/popframe": `<title>home</title><a id=go target=_blank href="/frame">x</a>`,
	})
	s.mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) })
	for _, path := range []string{"link", "blank", "noopener", "open", "late", "hop", "pophop", "meta", "iframe", "framehop", "post", "script", "object", "nest", "popframe"} {
		t.Run(path, func(t *testing.T) {
			session, tab := blank(t, pool(t), s.URL)
			w := tab.Watch()
			defer w.Close()
			if err := tab.Navigate(within(t, 5*time.Second), s.URL+"/"+path); err != nil {
				t.Fatal(err)
			}
			if err := tab.Settle(within(t, 5*time.Second), 50*time.Millisecond, 3*time.Second); err != nil {
				t.Fatal(err)
			}
			click(t, tab, "#go")
			popup := slices.Contains([]string{"blank", "noopener", "open", "late", "pophop", "popframe"}, path)
			if popup {
				f, err := w.Wait(within(t, 5*time.Second), func(f browser.Facts) bool { return len(f.NewTabs) == 1 })
				if err != nil {
					t.Fatalf("no new tab: %+v", f)
				}
				tabs, err := pool(t).Tabs(within(t, 5*time.Second), session)
				if err != nil || len(tabs) != 2 || tabs[1].ID != "t2" {
					t.Fatalf("tabs %v, %v", tabs, err)
				}
				session.Tab, session.Tabs = "t2", tabs
				if tab, err = pool(t).Tab(within(t, 5*time.Second), session); err != nil {
					t.Fatal(err)
				}
				if err := tab.Settle(within(t, 5*time.Second), 100*time.Millisecond, 3*time.Second); err != nil {
					t.Fatal(err)
				}
			} else {
				f, err := w.Wait(within(t, 5*time.Second), func(f browser.Facts) bool {
					return slices.ContainsFunc(f.Blocked, func(b browser.Blocked) bool { return b.URL == target })
				})
				if err != nil {
					t.Fatalf("not recorded as blocked: %+v", f)
				}
			}
			if err := tab.Settle(within(t, 5*time.Second), 50*time.Millisecond, 3*time.Second); err != nil {
				t.Fatal(err)
			}
			for _, f := range frames(t, tab) {
				if strings.HasPrefix(f.URL, evil.Other()) && f.Note != browser.NoteRefused {
					t.Errorf("a frame shows %s", f.URL)
				}
			}
			if !popup && path != "meta" {
				if got := eval[string](t, frames(t, tab)[0], `() => document.title`); got != "home" {
					t.Errorf("the page did not stay: %q", got)
				}
			}
			if hits := evil.Hits(); len(hits) > 0 {
				t.Fatalf("the other origin was reached: %v", hits)
			}
		})
	}
}

func TestPolicyAnyOrigin(t *testing.T) {
	any := []string{"*"}
	for raw, want := range map[string]bool{"http://a.example/x": true, "https://b.example:8443/": true, "file:///etc/passwd": false, "chrome://version": false, "data:text/html,x": false} {
		if got := browser.Allowed(raw, any); got != want {
			t.Errorf("%s is allowed: %v, want %v", raw, got, want)
		}
	}
	if err := browser.CheckOrigins([]string{"http://a.example", "not an origin"}); err == nil {
		t.Error("nonsense is taken for an origin")
	}
}

func TestPolicyRefusesSchemes(t *testing.T) {
	s := serve(t, map[string]string{"/": `<title>home</title><a id=go href="file:///etc/passwd">x</a>`})
	_, tab := page(t, s.URL+"/", s.URL)
	for _, u := range []string{"file:///etc/passwd", "chrome://version", "data:text/html,x", "javascript:alert(1)", "view-source:" + s.URL, s.Other(), "http://127.0.0.1:1/"} {
		if err := tab.Navigate(within(t, 5*time.Second), u); !errors.Is(err, browser.ErrOrigin) {
			t.Errorf("%s: %v", u, err)
		}
	}
	click(t, tab, "#go")
	if got := eval[string](t, frames(t, tab)[0], `() => location.href`); got != s.URL+"/" {
		t.Errorf("the page is now %s", got)
	}
	var load *browser.LoadError
	if err := tab.Navigate(within(t, 5*time.Second), "about:blank"); err != nil {
		t.Errorf("about:blank: %v", err)
	}
	_, other := blank(t, pool(t), "http://127.0.0.1:1")
	if err := other.Navigate(within(t, 5*time.Second), "http://127.0.0.1:1/"); !errors.As(err, &load) {
		t.Errorf("a port where nobody is: %v", err)
	}
}

func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		url  string
		want bool
	}{
		{"http://a.example/x", true}, {"http://A.example:80/", true}, {"https://a.example/", false},
		{"http://a.example.evil.test/", false}, {"http://a.example@evil.test/", false}, {"http://user@a.example/", true},
		{"http://a.example:8080/", false}, {"about:blank", true}, {"blob:http://a.example/1", true},
		{"blob:http://evil.test/1", false}, {"about:blank.evil", false}, {"ftp://a.example/", false}, {"", true},
	} {
		if got := browser.Allowed(c.url, []string{"http://a.example"}); got != c.want {
			t.Errorf("%q: %v", c.url, got)
		}
	}
}
