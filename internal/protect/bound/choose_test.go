package bound

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// Whether J is decomposed for singular directions depends on the memory of the run's
// beginning, not of its end: the arrays are those of an uninterrupted run.
func TestDirectionsAreKept(t *testing.T) {
	shared.Long(t, "runs with little memory")
	net, data := smallNet(t, 300, 350, 300), noise(300, 10)
	e := Experiment{Noise: release.Gaussian{Sigma: 1}, Coordinates: Pixels(300),
		Settings: Settings{SkipCramerRao: true, Search: SearchOptions{Search: Algorithm1, Restarts: 1, Repeats: 1, Seed: 3}},
	}
	e.Barankin.Witnesses = 2
	for _, memory := range [][2]int64{{0, 5 << 20}, {5 << 20, 0}} {
		e.Memory = memory[0]
		want, dir := mustRun(t, net, data, upTo(10), e), t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Run(ctx, net, data, upTo(10), e, RunOptions{Dir: dir, Progress: func(done, _ int) {
			if done >= batchSlow {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		e.Memory = memory[1]
		r := must.Get(Run(t.Context(), net, data, upTo(10), e, RunOptions{Dir: dir, Resume: true}))(t)
		if r.SHA256 != want.SHA256 {
			t.Errorf("begun with %d bytes, resumed with %d: other arrays", memory[0], memory[1])
		}
	}
}

// These Jacobians are so large that the method is chosen by counted operations. Without enough
// memory for the decomposition, a run uses a Cholesky factor. A resumed run keeps the method that it
// began with.
func TestChoiceIsKept(t *testing.T) {
	shared.Long(t, "the choice between decomposition and LSQR")
	net, data := smallNet(t, 300, 700, 620), noise(300, 6)
	e := Experiment{Noise: release.Gaussian{Sigma: 1}, Coordinates: Pixels(300), Settings: Settings{Search: SearchOptions{Restarts: 2, Repeats: 2, Seed: 3}}}
	got, _, err := e.resolve(lookAt(net, data.X), nil)
	must.Do(t, err)
	why := strings.Join(got.Reasons, "; ")
	if !strings.Contains(why, "decomposing it takes") || !strings.Contains(why, "times as long as LSQR") {
		t.Error(why)
	}
	if got.SkipCramerRao != (got.Search.Search != Direct) {
		t.Errorf("search %s: Cramér-Rao figures left out: %t", got.Search.Search, got.SkipCramerRao)
	}
	e.Memory = 12 << 20
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Run(ctx, net, data, upTo(6), e, RunOptions{Dir: dir, Progress: func(done, _ int) {
		if done > 0 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	e.Memory = 0
	r := must.Get(Run(t.Context(), net, data, upTo(6), e, RunOptions{Dir: dir, Resume: true}))(t)
	if x := r.Experiment; x.Search.Search != Cholesky || !x.SkipCramerRao || !strings.Contains(x.Reasons[0], "more than half of the 12 MiB") {
		t.Errorf("%s: %s", x.Search.Search, x.Reasons)
	}
}

// The choice follows from sizes and memory alone: with many solves a decomposition, with few of them, or
// too little memory for it, a factor, and LSQR where memory has no room for either.
func TestChoiceBySizes(t *testing.T) {
	net := smallNet(t, 300, 700, 620)
	j := jacobianSize{350, 300}
	for _, c := range []struct {
		restarts, repeats int
		memory            int64
		want              string
	}{{25, 10, 0, Direct}, {25, 10, 12 << 20, Cholesky}, {1, 1, 0, Cholesky}, {1, 1, 1 << 18, Algorithm1}} {
		e := Experiment{Memory: c.memory, Settings: Settings{Sizes: []float64{1}, Search: SearchOptions{Restarts: c.restarts, Repeats: c.repeats}}}
		if got := e.choose(lookAt(net, nil), j); got.search != c.want {
			t.Errorf("%d restarts, %d repeats: %s (%s), want %s", c.restarts, c.repeats, got.search, got.why, c.want)
		}
	}
}

// hoarder is a net that states how much memory it needs.
type hoarder struct {
	*nn.Net
	each int64
	got  *int64
}

func (m hoarder) SetMemory(bytes int64)              { *m.got = bytes }
func (m hoarder) Memory(examples, vectors int) int64 { return m.each * int64(examples*vectors) }

// The error about too small a budget names the memory that is needed, and that much is enough. A
// small budget does not change the results.
func TestMemory(t *testing.T) {
	shared.Long(t, "runs with little memory")
	net, data, e := small(t)
	var share int64
	m := hoarder{net, 1 << 20, &share}
	e.Memory = 1 << 10
	_, err := Run(context.Background(), m, data, upTo(40), e, RunOptions{Dir: t.TempDir()})
	must.Fail(t, err, "at least")
	mib := must.Get(strconv.Atoi(regexp.MustCompile(`at least (\d+) MiB`).FindStringSubmatch(err.Error())[1]))(t)
	for _, search := range []string{Direct, Algorithm1, Published} {
		e.Search.Search = search
		e.Memory = 0
		want := mustRun(t, m, data, upTo(40), e)
		large := share
		e.Memory = int64(mib) << 20
		if search == Published {
			e.Memory += 50 << 20 // of its stack
		}
		got := mustRun(t, m, data, upTo(40), e)
		if got.SHA256 != want.SHA256 {
			t.Errorf("%s: other bytes with %d MiB", search, mib)
		}
		if share < 3<<19 || share >= large {
			t.Errorf("%s: the model has %d bytes of %d, %d of the default", search, share, e.Memory, large)
		}
	}
	e.Memory = -1
	must.Fail(t, must.Err2(e.resolve(lookAt(m, data.X[:24]), nil))) // a negative memory
}
