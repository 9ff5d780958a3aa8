package cli

import (
	"errors"
	"fmt"
)

// Exit codes, the same for every command (docs/cli.md).
const (
	exitOK          = 0 // succeeded
	exitFailed      = 1 // the run, or what was asked, failed
	exitUsage       = 2 // bad usage or a bad file
	exitPerson      = 3 // a person has to decide
	exitEnvironment = 4 // browser, NATS, disk or a secret is missing
)

// An exitError ends the program with a code. Its message is one line; a
// silent one has been said already.
type exitError struct {
	code   int
	err    error
	silent bool
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func usageErr(err error) error { return &exitError{code: exitUsage, err: err} }
func envErr(err error) error   { return &exitError{code: exitEnvironment, err: err} }

func usagef(format string, args ...any) error { return usageErr(fmt.Errorf(format, args...)) }
func envf(format string, args ...any) error   { return envErr(fmt.Errorf(format, args...)) }

// silentExit ends with a code after the command has said everything itself.
func silentExit(code int) error {
	if code == exitOK {
		return nil
	}
	return &exitError{code: code, err: fmt.Errorf("exit %d", code), silent: true}
}

// codeOf maps an error to its exit code; errors without one are failures.
func codeOf(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	}
	return exitFailed
}
