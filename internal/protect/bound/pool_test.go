package bound

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/run"
	"tattle/internal/shared"
)

// everything is an experiment with every kind of witness, so small that a run takes milliseconds.
func everything(t testing.TB, search string) Experiment {
	_, _, e := small(t)
	legal := cube(24, 5)
	e.Search.Search, e.Search.Restarts, e.Search.Repeats, e.Search.Stack = search, 2, 2, 7
	e.Far = FarOptions{Starts: 2, Domain: legal, Seed: 4}
	e.Barankin = BarankinOptions{Witnesses: 5}
	e.Twins = TwinOptions{Examples: 9, Domain: legal, Seed: 5}
	if search == Algorithm1 {
		e.SkipCramerRao = true
	}
	return e
}

// others is a pool of several processes: every shard is computed by two processes, each
// with model and data of its own and nothing but the manifest, in an order of no meaning;
// what the leader computes itself is interrupted, and done by several goroutines.
type others struct {
	t *testing.T
	e Experiment
}

func (p others) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	shards := rand.New(rand.NewPCG(1, 2)).Perm(w.Manifest.Shards)
	mine := make([]bytes.Buffer, len(shards))
	var all sync.WaitGroup
	for _, i := range shards {
		all.Go(func() {
			stopped, stop := context.WithCancel(ctx)
			stop()
			if err := w.Do(stopped, i, io.Discard); !errors.Is(err, context.Canceled) {
				p.t.Errorf("shard %d, cancelled: %v", i, err)
			}
			if err := w.Do(ctx, i, &mine[i]); err != nil {
				p.t.Error(err)
			}
		})
	}
	all.Wait()
	theirs := make([][]byte, len(shards))
	for k := 0; k < len(shards); k += 2 {
		for i, data := range p.worker(w.Manifest, shards[k:min(k+2, len(shards))]) {
			if theirs[i] = data; !bytes.Equal(data, mine[i].Bytes()) {
				p.t.Errorf("%s: shard %d depends on who computes it", p.e.Search.Search, i)
			}
		}
	}
	w.Do = func(_ context.Context, i int, to io.Writer) error {
		_, err := to.Write(theirs[i])
		return err
	}
	return run.Leader{}.Run(ctx, w)
}

// worker computes some shards in a process of its own, so to speak.
func (p others) worker(m run.Manifest, shards []int) map[int][]byte {
	dir, done := p.t.TempDir(), map[int][]byte{}
	data, err := m.Encode()
	if err == nil {
		err = run.WriteManifest(nil, filepath.Join(dir, shardsDir), data)
	}
	must.Do(p.t, err)
	pool := poolFunc(func(ctx context.Context, w run.Work) (*run.Folder, error) {
		if err := w.Manifest.Check(w.Dir); err != nil || w.AtOnce != 1 {
			p.t.Error("a worker's manifest is another:", err, w.AtOnce)
		}
		for _, i := range shards {
			var b bytes.Buffer
			if err := w.Do(ctx, i, &b); err != nil {
				p.t.Error(err)
			}
			done[i] = b.Bytes()
		}
		return nil, errServed
	})
	net, set, _ := small(p.t)
	r, err := Run(p.t.Context(), net, set, upTo(pooled), p.e, RunOptions{Dir: dir, Resume: true, Pool: pool})
	if r != nil || !errors.Is(err, errServed) {
		p.t.Errorf("a worker that has served: %v, %v", r, err)
	}
	return done
}

var errServed = errors.New("the shards are computed")

type poolFunc func(ctx context.Context, w run.Work) (*run.Folder, error)

func (f poolFunc) Run(ctx context.Context, w run.Work) (*run.Folder, error) { return f(ctx, w) }

// pooled is how many examples these runs are of: in shards of 8 and 7, not in whole ones.
const pooled = 19

