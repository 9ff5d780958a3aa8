package topology_test

import "syscall"

// ownGroup makes a process the leader of a group, which dies with the tests
// even where they are killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
