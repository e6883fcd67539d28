package bound

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"tattle/internal/must"
	"tattle/internal/run"
	"tattle/internal/shared"
)

// released is a pool whose process ends while it merges: the first shard is removed by then.
type released struct{ run.Leader }

var errKilled = errors.New("killed")

func (p released) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	f, err := p.Leader.Run(ctx, w)
	if err != nil {
		return nil, err
	}
	return f, errors.Join(f.Release(0), errKilled)
}

// A merge removes shards; one that was killed goes on with those that are left and computes the others again.
func TestMergeFreesDisk(t *testing.T) {
	shared.Long(t, "a merge that was killed")
	m, data, e := small(t)
	whole := mustRun(t, m, data, upTo(70), e)
	dir := t.TempDir()
	if _, err := Run(context.Background(), m, data, upTo(70), e, RunOptions{Dir: dir, Pool: released{}}); !errors.Is(err, errKilled) {
		t.Fatalf("killed: %v", err)
	}
	started := -1
	r := must.Get(Run(context.Background(), m, data, upTo(70), e, RunOptions{Dir: dir, Resume: true, Progress: func(done, total int) {
		if started < 0 {
			started = done
		}
	}}))(t)
	if r.SHA256 != whole.SHA256 || started != 6 {
		t.Errorf("resumed at %d with other bytes: %v", started, r.SHA256 != whole.SHA256)
	}
	if left, err := os.ReadDir(filepath.Join(dir, shardsDir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%d files of shards are left (%v)", len(left), err)
	}
}

// What is not a number is found.
func TestCheckFindsNaN(t *testing.T) {
	e := &record{p: 1, m: 1, sets: []*Bounds{{name: "s200", Witnesses: 1, Std: []float64{math.NaN()}}}}
	must.Fail(t, e.check(), `"s200_std": value 0 is not a number`)
}
