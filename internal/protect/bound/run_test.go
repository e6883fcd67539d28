package bound

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/run"
	"tattle/internal/shared"
)

// With every kind of witness, the same seed gives the same bytes, with examples in any order or
// company; another seed gives others.
func TestReproducible(t *testing.T) {
	shared.Long(t, "the same bytes in any order")
	m, data, _ := small(t)
	for _, search := range searches {
		e := everything(t, search)
		e.Sizes = []float64{1. / 200, 1. / 1000}
		whole := mustRun(t, m, data, upTo(70), e)
		procs := runtime.GOMAXPROCS(1)
		again := mustRun(t, m, data, upTo(70), e)
		runtime.GOMAXPROCS(procs)
		if whole.SHA256 != again.SHA256 {
			t.Errorf("%s: two runs differ, on %d cores and on one", search, procs)
		}
		if search == Published { // its examples are one problem
			continue
		}
		part := mustRun(t, m, data, []int{69, 3}, e)
		for i, b := range append(part.Near(), part.Kind(SearchFar), part.Kind(SearchCombined)) {
			of := append(whole.Near(), whole.Kind(SearchFar), whole.Kind(SearchCombined))[i]
			if !slices.Equal(b.Std[:24], of.Std[69*24:]) || !slices.Equal(b.Std[24:], of.Std[3*24:4*24]) {
				t.Errorf("%s: bounds depend on order or company", search)
			}
		}
		e.Search.Seed++
		if other := mustRun(t, m, data, upTo(70), e); other.SHA256 == whole.SHA256 {
			t.Errorf("%s: another seed gives the same bytes", search)
		}
	}
}

