//go:build unix

package browser

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the terminal's signals from cmd.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ownSession keeps everything from cmd that is meant for our session.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