// Whoever computes a shard, alone or after others, in whatever order: the same bytes, and
// the same said of them.
func TestPool(t *testing.T) {
	shared.Long(t, "the same bytes from one process and from several workers")
	for _, search := range []string{Direct, Algorithm1, Published} {
		e := everything(t, search)
		m, data, _ := small(t)
		var told []int
		o := RunOptions{Dir: t.TempDir(), Pool: others{t, e}, Progress: func(done, _ int) { told = append(told, done) }}
		r := must.Get(Run(t.Context(), m, data, upTo(pooled), e, o))(t)
		if whole := mustRun(t, m, data, upTo(pooled), e); r.SHA256 != whole.SHA256 || !slices.Equal(r.Experiment.Reasons, whole.Experiment.Reasons) || !slices.Equal(r.Warnings, whole.Warnings) {
			t.Errorf("%s: not the result of one process: %s, %s", search, r.Experiment.Reasons, whole.Experiment.Reasons)
		}
		if !slices.IsSorted(told) || told[len(told)-1] != pooled {
			t.Errorf("%s: progress %v", search, told)
		}
		o.Resume, o.Pool = true, nil
		if again, err := Run(t.Context(), m, data, upTo(pooled), e, o); err != nil || !slices.Equal(again.Experiment.Reasons, r.Experiment.Reasons) || !slices.Equal(again.Warnings, r.Warnings) {
			t.Errorf("%s: loaded, it says something else: %v", search, err)
		}
	}
}

// The arrays do not depend on how examples are cut into shards; but of the published
// procedure, whose shard is one problem.
func TestShardsDoNotMatter(t *testing.T) {
	shared.Long(t, "runs every search in shards of other sizes")
	// Searches and iterations do not know of each other: each occurs once.
	for search, iteration := range map[string]string{Direct: InverseIteration, Algorithm1: PaperIteration} {
		e := everything(t, search)
		e.Search.Iteration = iteration
		m, data, _ := small(t)
		want := mustRun(t, m, data, upTo(pooled), e).SHA256
		for _, size := range []int{1, 16} {
			r := must.Get(newRunner(m, data, upTo(pooled), e, RunOptions{Dir: t.TempDir()}))(t)
			r.shard, r.size = size, min(r.size, size)
			if got, err := r.inFolder(t.Context()); err != nil || got.SHA256 != want {
				t.Errorf("%s, %s, shards of %d: %v, or other bytes", search, iteration, size, err)
			}
		}
	}
}

// A shard that fails is set aside and named, the others are kept; tried again, it makes
// the run whole.
func TestFailingShard(t *testing.T) {
	m, data, _ := small(t)
	e := everything(t, Algorithm1)
	dir, tries := t.TempDir(), 0
	failing := poolFunc(func(ctx context.Context, w run.Work) (*run.Folder, error) {
		do := w.Do
		w.Do = func(ctx context.Context, i int, to io.Writer) error {
			if i == 1 {
				tries++
				return errors.New("the moon is full")
			}
			return do(ctx, i, to)
		}
		return run.Leader{}.Run(ctx, w)
	})
	_, err := Run(t.Context(), m, data, upTo(pooled), e, RunOptions{Dir: dir, Pool: failing})
	var failed *run.FailedError
	if !errors.As(err, &failed) || tries != run.MaxAttempts || len(failed.Failures) != 1 || !strings.Contains(err.Error(), "examples 8 to 15: the moon is full") {
		t.Fatalf("after %d tries: %v", tries, err)
	}
	started := -1
	r, err := Run(t.Context(), m, data, upTo(pooled), e, RunOptions{Dir: dir, Resume: true, Progress: func(done, _ int) {
		if started < 0 {
			started = done
		}
	}})
	if err != nil || started != pooled-8 || r.SHA256 != mustRun(t, m, data, upTo(pooled), e).SHA256 {
		t.Errorf("resumed from %d examples: %v, or other bytes", started, err)
	}
}

// A manifest does not say in which folder the density of a noise lay: with each process
// it may be another.
func TestTableElsewhere(t *testing.T) {
	m, data, e := small(t)
	e.Barankin.Witnesses = 2 // which is said not to go with it
	manifest := func() []byte {
		path := filepath.Join(t.TempDir(), "noise.csv")
		must.Do(t, os.WriteFile(path, []byte("-1,0.1\n0,1\n1,0.1\n"), 0o666))
		var err error
		e.Noise = must.Get(release.ReadTable(path, 1))(t)
		r := must.Get(newRunner(m, data, upTo(1), e, RunOptions{}))(t)
		b, err := r.manifest().Encode()
		if err != nil || !bytes.Contains(b, []byte(`"table:noise.csv"`)) {
			t.Fatalf("%v: %s", err, b)
		}
		return b
	}
	if !bytes.Equal(manifest(), manifest()) {
		t.Error("the same density in another folder makes another run")
	}
}
