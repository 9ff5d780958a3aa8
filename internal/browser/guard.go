package browser

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// guardFlag is the hidden first argument of a guard. It looks like a flag, so
// that a program that does not know it fails instead of doing its work twice.
const guardFlag = "-quartet.guard="

const (
	guardReady = "guarding\n"
	guardDone  = "done\n"
)

// GuardMain makes this process a guard when args (os.Args[1:]) say so, and
// then returns true when the guard's work is done: main must exit at once.
// Every program that starts a browser calls it first thing in main, and every
// test binary in TestMain:
//
//	if browser.GuardMain(os.Args[1:]) {
//		return
//	}
//
// A guard waits until its standard input closes, which happens also when the
// parent is killed; then it kills the browser and removes its directory.
func GuardMain(args []string) (handled bool) {
	if len(args) == 0 || !strings.HasPrefix(args[0], guardFlag) {
		return false
	}
	root := strings.TrimPrefix(args[0], guardFlag)
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	_, _ = os.Stdout.WriteString(guardReady)
	said, _ := io.ReadAll(io.LimitReader(os.Stdin, 64))
	if string(said) != guardDone && strings.Contains(root, profilePrefix) {
		killUsing(root)
		_ = removeAll(root)
		killUsing(root) // a child that was forked meanwhile
		_ = removeAll(root)
	}
	return true
}

// A guard is the parent's side of the guarding child.
type guard struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	up    chan bool
}

func startGuard(root string) (*guard, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("browser guard: %w", err)
	}
	cmd := exec.Command(self, guardFlag+root)
	// Built with the race detector, it would sleep for a second before it exits.
	cmd.Env = []string{"GOMAXPROCS=1", "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
	cmd.Dir = "/"
	ownSession(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("browser guard: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("browser guard: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("browser guard: %w", err)
	}
	g := &guard{cmd: cmd, stdin: stdin, up: make(chan bool, 1)}
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		g.up <- line == guardReady
	}()
	return g, nil
}

// ready waits until the guard stands.
func (g *guard) ready(ctx context.Context) error {
	select {
	case ok := <-g.up:
		if !ok {
			return ErrUnguarded
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("browser guard: %w", ctx.Err())
	}
}

// release ends the guard; what it guarded has been removed.
func (g *guard) release() {
	_, _ = io.WriteString(g.stdin, guardDone)
	_ = g.stdin.Close()
	ended := make(chan struct{})
	go func() {
		_ = g.cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(2 * time.Second):
		_ = g.cmd.Process.Kill()
		<-ended
	}
}
