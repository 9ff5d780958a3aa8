package browser

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels of the package; wrapped with details, so compare with errors.Is.
var (
	// ErrNoBrowser: no Chromium on PATH and none configured. The message says
	// what to install.
	ErrNoBrowser = errors.New("no Chromium found")
	// ErrGone: the connection to the browser, or the browser itself, is gone.
	ErrGone = errors.New("the browser is gone")
	// ErrTabGone: the tab was closed, crashed away, or never existed.
	ErrTabGone = errors.New("the tab is gone")
	// ErrCrashed: the tab's renderer died; the tab answers again once it is
	// navigated.
	ErrCrashed = errors.New("the page's renderer has crashed")
	// ErrFrameGone: the frame is no longer part of the page.
	ErrFrameGone = errors.New("the frame is gone")
	// ErrNavigated: the document was replaced while it was being asked. Look again.
	ErrNavigated = errors.New("the document was replaced by a navigation")
	// ErrDialogOpen: a JavaScript dialog is open and holds the page until it
	// is answered.
	ErrDialogOpen = errors.New("a dialog is open on the page")
	// ErrNotRendered: the element (a frame's owner) has no box.
	ErrNotRendered = errors.New("not rendered")
	// ErrWrongNode: the session's browser is driven over a pipe by another process.
	ErrWrongNode = errors.New("the session's browser belongs to another process")
	// ErrClosed: the pool was closed.
	ErrClosed = errors.New("the browser pool is closed")
	// ErrOrigin: the URL is not within the session's allowed origins.
	ErrOrigin = errors.New("not an allowed origin")
	// ErrUnguarded: the program does not call GuardMain, so its browser could
	// outlive it.
	ErrUnguarded = errors.New("this program does not call browser.GuardMain first in main or TestMain")
)

// A ScriptError is an exception that a function thrown in the page's isolated
// world ended with.
type ScriptError struct {
	Text string // as the browser describes it, with the stack
}

// Error returns the first line of the exception.
func (e *ScriptError) Error() string {
	first, _, _ := strings.Cut(e.Text, "\n")
	return "script: " + first
}

// A LoadError is a navigation that did not reach its page.
type LoadError struct {
	URL    string
	Reason string // net::ERR_…
}

// Error says which URL failed, and why.
func (e *LoadError) Error() string { return fmt.Sprintf("loading %s: %s", e.URL, e.Reason) }
