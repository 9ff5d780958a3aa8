package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
)

// profilePrefix begins the name of every directory that an own browser uses.
const profilePrefix = "quartet-browser-"

// tempName is, in a browser's directory, the one for its temporary files.
const tempName = "t"

// maxSocketDir is how long a folder for Chromium's temporary files may be: it
// puts org.chromium.Chromium.XXXXXX/SingletonSocket into it, and the path of a
// socket may have 103 bytes.
const maxSocketDir = 58

// FindExecutable returns the path of a Chromium on PATH, or an error that wraps
// ErrNoBrowser and says what to install. Where no window is wanted, a headless
// shell comes first: it is the same engine without a browser's window around it,
// and starts in half the time.
func FindExecutable(headless bool) (string, error) {
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}
	if headless {
		names = append([]string{"chromium-headless-shell", "headless-shell", "chrome-headless-shell", "headless_shell"}, names...)
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return unwrap(path), nil
		}
	}
	return "", fmt.Errorf("%w: looked for %s on PATH; install one (Debian, Ubuntu: `apt-get install chromium`), or name its program",
		ErrNoBrowser, strings.Join(names, ", "))
}

// unwrap returns the program that a distribution's launcher script starts (on
// Debian /usr/lib/chromium/chromium for /usr/bin/chromium), path itself when it
// is none. The script sets flags for desktops and takes its time; see
// docs/decisions. An executable that somebody named is never unwrapped.
func unwrap(path string) string {
	head := make([]byte, 2)
	f, err := os.Open(path)
	if err != nil {
		return path
	}
	defer f.Close()
	if _, err := io.ReadFull(f, head); err != nil || string(head) != "#!" {
		return path
	}
	name, lib := filepath.Base(path), filepath.Join(filepath.Dir(filepath.Dir(path)), "lib")
	for _, dir := range []string{name, "chromium"} {
		if program, err := exec.LookPath(filepath.Join(lib, dir, name)); err == nil {
			return program
		}
	}
	return path
}

// commandLine returns the arguments of an own browser.
func (o *options) commandLine(profile string, root bool) []string {
	args := []string{
		"--remote-debugging-pipe",
		"--user-data-dir=" + profile,
		"--no-first-run",
		"--no-default-browser-check",
		// a closed network: nothing leaves the browser unasked
		"--disable-quic",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		"--disable-default-apps",
		"--disable-extensions",
		"--disable-client-side-phishing-detection",
		"--disable-domain-reliability",
		"--safebrowsing-disable-auto-update",
		"--no-pings",
		"--no-service-autorun",
		"--metrics-recording-only",
		"--disable-breakpad",
		"--disable-crash-reporter",
		// work in a page that nobody looks at
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding",
		// one document, one life: a document does not come back from a cache,
		// nor is one loaded before it is asked for (and judged)
		"--disable-back-forward-cache",
		"--disable-features=Translate,Prerender2,PrerenderFallback,LCPPPrefetchSubresource,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,CalculateNativeWinOcclusion,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,WebUIOmniboxPopup,WebUIOmniboxAimPopup,OmniboxAimPopup,PreloadTopChromeWebUI,PreloadTopChromeWebUILessNavigations,InitialWebUI,WebUIReloadButton",
		// a page that hangs holds up no frame of another site: the default, but not
		// in a headless shell
		"--site-per-process",
		// one process less to wait for at the start
		"--enable-features=NetworkServiceInProcess2",
		"--no-startup-window",
		"--disable-dev-shm-usage",
		"--force-color-profile=srgb",
		"--force-device-scale-factor=1",
		"--hide-scrollbars",
		"--mute-audio",
		"--password-store=basic",
		"--use-mock-keychain",
		"--lang=" + o.lang,
		"--accept-lang=" + o.lang,
		fmt.Sprintf("--window-size=%d,%d", o.width, o.height),
	}
	if o.headless {
		args = append(args, "--headless=new")
	}
	if root {
		args = append(args, "--no-sandbox") // Chromium refuses root otherwise
	}
	return append(args, o.flags...)
}

// A process is a browser that this process started.
type process struct {
	cmd   *exec.Cmd
	root  string // its temporary directory: profile, downloads
	guard *guard
	tr    chromedp.Transport
	out   *tail

	exited chan struct{} // closed when the browser's main process was reaped
}

