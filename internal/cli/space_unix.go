//go:build unix

package cli

import "syscall"

// freeSpace returns the bytes that an ordinary user may still write at dir.
func freeSpace(dir string) (int64, bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
