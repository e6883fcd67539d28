package cli

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"tattle/internal/report"
)

// TestLinksPlantedWhileRunning: a run follows no link out of its folder, even one that is
// made after the folder was checked.
func TestLinksPlantedWhileRunning(t *testing.T) {
	dir, outside := filepath.Join(t.TempDir(), "run"), t.TempDir()
	e := &env{args: []string{"test"}, stderr: io.Discard}
	err := output{Out: dir}.compute(t.Context(), e, "test", func(string) (*report.Report, error) {
		if err := os.Symlink(outside, filepath.Join(dir, "seed-1")); err != nil {
			t.Skip(err)
		}
		return nil, e.files.WriteBytes(filepath.Join(dir, "seed-1", "model.onnx"), nil)
	})
	left, _ := os.ReadDir(outside)
	if err == nil || len(left) > 0 {
		t.Errorf("%v, outside holds %v", err, left)
	}
}