// launch starts a browser and its guard, and returns with the pipe open. The
// browser may still fail to start; see firstAnswer.
func launch(o *options) (_ *process, err error) {
	path := o.executable
	if path == "" {
		if path, err = FindExecutable(o.headless); err != nil {
			return nil, err
		}
	} else if path, err = exec.LookPath(path); err != nil {
		return nil, fmt.Errorf("%w: %w; install one (Debian, Ubuntu: `apt-get install chromium`), or name another program", ErrNoBrowser, err)
	}
	root, err := os.MkdirTemp(o.tempDir, profilePrefix)
	if err == nil {
		root, err = filepath.Abs(root) // the guard works elsewhere
	}
	if err != nil {
		return nil, fmt.Errorf("browser profile: %w", err)
	}
	p := &process{root: root, out: &tail{max: 16 << 10}, exited: make(chan struct{})}
	defer func() {
		if err != nil {
			_ = removeAll(root)
		}
	}()
	// The guard first: from here on nothing is left if this process dies.
	if p.guard, err = startGuard(root); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.guard.release()
		}
	}()
	profile := filepath.Join(root, "profile")
	if err = os.Mkdir(profile, 0o700); err != nil {
		return nil, fmt.Errorf("browser profile: %w", err)
	}
	temp, err := makeTemp(root)
	if err != nil {
		return nil, fmt.Errorf("browser's temporary directory: %w", err)
	}

	childR, parentW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("browser pipe: %w", err)
	}
	parentR, childW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("browser pipe: %w", err), childR.Close(), parentW.Close())
	}
	cmd := exec.Command(path, o.commandLine(profile, os.Geteuid() == 0)...)
	cmd.ExtraFiles = []*os.File{childR, childW} // its descriptors 3 and 4
	cmd.Stdout, cmd.Stderr = p.out, p.out
	cmd.Env = append(os.Environ(), "LANGUAGE="+strings.ReplaceAll(o.lang, "-", "_"))
	cmd.Env = append(cmd.Env, "TMPDIR="+temp)
	cmd.WaitDelay = time.Second // a leftover child may hold the output open
	ownGroup(cmd)               // Ctrl-C is for us; we close the browser
	err = cmd.Start()
	_ = childR.Close()
	_ = childW.Close()
	if err != nil {
		_ = parentR.Close()
		_ = parentW.Close()
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	p.cmd = cmd
	p.tr = chromedp.NewPipeConn(parentR, parentW)
	go func() {
		_ = cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// firstAnswer waits until the browser has done the first steps and the guard
// stands.
func (p *process) firstAnswer(ctx context.Context, c *conn, steps []step) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := c.root.all(ctx, steps); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("the browser did not answer: %w", err)
		}
		select {
		case <-p.exited: // so that its last words are complete
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
		}
		return fmt.Errorf("%s did not start: %w\n%s", p.cmd.Path, err, p.out)
	}
	return p.guard.ready(ctx)
}

// stop kills the browser, whatever its state, and removes what it left: its
// profile is thrown away, so there is nothing that it should save first. It is
// bounded by about 5 s.
func (p *process) stop() error {
	killWithGroup(p.cmd.Process.Pid)
	_ = p.tr.Close()
	killUsing(p.root)
	select {
	case <-p.exited:
	case <-time.After(2 * time.Second):
	}
	err := removeAll(p.root)
	p.guard.release()
	return err
}

// makeTemp makes the directory for Chromium's temporary files: root/t, or, where
// that is too long for the path of a socket, a short one that root/t links to.
func makeTemp(root string) (string, error) {
	at := filepath.Join(root, tempName)
	if len(at) <= maxSocketDir {
		return at, os.Mkdir(at, 0o700)
	}
	short, err := filepath.Abs(filepath.Join(os.TempDir(), filepath.Base(root)))
	if err != nil || len(short) > maxSocketDir {
		short = filepath.Join("/tmp", filepath.Base(root))
	}
	// The link first: a guard finds by it what has to go.
	if err := os.Symlink(short, at); err != nil {
		return "", err
	}
	return short, os.Mkdir(short, 0o700)
}

// removeAll removes the root of a browser, also while a dying process still
// writes into it, and what makeTemp put elsewhere.
func removeAll(root string) error {
	if short, err := os.Readlink(filepath.Join(root, tempName)); err == nil && strings.HasPrefix(filepath.Base(short), profilePrefix) {
		if err := removeTree(short); err != nil {
			return err
		}
	}
	return removeTree(root)
}

func removeTree(dir string) error {
	var err error
	for range 20 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		<-time.After(25 * time.Millisecond)
	}
	return fmt.Errorf("removing the browser's directory: %w", err)
}

// killUsing kills every process of a browser whose directories lie in root,
// until none is left (at most 2 s): a child can fork while its parent dies.
func killUsing(root string) {
	deadline := time.Now().Add(2 * time.Second)
	for quiet := 0; quiet < 2 && time.Now().Before(deadline); {
		pids := processesUsing(root)
		for _, pid := range pids {
			killWithGroup(pid)
		}
		if len(pids) == 0 {
			quiet++
		} else {
			quiet = 0
		}
		<-time.After(5 * time.Millisecond)
	}
}

// processesUsing lists the processes with a flag (--…) that names root: the
// browser's main process, and of a whole browser its children as well.
func processesUsing(root string) []int {
	var pids []int
	for pid, args := range commandLines() {
		if pid == os.Getpid() {
			continue
		}
		for _, arg := range args {
			if strings.HasPrefix(arg, "--") && strings.Contains(arg, root) {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids
}

// commandLines returns the arguments of every process that can be seen, from
// /proc where there is one, else from ps.
func commandLines() map[int][]string {
	all := map[int][]string{}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil && len(entries) > 0 {
		entries, _ = os.ReadDir("/proc")
		for _, e := range entries {
			pid, err := strconv.Atoi(e.Name())
			if err != nil {
				continue
			}
			if raw, err := os.ReadFile("/proc/" + e.Name() + "/cmdline"); err == nil && len(raw) > 0 {
				// A renderer's command line has blanks instead of NULs.
				all[pid] = strings.FieldsFunc(string(raw), func(r rune) bool { return r == 0 || r == ' ' })
			}
		}
		return all
	}
	out, err := exec.Command("ps", "-axo", "pid=,args=").Output()
	if err != nil {
		return all
	}
	for line := range bytes.Lines(out) {
		f := strings.Fields(string(line))
		if len(f) > 1 {
			if pid, err := strconv.Atoi(f[0]); err == nil {
				all[pid] = f[1:]
			}
		}
	}
	return all
}

// tail keeps the first max bytes that the browser prints.
type tail struct {
	mu  sync.Mutex
	buf []byte
	max int
}

var _ io.Writer = (*tail)(nil)

// Write never fails, so that the browser never blocks on its output.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := t.max - len(t.buf); room > 0 {
		t.buf = append(t.buf, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
