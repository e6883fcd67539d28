package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tattle/audit"
	"tattle/curious"
)

// TestTrainingFails: what cannot be trained ends the audit with status 3, named, and what
// could be is kept.
func TestTrainingFails(t *testing.T) {
	y := make([]int, 60)
	s := &audit.Sample{
		Name: "made", Kind: curious.Raw, Y: y, Outputs: make([]float32, 2*len(y)), Target: "y", Classes: []string{"no", "yes"},
		Sensitive: []audit.Attribute{{Name: "s", Values: []string{"a", "b"}, Labels: y}},
	}
	var all []audit.Training
	for i := range 3 {
		all = append(all, audit.Training{Name: fmt.Sprintf("reference %d", i+1), Train: func(context.Context, func(done, total int)) (*audit.Trained, error) {
			if i == 1 {
				return nil, errors.New("the loss is NaN")
			}
			return &audit.Trained{Sample: s}, nil
		}})
	}
	dir, said := t.TempDir(), new(strings.Builder)
	e := &env{stderr: said, args: []string{"audit"}}
	_, _, err := audit.Train(t.Context(), filepath.Join(dir, shardsDir), all, audit.TrainOptions{})
	status := fail(said, e.unfinished(err, dir))
	if status != statusUnfinished || !strings.Contains(said.String(), "1 of 3 shards failed") || !strings.Contains(said.String(), "reference 2: the loss is NaN") || !strings.Contains(said.String(), "--resume") {
		t.Errorf("status %d: %s", status, said)
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, shardsDir, "shard-*.sha256")); len(kept) != 2 {
		t.Errorf("kept: %q", kept)
	}
}
