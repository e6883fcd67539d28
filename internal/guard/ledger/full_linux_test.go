package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"tattle/internal/must"
)

// TestCreatedAfterFullDisk: a ledger that could not be created for want of room can be, once there
// is room. The disk has no room at all, for the key alone, and for part of the database.
func TestCreatedAfterFullDisk(t *testing.T) {
	for _, size := range []string{"8k", "16k", "24k", "32k", "48k", "64k"} {
		disk := t.TempDir()
		if err := syscall.Mount("none", disk, "tmpfs", 0, "size="+size); err != nil {
			t.Skipf("no small disk can be mounted: %v", err)
		}
		t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
		dir := filepath.Join(disk, "ledger")
		o := Options{Budget: Budget{Releases: 1}}
		l, err := Open(dir, o)
		if err == nil { // there is room for it
			must.Do(t, l.Close())
			continue
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v", size, err)
		}
		if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
			t.Errorf("%s: left behind: %v, %v", size, left, err)
		}
		must.Do(t, syscall.Mount("none", disk, "tmpfs", syscall.MS_REMOUNT, "size=4m"))
		l, err = Open(dir, o)
		if err != nil {
			t.Errorf("%s: with room again: %v", size, err)
			continue
		}
		mustOne(t, l, "ann", 1, []int64{1}, []int64{1})
		must.Do(t, l.Close())
	}
}