// interrupted starts a run of 70 examples, cancels it when at of them are done, and returns the
// run's error.
func interrupted(t *testing.T, m Model, data nn.Source, e Experiment, dir string, at int) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := Run(ctx, m, data, upTo(70), e, RunOptions{Dir: dir, Progress: func(done, _ int) {
		if done >= at {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return err
}

func TestInterruptedRunGoesOn(t *testing.T) {
	m, data, e := small(t)
	dir := t.TempDir()
	must.Fail(t, interrupted(t, m, data, e, dir, 64), "64 of 70")
	started := -1
	other := e
	other.Noise = release.Gaussian{Sigma: 2}
	var mismatch *run.MismatchError
	if _, err := Run(context.Background(), m, data, upTo(70), other, RunOptions{Dir: dir, Resume: true}); !errors.As(err, &mismatch) {
		t.Fatalf("resumed with another σ: %v", err)
	}
	r := must.Get(Run(context.Background(), m, data, upTo(70), e, RunOptions{Dir: dir, Resume: true, Progress: func(done, total int) {
		if started < 0 {
			started = done
		}
	}}))(t)
	if started != 64 {
		t.Errorf("went on from %d examples, want 64", started)
	}
	if whole := mustRun(t, m, data, upTo(70), e); r.SHA256 != whole.SHA256 {
		t.Error("an interrupted run gives other bytes")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 4 || entries[0].Name() != ArraysFile || entries[1].Name() != manifestFile {
		t.Errorf("the folder holds %v", entries)
	}
	must.Get(os.Stat(filepath.Join(dir, ArraysFile)))(t)
}

// Interrupted when all is computed but not merged, a run keeps all.
func TestInterruptedBeforeTheMerge(t *testing.T) {
	m, data, e := small(t)
	dir := t.TempDir()
	must.Fail(t, interrupted(t, m, data, e, dir, 70), "interrupted: 70 of 70 examples are finished and kept")
	if entries, _ := os.ReadDir(dir); len(entries) != 1 || entries[0].Name() != shardsDir {
		t.Errorf("the folder holds %v", entries)
	}
	r, err := Run(t.Context(), m, data, upTo(70), e, RunOptions{Dir: dir, Resume: true})
	if err != nil || r.SHA256 != mustRun(t, m, data, upTo(70), e).SHA256 {
		t.Errorf("resumed: %v, or other bytes", err)
	}
}

// A folder whose arrays are finished is not computed again, unless it is of
// another experiment or damaged; what a crash left between the steps of merging
// is no hindrance.
func TestResumeAfterTheMerge(t *testing.T) {
	m, data, e := small(t)
	dir := t.TempDir()
	products := 0
	resume := func(e Experiment) (*Result, error) {
		products = 0
		counted := &counter{Net: m, tick: func(int) { products++ }}
		return Run(context.Background(), counted, data, upTo(70), e, RunOptions{Dir: dir, Resume: true})
	}
	first, err := resume(e) // nothing there: starts afresh
	if err != nil || products == 0 {
		t.Fatalf("in an empty folder: %v, %d products", err, products)
	}
	must.Do(t, os.MkdirAll(filepath.Join(dir, shardsDir), 0o777))
	again, err := resume(e)
	if err != nil || products != 0 {
		t.Fatalf("finished: %v, %d products", err, products)
	}
	if _, err := os.Stat(filepath.Join(dir, shardsDir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was left of the shards: %v", err)
	}
	if again.SHA256 != first.SHA256 || !slices.Equal(again.Kinds[0].Std, first.Kinds[0].Std) || len(again.Summaries) != len(first.Summaries) {
		t.Error("a finished run loads as another result")
	}
	other := e
	other.Search.Seed++
	var mismatch *run.MismatchError
	if _, err := resume(other); !errors.As(err, &mismatch) || !strings.Contains(err.Error(), "search.seed") {
		t.Errorf("finished with another seed: %v", err)
	}
	path := filepath.Join(dir, ArraysFile)
	must.Do(t, os.Truncate(path, 5000))
	if again, err = resume(e); err != nil || products == 0 || again.SHA256 != first.SHA256 || len(again.Warnings) > 0 || again.Damaged == "" {
		t.Errorf("damaged arrays: %v, %d products", err, products)
	}
	must.Do(t, os.Remove(filepath.Join(dir, manifestFile)))
	must.Fail(t, must.Err(resume(e)), "no run to resume") // arrays of nobody knows what
}

// counter is a net that ticks, with the number of inputs, at every product with J and at every pass
// in float64.
type counter struct {
	*nn.Net
	tick func(inputs int)
}

func (m *counter) Linearize(x []float32) nn.Linearization[float32] {
	p, _ := m.Dims()
	return counted{m.Net.Linearize(x), func(x []float32) { m.tick(len(x) / p) }}
}

func (m *counter) Forward64(dst, x []float64) {
	p, _ := m.Dims()
	m.tick(len(x) / p)
	m.Net.Forward64(dst, x)
}

type counted struct {
	nn.Linearization[float32]
	tick func(x []float32)
}

func (l counted) Active(dst []bool)    { l.Linearization.(nn.Activity).Active(dst) }
func (l counted) JVP(dst, v []float32) { l.tick(v); l.Linearization.JVP(dst, v) }
func (l counted) VJP(dst, u []float32) { l.tick(dst); l.Linearization.VJP(dst, u) }

// Cancelled in the middle of anything, a search makes no more than one further
// product; what was finished is kept, and resumed to the same bytes.
func TestInterruptedSoon(t *testing.T) {
	shared.Long(t, "cancellation in the middle of a search")
	_, _, e := small(t)
	e.Coordinates, e.Search.Restarts, e.Search.Stack = Pixels(24), 3, 4
	m, data := smallNet(t, 24, 200, 160), noise(24, 70)
	few, _, _ := small(t)
	const soon = 9
	for _, v := range []struct {
		search string
		net    *nn.Net
	}{{Direct, m}, {Algorithm1, m}, {Published, m}, {Published, few}} {
		e.Search.Search = v.search
		whole := mustRun(t, v.net, data, upTo(soon), e)
		for _, at := range []int{1, 4, 40} {
			dir, calls := t.TempDir(), 0
			ctx, cancel := context.WithCancel(t.Context())
			net := &counter{v.net, func(int) {
				if calls++; calls == at {
					cancel()
				}
			}}
			_, err := Run(ctx, net, data, upTo(soon), e, RunOptions{Dir: dir})
			cancel()
			if v.search == Direct && err == nil {
				continue // fewer products than that
			}
			if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "interrupted: ") || !strings.HasSuffix(err.Error(), " of 9 examples are finished and kept") {
				t.Fatalf("%s cancelled in product %d: %v", v.search, at, err)
			}
			if calls > at+1 {
				t.Errorf("%s cancelled in product %d: %d more", v.search, at, calls-at)
			}
			r, err := Run(t.Context(), v.net, data, upTo(soon), e, RunOptions{Dir: dir, Resume: true})
			if err != nil || r.SHA256 != whole.SHA256 {
				t.Errorf("%s cancelled in product %d, resumed: %v, or other bytes", v.search, at, err)
			}
		}
	}
}

// Progress moves within a stack, and never back.
func TestProgress(t *testing.T) {
	m, data, e := small(t)
	e.Sizes = []float64{1. / 200, 1. / 1000}
	for _, search := range searches {
		e.Search.Search = search
		var told []int
		must.Get(Run(t.Context(), m, data, upTo(30), e, RunOptions{Dir: t.TempDir(), Progress: func(done, total int) {
			if total != 30 {
				t.Errorf("%s: %d of %d", search, done, total)
			}
			told = append(told, done)
		}}))(t)
		for i := range told[1:] {
			if told[i+1] <= told[i] {
				t.Errorf("%s: progress %v", search, told)
				break
			}
		}
		if len(told) < 6 || told[0] != 0 || told[len(told)-1] != 30 {
			t.Errorf("%s: progress %v", search, told)
		}
	}
}

// Two runs do not work in one folder at a time.
func TestRunLocksItsFolder(t *testing.T) {
	m, data, e := small(t)
	dir := t.TempDir()
	var second error
	o := RunOptions{Dir: dir}
	o.Progress = func(int, int) {
		if second == nil {
			_, second = Run(context.Background(), m, data, upTo(2), e, RunOptions{Dir: dir, Resume: true})
		}
	}
	must.Get(Run(context.Background(), m, data, upTo(2), e, o))(t)
	if !errors.Is(second, file.ErrLocked) || !strings.Contains(second.Error(), dir) {
		t.Errorf("the second: %v", second)
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
