package training

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/shared"
)

// TestSeedInterrupted stops a training in its second epoch: the first is kept and
// marked, and done again the next time.
func TestSeedInterrupted(t *testing.T) {
	shared.Long(t, "a training that was stopped in its second epoch")
	t.Parallel()
	p, dir := seedParts(t), filepath.Join(t.TempDir(), "seed-1")
	s := Seed{Options: curious.Options{Attack: curious.Parameterized, Epochs: 3, Seed: 1}}
	s.Source = glyphSource()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := s.run(ctx, nil, dir, p, p, func(done, total int) {
		if 3*done > total {
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
	r.Epochs = append(r.Epochs, r.Epochs[0]) // as if it had come further
	must.Do(t, r.write(nil, dir))
	ctx, cancel = context.WithCancel(t.Context())
	again, err := s.run(ctx, nil, dir, p, p, func(done, total int) {
		if 3*done > total {
			cancel()
		}
	})
	if kept, readErr := ReadResult(dir); !errors.Is(err, context.Canceled) || again == nil || readErr != nil || len(again.Epochs) != 2 || len(kept.Epochs) != 2 {
		t.Errorf("an interruption after one epoch takes the place of one after two: %v, %v", err, readErr)
	}
	if teacher, err := OpenTeacher(dir); err != nil || len(teacher.Notes) != 1 || !strings.Contains(teacher.Notes[0], "best of 2 epochs") {
		t.Errorf("an unfinished teacher: %+v, %v", teacher, err)
	}
	must.Get(s.run(t.Context(), nil, dir, p, p, nil))(t)
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
