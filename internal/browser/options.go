package browser

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
)

// An Option configures a Pool; NewPool returns the error of a bad one.
type Option func(*options) error

type options struct {
	executable string
	headless   bool
	scripts    []script
	endpoint   string // "" = a browser of our own, over a pipe
	node       string
	log        *slog.Logger
	tempDir    string
	hostDir    string // downloads, as this process sees the directory
	browserDir string // downloads, as the browser sees it
	flags      []string
	width      int64
	height     int64
	lang       string
}

// A script is source that belongs into the isolated world of every document.
type script struct{ name, source string }

func defaults() options {
	return options{headless: true, log: slog.New(slog.DiscardHandler), width: 1280, height: 800, lang: "en-US"}
}

// WithExecutable names the browser's program; default: found on PATH.
func WithExecutable(path string) Option {
	return func(o *options) error {
		if path == "" {
			return errors.New("browser executable: empty path")
		}
		o.executable = path
		return nil
	}
}

// WithHeadless shows the browser's window when false; default true.
func WithHeadless(v bool) Option {
	return func(o *options) error { o.headless = v; return nil }
}

// WithScript puts source into the isolated world "quartet" of every document,
// before the page's own scripts. It may run more than once in a document, and
// must be idempotent. Names are unique; they run in the order given.
func WithScript(name, source string) Option {
	return func(o *options) error {
		if name == "" || strings.ContainsAny(name, "\"\\\n") {
			return fmt.Errorf("world script: bad name %q", name)
		}
		for _, s := range o.scripts {
			if s.name == name {
				return fmt.Errorf("world script %q given twice", name)
			}
		}
		o.scripts = append(o.scripts, script{name, source})
		return nil
	}
}

// WithEndpoint opens sessions in a browser that runs already, by its debugging
// port: "http://host:9222", or the browser's ws:// address.
func WithEndpoint(address string) Option {
	return func(o *options) error {
		u, err := url.Parse(address)
		if err != nil {
			return fmt.Errorf("browser endpoint %q: %w", address, err)
		}
		switch u.Scheme {
		case "http", "https", "ws", "wss":
		default:
			return fmt.Errorf("browser endpoint %q: want http://host:port or ws://host:port/…", address)
		}
		if u.Host == "" {
			return fmt.Errorf("browser endpoint %q: no host", address)
		}
		o.endpoint = address
		return nil
	}
}

// WithNode names this process in the sessions of its own browser, so that
// requests for them come back to it.
func WithNode(name string) Option {
	return func(o *options) error { o.node = name; return nil }
}

// WithLogger sets where the pool logs; default nowhere.
func WithLogger(l *slog.Logger) Option {
	return func(o *options) error {
		if l == nil {
			return errors.New("browser logger: nil")
		}
		o.log = l
		return nil
	}
}

// WithProfileDir is the directory under which an own browser's temporary
// profile is made (and removed); default: the system's temporary directory.
func WithProfileDir(dir string) Option {
	return func(o *options) error { o.tempDir = dir; return nil }
}

// WithDownloadDir says where downloads go with a browser on another machine or
// in another container: one directory, as this process sees it (host) and as
// the browser sees it. Default: a temporary directory, the same for both. Give
// it to every process that shares the browser, or to none: the last one asked
// about a session sets its directory.
func WithDownloadDir(host, browser string) Option {
	return func(o *options) error {
		if host == "" || browser == "" {
			return errors.New("download directory: both paths are needed")
		}
		o.hostDir, o.browserDir = host, browser
		return nil
	}
}

// WithFlag adds a command line flag ("--proxy-server=…") to an own browser.
func WithFlag(flag string) Option {
	return func(o *options) error {
		if !strings.HasPrefix(flag, "--") {
			return fmt.Errorf("browser flag %q: must begin with --", flag)
		}
		o.flags = append(o.flags, flag)
		return nil
	}
}

// WithWindow sets the viewport of every tab in CSS pixels; default 1280x800.
func WithWindow(width, height int) Option {
	return func(o *options) error {
		if width < 100 || height < 100 || width > 8192 || height > 8192 {
			return fmt.Errorf("window %dx%d: out of range", width, height)
		}
		o.width, o.height = int64(width), int64(height)
		return nil
	}
}

// WithLanguage sets an own browser's language; default "en-US".
func WithLanguage(tag string) Option {
	return func(o *options) error {
		if tag == "" {
			return errors.New("browser language: empty")
		}
		o.lang = tag
		return nil
	}
}
