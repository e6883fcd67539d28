package bound

import (
	"context"
	"errors"
	"strings"
	"testing"

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
