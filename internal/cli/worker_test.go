package cli

import (
	"io"
	"path/filepath"
	"testing"

	"tattle/internal/must"
	"tattle/internal/run"
)

// A worker carries out commands with shards only, into folders of its choice.
func TestWorkerRefuses(t *testing.T) {
	dir := t.TempDir()
	bound := []string{"bound", "--model", "net.onnx", "--data", "glyphs"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"serve", "--model", "net.onnx"}, "unknown flag --out"},
		{[]string{"verify", dir}, "unknown flag --out"},
		{[]string{"demo"}, ""},
		{append(bound, "--data"), "--data"},
		{append(bound, "--", "x"), "unexpected argument"},
	} {
		w := &worker{workerCmd: &workerCmd{Dir: dir}, begun: run.Record{Args: c.args}}
		_, _, err := w.parse(filepath.Join(dir, "out"), io.Discard, io.Discard)
		must.Fail(t, err, c.want, "the run's command line")
	}
}
