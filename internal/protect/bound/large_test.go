package bound

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/math/float16"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/run"
	"tattle/internal/shared"
)

// saving has runs of any size save disk.
func saving(t *testing.T) {
	before := largeBytes
	largeBytes = 0
	t.Cleanup(func() { largeBytes = before })
}

// A large run stores near witnesses in float16 and proves what these prove: nearly as much as
// unrounded ones. What it stores is verified.
func TestLargeRunSavesDisk(t *testing.T) {
	m, data, e := small(t)
	e.Sizes = []float64{1. / 200, 1. / 1000}
	whole := mustRun(t, m, data, upTo(70), e)
	saving(t)
	r := mustRun(t, m, data, upTo(70), e)
	f := open(t, r.Path)
	for name, want := range map[string]string{
		"s200_eps": "f2", "s1000_eps": "f2", "s200_std": "f4", "s200_pair_floor": "f4", "cramer_rao": "f4", "s200_z_norm": "f8",
	} {
		if rows, err := f.Rows(name); err != nil || rows.Type() != want {
			t.Errorf("%s is stored as %s, want %s (%v)", name, rows.Type(), want, err)
		}
	}
	for i, size := range e.Sizes {
		stored := witnesses(t, r, size)
		for k, v := range witnesses(t, whole, size) {
			if h := float16.FromBits(float16.TowardZero(v)); stored[k] != h {
				t.Fatalf("witness %v is stored as %v, want %v", v, stored[k], h)
			}
		}
		for k, v := range whole.Near()[i].Std {
			if got := r.Kinds[i].Std[k]; got < .98*v || got > 1.02*v {
				t.Errorf("size %g: bound %d is %g, without rounding %g", size, k, got, v)
			}
		}
	}
	if found := verified(t, m, data, r, r.claims()); len(found) != 0 {
		t.Errorf("%v", found)
	}
}

// Witnesses too small for float16 stay in float32.
func TestLargeRunKeepsBounds(t *testing.T) {
	m, data, e := small(t)
	e.Noise = release.Gaussian{Sigma: 1e-5}
	whole := mustRun(t, m, data, upTo(5), e)
	saving(t)
	r := mustRun(t, m, data, upTo(5), e)
	rows, err := open(t, r.Path).Rows("s200_eps")
	if err != nil || rows.Type() != "f4" {
		t.Fatalf("witnesses are stored as %s (%v)", rows.Type(), err)
	}
	for k, v := range whole.Near()[0].Std {
		if got := r.Kinds[0].Std[k]; got > v || got < v*(1-smallTolerance) {
			t.Errorf("bound %d is %g, in float64 %g", k, got, v)
		}
	}
	if found := verified(t, m, data, r, r.claims()); len(found) != 0 {
		t.Errorf("%v", found)
	}
}

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

// A merge that frees disk removes shards; one that was killed goes on with those that are left
// and computes the others again.
func TestMergeFreesDisk(t *testing.T) {
	shared.Long(t, "a merge that was killed")
	m, data, e := small(t)
	saving(t)
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

// A merge that frees disk removes each shard, and another one none.
func TestMergeRemovesShards(t *testing.T) {
	m, data, e := small(t)
	for _, free := range []bool{false, true} {
		r := must.Get(newRunner(m, data, upTo(70), e, RunOptions{Dir: t.TempDir()}))(t)
		must.Do(t, r.compute(t.Context()))
		layout := must.Get(r.experiment.layoutOf(r.folder))(t)
		must.Do(t, layout.merge(t.Context(), nil, r.path(ArraysFile), 70, r.folder, free))
		if removed := len(r.folder.Remaining()); removed != 0 && !free || removed != 2 && free {
			t.Errorf("free: %v, and %d shards are removed", free, removed)
		}
	}
}

// Whether the witnesses of a shard are rounded does not depend on how many of its examples are searched
// together, which the memory decides.
func TestHalvingIgnoresBatches(t *testing.T) {
	m, data, e := small(t)
	saving(t)
	e.Noise = release.Gaussian{Sigma: 3e-3}
	var sums []string
	for _, batch := range []int{1, 8} {
		r := must.Get(newRunner(m, data, upTo(8), e, RunOptions{Dir: t.TempDir()}))(t)
		r.size = batch
		res := must.Get(r.locked(t.Context()))(t)
		sums = append(sums, res.SHA256)
	}
	if sums[0] != sums[1] {
		t.Error("other bytes in other batches")
	}
}

// Figures in float32 are rounded toward what an adversary can do: bounds down, what features see up.
func TestFiguresFavourAdversaries(t *testing.T) {
	exact := []float64{0, 1, .1, 1 - 1e-9, 1e-60, math.MaxFloat64, math.Inf(1)}
	e := &record{p: 1, m: 1, cramerRao: true, figures: CramerRao{exact, exact, exact}, small: true}
	for _, c := range e.columns() {
		stored, ok := c.data.values().([]float32)
		for i, v := range stored {
			if got := float64(v); c.name == "seen" && got < exact[i] || c.name != "seen" && got > exact[i] || math.Abs(got-exact[i]) > 1e-7 && i < 5 {
				t.Errorf("%s: %g is stored as %g", c.name, exact[i], got)
			}
		}
		if !ok && strings.HasPrefix(c.name, "cramer") {
			t.Errorf("%s is not stored in float32", c.name)
		}
	}
}

// What is not a number is found, also among figures that are stored in float32.
func TestCheckFindsNaN(t *testing.T) {
	e := &record{p: 1, m: 1, sets: []*Bounds{{name: "s200", Witnesses: 1, Std: []float64{math.NaN()}}}}
	for _, small := range []bool{false, true} {
		e.sets[0].small = small
		must.Fail(t, e.check(), `"s200_std": value 0 is not a number`)
	}
}
