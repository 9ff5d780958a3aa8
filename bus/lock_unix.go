//go:build unix

package bus

import (
	"os"
	"path/filepath"
	"syscall"
)

// lockDir makes sure that no second process opens the same store: JetStream
// itself does not look, and two servers in one folder destroy it.
func lockDir(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "quartet.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, Errorf(GiveUp, CodeStore, "cannot write into the store folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, Errorf(GiveUp, CodeStoreBusy, "another quartet process uses the store in %s; wait for it, or give this one its own folder", dir)
	}
	return func() { f.Close() }, nil
}
