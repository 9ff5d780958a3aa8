//go:build unix

package topology_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A process is one that a test started; it is gone when the test ends.
type process struct {
	name string
	pid  int
	cmd  *exec.Cmd
	err  *tail
	done chan struct{} // closed when it was waited for
	code int           // then: its exit code, -1 when a signal ended it
}

// start runs a program in a process group of its own, in an empty folder, with
// the environment that a container would have. Its standard output goes to out.
func (w *world) start(t *testing.T, name string, out io.Writer, env []string, path string, args ...string) *process {
	t.Helper()
	dir := filepath.Join(w.dir, "home", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p := &process{name: name, err: &tail{max: 32 << 10}, done: make(chan struct{})}
	p.cmd = exec.Command(path, args...)
	p.cmd.Dir = dir
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + w.tmp}, env...)
	p.cmd.Stderr = p.err
	if out == nil {
		out = p.err
	}
	p.cmd.Stdout = out
	p.cmd.WaitDelay = 2 * time.Second // a grandchild may hold the output open
	p.cmd.SysProcAttr = ownGroup()
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	p.pid = p.cmd.Process.Pid
	w.all = append(w.all, p)
	go func() {
		_ = p.cmd.Wait() // the code tells
		p.code = p.cmd.ProcessState.ExitCode()
		close(p.done)
	}()
	t.Cleanup(func() {
		p.stop()
		if t.Failed() && p.err.Len() > 0 {
			t.Logf("%s (pid %d) said:\n%s", p.name, p.pid, p.err)
		}
	})
	return p
}

// stop asks the process to end, makes it end, and waits until nothing of its
// group is left. It may be called again.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // an error says that it is gone
	select {
	case <-p.done:
	case <-time.After(10 * time.Second):
	}
	p.kill()
}

// kill ends the process and its children as a crash would.
func (p *process) kill() {
	_ = syscall.Kill(-p.pid, syscall.SIGKILL) // an error says that it is gone
	<-p.done
	for range 500 {
		if errors.Is(syscall.Kill(-p.pid, 0), syscall.ESRCH) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// ended waits for the process to end by itself and returns its exit code.
func (p *process) ended(t *testing.T, within time.Duration) int {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(within):
		t.Fatalf("%s did not end within %s", p.name, within)
	}
	return p.code
}

// running says whether any process of the group is left.
func (p *process) running() bool { return !errors.Is(syscall.Kill(-p.pid, 0), syscall.ESRCH) }

// A tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
	max int
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if len(t.buf) > t.max {
		t.buf = append([]byte(nil), t.buf[len(t.buf)-t.max:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

func (t *tail) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.buf)
}

// lines is a writer that hands over what is written, line by line.
type lines struct {
	rest []byte
	each func(line []byte)
}

func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		l.each(line)
		l.rest = rest
	}
}

// eventually waits until ok, or fails with what was waited for.
func eventually(t *testing.T, what string, within time.Duration, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after %s still not: %s", within, what)
		}
	}
}

// leftovers names what is still there of the processes and of their files.
func (w *world) leftovers() []string {
	var left []string
	for _, p := range w.all {
		if p.running() {
			left = append(left, fmt.Sprintf("process %s (pid %d)", p.name, p.pid))
		}
	}
	for _, dir := range []string{w.tmp, w.downloads} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			left = append(left, err.Error())
		}
		for _, e := range entries {
			left = append(left, filepath.Join(dir, e.Name()))
		}
	}
	// A child that left its group still names its folder.
	cmds, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, c := range cmds {
		if line, err := os.ReadFile(c); err == nil && strings.Contains(string(line), w.dir) {
			left = append(left, fmt.Sprintf("%s %.120q", c, line))
		}
	}
	return left
}
