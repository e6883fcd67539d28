package cli

import (
	"os"
	"path/filepath"
	"testing"

	"tattle/cluster"
	"tattle/internal/must"
)

// TestCarryOut has a worker refuse command lines that a submitter cannot have meant.
func TestCarryOut(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.onnx")
	must.Do(t, os.WriteFile(secret, []byte("not for others"), 0o600))
	bound := []string{"bound", "--model", "none.onnx", "--data", "glyphs"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"serve", dir}, "unknown flag --out"},
		{[]string{"data", "make"}, "unknown flag"},
		{[]string{"verify", dir}, "unknown flag --out"},
		{[]string{"demo"}, ""},
		{append(bound, "--data"), "--data"},
		{append(bound, "--", "x"), "unexpected argument"},
		{[]string{"bound", "--model", secret, "--data", "glyphs"}, "is none of the run's inputs"},
		{[]string{"bound", "--model", "secret.onnx", "--data", "glyphs"}, "is none of the run's inputs"},
	} {
		task := cluster.Task{Job: cluster.Job{ID: "0123456789abcdef", Args: c.args, Cwd: dir}, Root: filepath.Join(t.TempDir(), "out")}
		err := carryOut(t.Context(), task)
		must.Fail(t, err, c.want, "the run's command line")
	}
}
