package run

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"tattle/internal/must"
)

// A disk that is full stops the run with a line that names the folder and the mend. What
// was committed stays, and the rest is done once there is room.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	const room = 1 << 20
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("no file system to fill: ", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	ballast := dir + "/ballast"
	must.Do(t, os.WriteFile(ballast, make([]byte, room/2), 0o666))
	large := func(i int) string { return strings.Repeat(text(i), 8) } // 80 KiB
	w := texts(dir+"/shards", 10)
	w.AtOnce = 2
	w.Do = func(_ context.Context, i int, to io.Writer) error { return put(large(i))(to) }
	f, err := Leader{}.Run(t.Context(), w)
	var store *StoreError
	if !errors.As(err, &store) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), w.Dir) || !strings.Contains(err.Error(), "make room") {
		t.Fatalf("error %v", err)
	}
	left := len(f.Remaining())
	if left == 0 || left > 8 {
		t.Errorf("%d left", left)
	}
	if failures, err := f.Failures(); failures != nil || err != nil {
		t.Errorf("set aside: %v, %v", failures, err)
	}
	for _, name := range names(t, w.Dir) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("left %s", name)
		}
	}
	must.Do(t, os.Remove(ballast))
	if f, err = Open(nil, w.Dir, w.Manifest); err != nil || len(f.Remaining()) != left {
		t.Fatalf("%v, %d remaining of %d", err, len(f.Remaining()), left)
	}
	f = must.Get((Leader{}).Run(t.Context(), w))(t)
	for i := range 10 {
		if got, err := os.ReadFile(f.Path(i)); err != nil || string(got) != large(i) {
			t.Errorf("shard %d: %v", i, err)
		}
	}
}

// The same of a shard that keeps files of its own where the disk is full.
func TestDoOnFullDisk(t *testing.T) {
	w := texts(t.TempDir(), 2)
	w.Do = func(context.Context, int, io.Writer) error {
		return &os.PathError{Op: "write", Path: "/tmp/model.onnx", Err: syscall.ENOSPC}
	}
	_, err := Leader{}.Run(t.Context(), w)
	var store *StoreError
	if !errors.As(err, &store) || !strings.Contains(err.Error(), "/tmp/model.onnx") {
		t.Errorf("error %v", err)
	}
}
