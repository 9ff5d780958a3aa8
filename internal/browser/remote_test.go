package browser_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/internal/browser"
)

// debuggingPort starts a Chromium with a debugging port, as in a container of
// its own, and returns the port's address.
func debuggingPort(t *testing.T) string {
	t.Helper()
	path, err := browser.FindExecutable(true)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{
		"--remote-debugging-port=0", "--user-data-dir=" + dir, "--headless=new", "--no-first-run", "--disable-quic",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-startup-window",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.Command(path, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		for range 100 {
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	for range 1000 {
		if raw, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort")); err == nil && strings.Contains(string(raw), "\n") {
			port, _, _ := strings.Cut(string(raw), "\n")
			return "http://localhost:" + port
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no debugging port")
	return ""
}

func TestTwoPoolsOnePage(t *testing.T) {
	endpoint := debuggingPort(t)
	s := serve(t, map[string]string{
		"/":     `<title>page</title><p id=p>x<iframe name=other src="{OTHER}/leaf"></iframe><a id=dl href="/file">file</a> <a id=go target=_blank href="/leaf">new</a>`,
		"/leaf": `<p>leaf`,
	})
	s.mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="a.csv"`)
		_, _ = w.Write([]byte("a,b"))
	})
	script := browser.WithScript("test", `globalThis.__test = globalThis.__test || { n: 0 }; globalThis.__test.n++`)
	files := t.TempDir()
	actor, err := browser.NewPool(browser.WithEndpoint(endpoint), script, browser.WithDownloadDir(files, files))
	if err != nil {
		t.Fatal(err)
	}
	session, err := actor.OpenSession(within(t, 30*time.Second), "run-1", []string{s.URL, s.Other()})
	if err != nil {
		t.Fatal(err)
	}
	tab, err := actor.Tab(within(t, 5*time.Second), session)
	if err != nil {
		t.Fatal(err)
	}
	if err := tab.Navigate(within(t, 5*time.Second), s.URL+"/"); err != nil {
		t.Fatal(err)
	}
	if err := tab.Settle(within(t, 5*time.Second), 50*time.Millisecond, 3*time.Second); err != nil {
		t.Fatal(err)
	}

	// Another process knows the session only.
	observer, err := browser.NewPool(script, browser.WithDownloadDir(files, files))
	if err != nil {
		t.Fatal(err)
	}
	seen, err := observer.Tab(within(t, 10*time.Second), session)
	if err != nil {
		t.Fatal(err)
	}
	mine, theirs := frames(t, tab), frames(t, seen)
	if len(mine) != 2 || len(theirs) != 2 {
		t.Fatalf("%d and %d frames", len(mine), len(theirs))
	}
	for i := range mine {
		if mine[i].OwnerNode != theirs[i].OwnerNode || mine[i].ID != theirs[i].ID {
			t.Errorf("frame %d: %+v and %+v", i, mine[i], theirs[i])
		}
		eval[any](t, mine[i], `(v) => { globalThis.registry = new Map([[document.body, v]]) }`, fmt.Sprint("ref", i))
		if got := eval[string](t, theirs[i], `() => globalThis.registry.get(document.body)`); got != fmt.Sprint("ref", i) {
			t.Errorf("frame %d: the worlds differ: %q", i, got)
		}
		if got := eval[int](t, theirs[i], `() => globalThis.__test.n`); got < 1 {
			t.Errorf("frame %d: no script", i)
		}
	}

	// A tab that the page opens has the same id for both.
	click(t, tab, "#go")
	for name, p := range map[string]*browser.Pool{"actor": actor, "observer": observer} {
		ctx := within(t, 5*time.Second)
		for {
			tabs, err := p.Tabs(ctx, session)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(tabs) == 2 && tabs[1].URL == s.URL+"/leaf" {
				if tabs[1].ID != "t2" || tabs[0].ID != "t1" || tabs[1].Opener != "" && tabs[1].Opener != "t1" {
					t.Errorf("%s: %+v", name, tabs)
				}
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	eval[any](t, frames(t, seen)[0], `() => 1`)

	// A browser in another container may be another user: it can write where
	// the files go, and we can read what it wrote.
	made, err := filepath.Glob(filepath.Join(files, "*"))
	if err != nil || len(made) != 1 {
		t.Fatalf("%v, %v", made, err)
	}
	if info, err := os.Stat(made[0]); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("the session's folder: %v, %v", info.Mode(), err)
	}

	// A file arrives where the acting process finds it.
	got := tab.Watch()
	click(t, tab, "#dl")
	f, err := got.Wait(within(t, 5*time.Second), func(f browser.Facts) bool { return len(f.Downloads) > 0 && f.Downloads[0].State == "completed" })
	if err != nil {
		t.Errorf("no download: %+v", f)
	} else if data, err := f.Downloads[0].Read(); err != nil || string(data) != "a,b" || !strings.HasPrefix(f.Downloads[0].Path, files) {
		t.Errorf("download %+v: %q, %v", f.Downloads[0], data, err)
	} else if info, err := os.Stat(f.Downloads[0].Path); err != nil || info.Mode().Perm()&0o004 == 0 {
		t.Errorf("the browser's file: %v, %v", info.Mode(), err)
	}
	got.Close()

	// The session outlives the process that opened it.
	if err := actor.Close(within(t, 5*time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, frames(t, seen)[0], `() => document.title`); got != "page" {
		t.Errorf("after the opener's end: %q", got)
	}
	w := seen.Watch()
	defer w.Close()
	if err := observer.CloseSession(within(t, 10*time.Second), session); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Wait(within(t, 5*time.Second), func(f browser.Facts) bool { return f.Closed }); err != nil {
		t.Error("the tab did not close")
	}
	if err := observer.Close(within(t, 5*time.Second)); err != nil {
		t.Error(err)
	}
}

func TestEndpointErrors(t *testing.T) {
	s := serve(t, map[string]string{"/json/version": `{}`})
	for _, address := range []string{"http://127.0.0.1:1", s.URL, "http://no-such-host.invalid:9222", "ws://127.0.0.1:1/devtools/browser/x"} {
		p, err := browser.NewPool(browser.WithEndpoint(address))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := p.Start(within(t, 15*time.Second)); err == nil || !strings.Contains(err.Error(), address) {
			t.Errorf("%s: %v", address, err)
		}
		if d := time.Since(began); d > 12*time.Second {
			t.Errorf("%s took %v", address, d)
		}
	}
	for _, address := range []string{"localhost:9222", "ftp://x", "http://"} {
		if _, err := browser.NewPool(browser.WithEndpoint(address)); err == nil {
			t.Errorf("%s was taken", address)
		}
	}
}
