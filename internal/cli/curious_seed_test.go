package cli

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tattle/curious/training"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// TestDistillInterrupted interrupts a distillation, later each time, until a student is
// kept.
func TestDistillInterrupted(t *testing.T) {
	shared.Long(t, "a distillation that was stopped")
	t.Parallel()
	teacher := filepath.Join(t.TempDir(), "teacher")
	done(t, "train", "glyphs", "--sensitive", "family: italic; *", "--examples", "200", "--epochs", "1", "--seeds", "1", "--out", teacher)
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		out := filepath.Join(t.TempDir(), "student")
		status, _, said := tattle(ctx, "distill", teacher, "--epochs", "100000", "--out", out)
		cancel()
		if status != statusUnfinished {
			t.Fatalf("status %d: %s", status, said)
		}
		if !exists(out) && wait < time.Minute {
			continue
		}
		if kept, err := training.ReadResult(out); err != nil || !kept.Unfinished || !exists(filepath.Join(out, reportJSON)) || !strings.Contains(said, "the unfinished student is in") {
			t.Errorf("after an interruption: kept %+v, error %v, output %s", kept, err, said)
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
		must.Do(t, os.MkdirAll(filepath.Join(dir, kept), 0o777))
		must.Do(t, os.WriteFile(filepath.Join(dir, kept, training.ResultFile), []byte("{}"), 0o666))
		status, _, said := tattle(t.Context(), "train", "glyphs", "--curious", "standard", "--examples", "100", "--epochs", "1", "--seeds", strconv.Itoa(seeds), "--out", dir, "--resume")
		if status != statusUsage || !strings.Contains(said, "--seeds") {
			t.Errorf("%d seeds where %s is: status %d: %s", seeds, kept, status, said)
		}
	}
}
