package cli

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tattle/curious/training"
	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/run"
)

// scattered has every shard computed by a worker of its own: in any order, in a copy of the
// run's folder as it is then.
type scattered struct {
	t    *testing.T
	dir  string // of the run
	args []string
	most int // shards before it is interrupted without a message; 0: no limit
}

// Run implements run.Pool.
func (s scattered) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	f, unlock, err := w.Open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	left := f.Remaining()
	rand.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	for k, i := range left {
		if s.most > 0 && k == s.most {
			return nil, context.Canceled
		}
		scratch := filepath.Join(s.t.TempDir(), "run")
		must.Do(s.t, run.Copy(ctx, s.dir, scratch))
		args := append(slices.Clone(s.args), "--out", scratch, "--resume")
		k := must.Get(parse(args, io.Discard, io.Discard))(s.t)
		e := newEnv(ctx, k, args, io.Discard, io.Discard)
		o := &oneShard{i: i, of: w.Dir, stop: func() { e.stop(errFollowed) }}
		o.at = func(dir string) string { return filepath.Join(s.dir, must.Get(filepath.Rel(scratch, dir))(s.t)) }
		e.pool = o
		if err := runParsed(k, e); context.Cause(e.ctx) != errFollowed {
			s.t.Fatalf("a worker ends with %v", err)
		}
		if exists(filepath.Join(scratch, reportJSON)) {
			s.t.Error("a worker reports")
		}
		if err := f.Commit(i, o.write); err != nil {
			return nil, err
		}
		if s.most == 0 {
			w.ReportProgress(f)
		}
	}
	return f, nil
}

// oneShard is the pool of a worker that computes one shard.
type oneShard struct {
	bytes.Buffer
	i    int
	of   string                  // the leader's folder of the stage
	at   func(dir string) string // the leader's folder, of one of the worker's
	stop func()
}

func (o *oneShard) write(w io.Writer) error {
	_, err := w.Write(o.Bytes())
	return err
}

// Run implements run.Pool.
func (o *oneShard) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	if dir := o.at(w.Dir); dir != o.of { // an earlier stage
		f, err := run.Join(dir, w.Manifest)
		if err != nil {
			return nil, err
		}
		return f, f.Whole(ctx)
	}
	if err := w.Manifest.Check(o.of); err != nil {
		return nil, err
	}
	if err := w.Do(ctx, o.i, o); err != nil {
		return nil, err
	}
	o.stop()
	return nil, context.Canceled
}

// spread runs a command line whose shards are scattered.
func spread(t *testing.T, out string, most int, args ...string) error {
	t.Helper()
	var said bytes.Buffer
	whole := append(slices.Clone(args), "--out", out)
	k := must.Get(parse(whole, &said, &said))(t)
	e := newEnv(t.Context(), k, whole, &said, &said)
	e.pool = scattered{t, out, args, most}
	return runParsed(k, e)
}

// TestSeedsAnywhere trains two seeds at once in this process, and each in a command of
// its own: models, outputs and reports are the same.
func TestSeedsAnywhere(t *testing.T) {
	shared.Long(t, "seeds trained by other commands come to the same bytes")
	t.Parallel()
	args := []string{"train", "glyphs", "--sensitive", "family: italic; *", "--curious", "regularized", "--examples", "120", "--epochs", "2", "--seeds", "2"}
	dir := t.TempDir()
	here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
	reported(t, here, args...)
	must.Do(t, spread(t, there, 0, args...))
	for _, name := range []string{"seed-1/" + training.ResultFile, "seed-1/" + training.SourceFile, "seed-1/" + modelFile, "seed-1/attack.onnx", "seed-2/" + training.ResultFile, "seed-2/" + modelFile, arraysFile} {
		a, err := os.ReadFile(filepath.Join(here, name))
		b, err2 := os.ReadFile(filepath.Join(there, name))
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v, %v", name, err, err2)
		}
	}
	if exists(filepath.Join(there, shardsDir)) {
		t.Error("the shards stay")
	}
}
