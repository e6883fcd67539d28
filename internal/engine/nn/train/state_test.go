package train

import (
	"context"
	"errors"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

func twoLayers() *nn.Graph {
	b := nn.NewBuilder("two", 2, 8, 8)
	b.Add("", &nn.Flatten{})
	b.Dense("", 16, true)
	b.Add("", &nn.ReLU{})
	b.Dense("", 3, true)
	b.Graph.Init(1)
	return b.Graph
}

// A training that stops after any epoch and continues from its state, in a new net, gives the
// weights of one that never stopped.
func TestContinue(t *testing.T) {
	fit := func(ctx context.Context, o Options) ([]float32, Result, error) {
		g := twoLayers()
		o.Epochs, o.Batch, o.Seed = 4, 25, 3
		r, err := Fit(ctx, g, toySource{90}, o)
		var all []float32
		for _, p := range g.Params() {
			all = append(all, p.Data...)
		}
		return all, r, err
	}
	want, result := must.Get2(fit(t.Context(), Options{}))(t)
	for stop := 1; stop <= 4; stop++ {
		var kept State
		ctx, cancel := context.WithCancel(t.Context())
		_, _, err := fit(ctx, Options{Keep: func(s State) error {
			if kept = s; len(s.Result.Epochs) == stop {
				cancel()
			}
			return nil
		}})
		if stop < 4 && !errors.Is(err, context.Canceled) || len(kept.Result.Epochs) != stop {
			t.Fatalf("stopped at %d: %v", len(kept.Result.Epochs), err)
		}
		got, r, err := fit(t.Context(), Options{From: &kept})
		if err != nil || !slices.Equal(got, want) || !slices.Equal(r.Epochs, result.Epochs) || r.Steps != result.Steps {
			t.Errorf("stopped after %d epochs: %+v, want %+v; %v", stop, r, result, err)
		}
		cancel()
	}
}

// What has a state that is not kept is refused, and so is the state of another net.
func TestContinueRefuses(t *testing.T) {
	keep := func(State) error { return nil }
	for _, c := range []struct {
		g    *nn.Graph
		o    Options
		want string
	}{
		{trainable(1), Options{Keep: keep}, "cannot be continued"},
		{twoLayers(), Options{From: &State{}}, "a state of 0 parameters"},
		{twoLayers(), Options{From: &State{Params: make([][]float32, 4), Moments: make([][2][]float32, 4)}}, "a state with 0 values"},
		{twoLayers(), Options{From: &State{Result: Result{Epochs: make([]Epoch, 2)}, Params: make([][]float32, 4), Moments: make([][2][]float32, 4)}}, "after 2 epochs"},
	} {
		must.Fail(t, must.Err(Fit(t.Context(), c.g, toySource{9}, c.o)), c.want)
	}
}
