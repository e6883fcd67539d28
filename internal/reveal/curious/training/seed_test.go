package training

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/shared"
)

// TestSeedInterrupted stops a training in its second epoch: the first is kept and marked. Continued, it
// gives the files of a training that was not interrupted, byte by byte; a damaged file is refused.
func TestSeedInterrupted(t *testing.T) {
	shared.Long(t, "a training that was stopped in its second epoch, and its student")
	t.Parallel()
	s := Seed{Options: curious.Options{Attack: curious.Overlearning, Epochs: 3, Batch: 30, Seed: 1}, Further: []curious.Outputs{curious.Soft}, Student: true, Source: glyphSource()}
	s.Source.HoldOut = true
	p, whole := must.Get2(s.Source.Open(t.Context(), nil))(t)
	dir, straight := filepath.Join(t.TempDir(), "seed-1"), t.TempDir()
	want := must.Get(s.run(t.Context(), nil, straight, p, whole, nil))(t)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := s.run(ctx, nil, dir, p, whole, func(done, total int) {
		if done == 700 { // the seventh step of 5 in an epoch
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || r == nil || !r.Unfinished || len(r.Epochs) != 1 || r.Evaluation == nil {
		t.Fatalf("interrupted: %+v, %v", r, err)
	}
	if kept, err := ReadResult(dir); err != nil || !kept.Unfinished {
		t.Fatalf("what is kept: %+v, %v", kept, err)
	}
	if again, err := s.finished(dir, p); again != nil || err != nil {
		t.Fatalf("an unfinished training passes for a finished one: %v", err)
	}
	if teacher, err := OpenTeacher(dir); err != nil || len(teacher.Notes) != 1 || !strings.Contains(teacher.Notes[0], "best of 1 epoch") {
		t.Errorf("an unfinished teacher: %+v, %v", teacher, err)
	}
	part := filepath.Join(dir, UnfinishedFolder, "classifier.state")
	good := must.Get(os.ReadFile(part))(t)
	bad := bytes.Clone(good)
	bad[len(bad)/2]++
	must.Do(t, os.WriteFile(part, bad, 0o666))
	must.Fail(t, must.Err(s.run(t.Context(), nil, dir, p, whole, nil)), "classifier.state: of other flags or another version of tattle, or damaged")
	must.Do(t, os.WriteFile(part, good, 0o666))
	first := 0
	must.Get(s.run(t.Context(), nil, dir, p, whole, func(done, total int) {
		if first == 0 {
			first = done
		}
	}))(t)
	if first != 600 || file.Exists(filepath.Dir(part)) {
		t.Errorf("goes on with step %d, and what was unfinished is there: %v", first, file.Exists(filepath.Dir(part)))
	}
	for _, name := range want.names() {
		got, want := must.Get(os.ReadFile(filepath.Join(dir, name)))(t), must.Get(os.ReadFile(filepath.Join(straight, name)))(t)
		if !bytes.Equal(got, want) {
			t.Errorf("%s is another than without the interruption", name)
		}
	}
	checkFinished(t, s, dir, p)
}

// checkFinished expects a finished training in dir, which no other settings, data or
// bytes pass for.
func checkFinished(t *testing.T, s Seed, dir string, p *dataset.Parts) {
	t.Helper()
	if r, err := s.finished(dir, p); err != nil || r == nil || len(r.Epochs) != 3 || len(r.Evaluation.Sensitive) != 1 {
		t.Fatalf("finished: %+v, %v", r, err)
	}
	other := s
	other.Options.Beta = curious.Beta{Y: .5, S: .5}
	must.Fail(t, must.Err(other.finished(dir, p))) // another beta
	less := *p
	less.Train = p.Train.Subset(make([]int, 100))
	must.Fail(t, must.Err(s.finished(dir, &less))) // other data
	must.Do(t, os.Truncate(filepath.Join(dir, "attack.onnx"), 100))
	if r, err := s.finished(dir, p); r != nil || err != nil {
		t.Errorf("a training without its attack passes for a whole one: %v", err)
	}
}
