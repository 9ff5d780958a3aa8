package browser_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/internal/browser"
)

// left lists processes that mention dir, and what is in it.
func left(dir string) (pids []int, files []string) {
	procs, _ := os.ReadDir("/proc")
	for _, p := range procs {
		pid, err := strconv.Atoi(p.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		cmdline, _ := os.ReadFile("/proc/" + p.Name() + "/cmdline")
		group, err := syscall.Getpgid(pid)
		if len(cmdline) == 0 || err != nil {
			continue // a zombie, or gone
		}
		named := bytes.Contains(cmdline, []byte(dir))
		if named && group == pid {
			groupsOf.Store(pid, dir) // its children need not name the directory
		}
		if of, _ := groupsOf.Load(group); named || of == dir {
			pids = append(pids, pid)
		}
	}
	files, _ = filepath.Glob(filepath.Join(dir, "*"))
	return pids, files
}

// groupsOf are the process groups whose leaders named a directory.
var groupsOf sync.Map // int → string

func nothingLeft(t *testing.T, dir string, d time.Duration) {
	t.Helper()
	began := time.Now()
	for {
		pids, files := left(dir)
		if len(pids) == 0 && len(files) == 0 {
			t.Logf("nothing left after %v", time.Since(began).Round(time.Millisecond))
			return
		}
		if time.Since(began) > d {
			t.Fatalf("left after %v: processes %v, files %v", d, pids, files)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// systemTemp is a system's temporary directory for this test alone, with a short
// name: Chromium puts a socket there, whose path must not be long.
func systemTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "qt-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return dir
}

func TestCloseLeavesNothing(t *testing.T) {
	dir, system := t.TempDir(), systemTemp(t)
	began := time.Now()
	p, err := browser.NewPool(browser.WithProfileDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.OpenSession(within(t, 30*time.Second), "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("first tab after %v", time.Since(began).Round(time.Millisecond))
	if pids, files := left(dir); len(pids) < 3 || len(files) != 1 {
		t.Fatalf("the oracle sees no browser: %v %v", pids, files)
	}
	began = time.Now()
	if err := p.Close(within(t, 10*time.Second)); err != nil {
		t.Error(err)
	}
	t.Logf("closed in %v", time.Since(began).Round(time.Millisecond))
	if pids, files := left(dir); len(pids) > 0 || len(files) > 0 {
		t.Errorf("left: %v %v", pids, files)
	}
	nothingLeft(t, system, 0)
	if _, err := p.Tab(within(t, time.Second), s); !errors.Is(err, browser.ErrClosed) {
		t.Errorf("tab of a closed pool: %v", err)
	}
}

func TestFailuresLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho 'cannot open display' >&2\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := browser.NewPool(browser.WithProfileDir(dir), browser.WithExecutable(script))
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.OpenSession(within(t, 30*time.Second), "a", nil)
	if err == nil || !strings.Contains(err.Error(), "cannot open display") {
		t.Errorf("the browser's last words are missing: %v", err)
	}
	nothingLeft(t, dir, 3*time.Second)

	p, err = browser.NewPool(browser.WithProfileDir(dir), browser.WithExecutable("/nowhere/chromium"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = p.OpenSession(within(t, 5*time.Second), "a", nil); !errors.Is(err, browser.ErrNoBrowser) {
		t.Errorf("a missing browser: %v", err)
	}
	nothingLeft(t, dir, 3*time.Second)

	t.Setenv("PATH", "/nowhere")
	if _, err := browser.FindExecutable(true); !errors.Is(err, browser.ErrNoBrowser) || !strings.Contains(err.Error(), "apt-get install chromium") {
		t.Errorf("no browser on PATH: %v", err)
	}
}

func TestBrowserDies(t *testing.T) {
	dir := t.TempDir()
	p, err := browser.NewPool(browser.WithProfileDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.OpenSession(within(t, 30*time.Second), "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := p.Tab(within(t, 5*time.Second), s)
	if err != nil {
		t.Fatal(err)
	}
	top := frames(t, tab)[0]
	time.AfterFunc(200*time.Millisecond, func() {
		pids, _ := left(dir)
		for _, pid := range pids {
			if cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); !bytes.Contains(cmdline, []byte("quartet.guard")) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
	err = top.Call(within(t, 5*time.Second), nil, `() => new Promise(() => {})`)
	if !errors.Is(err, browser.ErrGone) && !errors.Is(err, browser.ErrTabGone) {
		t.Errorf("a call while the browser dies: %v", err)
	}
	// The next session gets another browser, which does not know the old one.
	next, err := p.OpenSession(within(t, 30*time.Second), "b", nil)
	if err != nil {
		t.Fatalf("a session after it: %v", err)
	}
	if tab, err := p.Tab(within(t, 5*time.Second), next); err != nil || len(frames(t, tab)) != 1 {
		t.Errorf("its tab: %v", err)
	}
	if _, err := p.Tab(within(t, 5*time.Second), s); !errors.Is(err, browser.ErrGone) {
		t.Errorf("a tab of the lost one: %v", err)
	}
	if err := p.CloseSession(within(t, 5*time.Second), s); err != nil {
		t.Errorf("closing what died: %v", err)
	}
	if err := p.Close(within(t, 5*time.Second)); err != nil {
		t.Error(err)
	}
	nothingLeft(t, dir, time.Second)
}

// orphanParent is what the test binary does as the parent that gets killed.
func orphanParent() {
	p, err := browser.NewPool(browser.WithProfileDir(os.Getenv("QUARTET_BROWSER_TEST_PARENT")))
	if err == nil {
		_, err = p.OpenSession(context.Background(), "a", nil)
	}
	fmt.Println("up", err)
	select {}
}

func TestKilledParentLeavesNothing(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			dir, system := t.TempDir(), systemTemp(t)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), "QUARTET_BROWSER_TEST_PARENT="+dir)
			// A group of its own, as a terminal would make: the signal goes to all in it.
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(out).ReadString('\n')
			if line != "up <nil>\n" {
				t.Fatalf("the parent says %q", line)
			}
			if pids, files := left(dir); len(pids) < 3 || len(files) != 1 {
				t.Fatalf("the oracle sees no browser: %v %v", pids, files)
			}
			if err := syscall.Kill(-cmd.Process.Pid, sig); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			nothingLeft(t, dir, 5*time.Second)
			nothingLeft(t, system, time.Second)
		})
	}
}
