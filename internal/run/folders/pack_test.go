package folders

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"tattle/internal/file"
	"tattle/internal/must"
)

// TestSweep: of what a process that was killed has left half-written, and of nothing
// else, a folder is swept.
func TestSweep(t *testing.T) {
	var s Stage
	dir, name := t.TempDir(), "model.onnx"
	write := func(w io.Writer) error { _, err := io.WriteString(w, "half"); return err }
	half, err := (*file.Dir)(nil).Hide(dir, name, write)
	must.Do(t, errors.Join(err, file.Write(filepath.Join(dir, name), write), os.WriteFile(filepath.Join(dir, ".notes.tmp"), nil, 0o666)))
	must.Do(t, errors.Join(s.sweep(dir), s.sweep(filepath.Join(dir, "none"))))
	if file.Exists(half) || !file.Exists(filepath.Join(dir, name)) || !file.Exists(filepath.Join(dir, ".notes.tmp")) {
		t.Errorf("%s stays, or other files do not", half)
	}
}
