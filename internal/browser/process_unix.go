//go:build unix

package browser

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the terminal's signals from cmd.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killWithGroup kills a process, and those of its group where it leads one: a
// browser's children, which need not say whose they are.
func killWithGroup(pid int) {
	if group, err := syscall.Getpgid(pid); err == nil && group == pid {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // gone already: the better
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// ownSession keeps everything from cmd that is meant for our session.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
