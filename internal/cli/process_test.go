package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A child is the command as a process of its own, in a group of its own as a
// terminal would make it, with a folder for temporary files of its own.
type child struct {
	cmd    *exec.Cmd
	temp   string
	lines  chan string // of its standard output; closed at its end
	output *bytes.Buffer
	errOut *bytes.Buffer
}

// children counts them, to name their folders.
var children atomic.Int64

// start starts a command. Whatever happens, it is killed at the test's end.
func (p *place) start(t testing.TB, args ...string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Short: Chromium puts a socket into it, whose path may have 107 bytes.
	temp := filepath.Join(os.TempDir(), strconv.FormatInt(children.Add(1), 10))
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(self, args...), temp: temp, lines: make(chan string, 4096), output: &bytes.Buffer{}, errOut: &bytes.Buffer{}}
	// With the race detector it would sleep for a second before it exits.
	c.cmd.Env = append(slices.Clone(p.environ), asCommand+"=1", "TMPDIR="+temp, "GORACE=atexit_sleep_ms=0")
	c.cmd.Dir = p.dir
	c.cmd.Stderr = c.errOut
	c.cmd.WaitDelay = 5 * time.Second
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
		for range c.lines { // until it has ended
		}
		_ = c.cmd.Wait()
		if err := gone(temp, 5*time.Second); err != nil {
			t.Error(err)
		}
		os.RemoveAll(temp)
	})
	go func() {
		defer close(c.lines)
		sc := bufio.NewScanner(io.TeeReader(out, c.output))
		sc.Buffer(nil, 1<<20)
		for sc.Scan() {
			c.lines <- sc.Text()
		}
	}()
	return c
}

// until waits for a line of output that matches.
func (c *child) until(t testing.TB, what string, match func(line string) bool) {
	t.Helper()
	timer := time.NewTimer(2 * time.Minute)
	defer timer.Stop()
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				_ = c.cmd.Wait()
				t.Fatalf("it ended before %s:\n%s%s", what, c.output, c.errOut)
			}
			if match(line) {
				return
			}
		case <-timer.C:
			t.Fatalf("no %s:\n%s", what, c.output)
		}
	}
}

// step waits until a step is judged, by the JSON line of a run.
func (c *child) step(t testing.TB, text string) {
	t.Helper()
	c.until(t, "verdict of "+strconv.Quote(text), func(line string) bool {
		var l struct{ Instruction, Verdict string }
		return json.Unmarshal([]byte(line), &l) == nil && l.Verdict != "" && strings.Contains(l.Instruction, text)
	})
}

// kill sends a signal and waits for the end.
func (c *child) kill(t testing.TB, sig syscall.Signal) {
	t.Helper()
	if err := c.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// end waits for the end of the command.
func (c *child) end(t testing.TB) done {
	t.Helper()
	began := time.Now()
	timer := time.AfterFunc(2*time.Minute, func() { _ = c.cmd.Process.Kill() })
	defer timer.Stop()
	for range c.lines {
	}
	_ = c.cmd.Wait()
	return done{c.cmd.ProcessState.ExitCode(), c.output.String(), c.errOut.String(), time.Since(began)}
}

// processes lists those whose arguments name a file in dir, with their
// arguments: 1/x is not in 10; and those of a group whose leader did. It reads
// /proc and knows nothing of the code under test.
func processes(dir string) map[int]string {
	out := map[int]string{}
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range all {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		args, _ := os.ReadFile(path)
		group, err := syscall.Getpgid(pid)
		if len(args) == 0 || err != nil {
			continue // a zombie, or gone
		}
		named := bytes.Contains(args, []byte(dir+"/"))
		if named && group == pid {
			groupsOf.Store(pid, dir)
		}
		if of, _ := groupsOf.Load(group); named || of == dir {
			out[pid] = strings.ReplaceAll(string(args), "\x00", " ")
		}
	}
	return out
}

// groupsOf are the process groups whose leaders named a directory.
var groupsOf sync.Map // int → string

// browsers counts the browser processes among them.
func browsers(dir string) int {
	n := 0
	for _, args := range processes(dir) {
		if strings.Contains(args, "--user-data-dir=") || strings.Contains(args, "--type=") {
			n++
		}
	}
	return n
}

// gone waits until no process names dir and dir is empty, at most d.
func gone(dir string, d time.Duration) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(d); ; <-tick.C {
		procs := processes(dir)
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(procs) == 0 && len(files) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("left after %v: processes %v, files %q", d, procs, files)
		}
	}
}

// ports lists the TCP ports on which the processes listen.
func ports(pids ...int) []string {
	inodes := map[string]bool{}
	for _, pid := range pids {
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, fd := range fds {
			if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, "socket:[") {
				inodes[strings.Trim(to, "socket:[]")] = true
			}
		}
	}
	var out []string
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) > 9 && f[3] == "0A" && inodes[f[9]] {
				out = append(out, f[1])
			}
		}
	}
	return out
}

// tree are the pids of the command and of its browser.
func (c *child) tree() []int {
	pids := []int{c.cmd.Process.Pid}
	for pid := range processes(c.temp) {
		pids = append(pids, pid)
	}
	return pids
}
