package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tattle/curious"
	"tattle/dataset"
)

// seedParts is little data of which a linear part of a net learns something.
func seedParts(t *testing.T) *dataset.Parts {
	t.Helper()
	p, err := dataset.OpenParts(t.Context(), "", dataset.LabelledOptions{Kind: dataset.KindGlyphs, Limit: 200, Sensitive: []string{"family: italic; *"}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSeedInterrupted stops a training in its second epoch: the first is kept and
// marked, and done again the next time.
func TestSeedInterrupted(t *testing.T) {
	t.Parallel()
	p, dir := seedParts(t), filepath.Join(t.TempDir(), "seed-1")
	s := seedRun{options: curious.Options{Attack: curious.Parameterized, Epochs: 3, Seed: 1}}
	s.source = &dataSource{Kind: dataset.KindGlyphs, Sensitive: []string{"family: italic; *"}, Limit: 200, Seed: 1}
	ctx, cancel := context.WithCancel(t.Context())
	e := &env{stdout: io.Discard, stderr: io.Discard}
	r, err := s.run(ctx, e, dir, p, func(done, total int) {
		if 3*done > total {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || r == nil || !r.Unfinished || len(r.Epochs) != 1 || r.Evaluation == nil {
		t.Fatalf("interrupted: %+v, %v", r, err)
	}
	if kept, err := readResult(dir); err != nil || !kept.Unfinished {
		t.Fatalf("what is kept: %+v, %v", kept, err)
	}
	if again, err := s.finished(dir, p); again != nil || err != nil {
		t.Fatalf("an unfinished training passes for a finished one: %v", err)
	}
	r.Epochs = append(r.Epochs, r.Epochs[0]) // as if it had come further
	if err := r.write(dir, []string{modelFile, "attack.onnx"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	again, err := s.run(ctx, e, dir, p, func(done, total int) {
		if 3*done > total {
			cancel()
		}
	})
	if kept, readErr := readResult(dir); !errors.Is(err, context.Canceled) || again == nil || readErr != nil || len(again.Epochs) != 2 || len(kept.Epochs) != 2 {
		t.Errorf("an interruption after one epoch takes the place of one after two: %v, %v", err, readErr)
	}
	if taught, err := (&taught{Run: dir}).open(t.Context(), e); err != nil || len(taught.notes) != 1 || !strings.Contains(taught.notes[0], "best of 2 epochs") {
		t.Errorf("an unfinished teacher: %+v, %v", taught, err)
	}
	if _, err := s.run(t.Context(), e, dir, p, nil); err != nil {
		t.Fatal(err)
	}
	distilledUntil(t, dir)
	checkFinished(t, s, dir, p)
}

// distilledUntil interrupts a distillation, later each time, until a student is kept.
func distilledUntil(t *testing.T, teacher string) {
	t.Helper()
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		var said strings.Builder
		out := filepath.Join(t.TempDir(), "student")
		status := execute(ctx, []string{"distill", teacher, "--epochs", "100000", "--out", out}, io.Discard, &said)
		cancel()
		if status != statusUnfinished {
			t.Fatalf("status %d: %s", status, said.String())
		}
		if !exists(out) && wait < time.Minute {
			continue
		}
		if kept, err := readResult(out); err != nil || !kept.Unfinished || !exists(filepath.Join(out, reportJSON)) || !strings.Contains(said.String(), "the unfinished student is in") {
			t.Errorf("of an interrupted distillation is kept %+v, %v; it said %s", kept, err, said.String())
		}
		return
	}
}

// TestSeedsKeepTheirFolders refuses to go on with one training as one of several, and
// with several as one.
func TestSeedsKeepTheirFolders(t *testing.T) {
	t.Parallel()
	for kept, seeds := range map[string]int{".": 2, "seed-1": 1} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, kept), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, kept, resultFile), []byte("{}"), 0o666); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		status := execute(t.Context(), []string{"train", "glyphs", "--attack", "standard", "--examples", "100", "--epochs", "1", "--seeds", strconv.Itoa(seeds), "--out", dir, "--resume"}, io.Discard, &said)
		if status != statusUsage || !strings.Contains(said.String(), "--seeds") {
			t.Errorf("%d seeds where %s is: status %d: %s", seeds, kept, status, said.String())
		}
	}
}

// checkFinished expects a finished training in dir, which no other settings, data or
// bytes pass for.
func checkFinished(t *testing.T, s seedRun, dir string, p *dataset.Parts) {
	t.Helper()
	if r, err := s.finished(dir, p); err != nil || r == nil || len(r.Epochs) != 3 || len(r.Evaluation.Sensitive) != 1 {
		t.Fatalf("finished: %+v, %v", r, err)
	}
	other := s
	other.options.Beta = curious.Beta{Y: .5, S: .5}
	if _, err := other.finished(dir, p); err == nil {
		t.Error("another beta passes for this one")
	}
	less := *p
	less.Train = p.Train.Subset(dataset.First(100))
	if _, err := s.finished(dir, &less); err == nil {
		t.Error("other data pass for these")
	}
	if err := os.Truncate(filepath.Join(dir, "attack.onnx"), 100); err != nil {
		t.Fatal(err)
	}
	if r, err := s.finished(dir, p); r != nil || err != nil {
		t.Errorf("a training without its attack passes for a whole one: %v", err)
	}
}
