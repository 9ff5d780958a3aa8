package cli

import "syscall"

// mountSmall mounts a disk of 1 MB at dir.
func mountSmall(dir string) (unmount func(), err error) {
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		return nil, err
	}
	return func() { _ = syscall.Unmount(dir, 0) }, nil
}
