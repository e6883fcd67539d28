package train

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"slices"
	"testing"

	"tattle/internal/must"
)

// A training that stops after any epoch and continues from its state as it is written, in a new net with
// dropout and batch normalisation, gives the weights and running statistics of one that never stopped.
func TestContinue(t *testing.T) {
	fit := func(ctx context.Context, o Options) ([]float32, Result, error) {
		g := trainable(1)
		o.Epochs, o.Batch, o.Seed = 4, 25, 3
		r, err := Fit(ctx, g, toySource{50}, o)
		var all []float32
		for _, p := range g.State() {
			all = append(all, p.Data...)
		}
		return all, r, err
	}
	want, result := must.Get2(fit(t.Context(), Options{}))(t)
	for stop := 1; stop <= 4; stop++ {
		var kept Unfinished
		ctx, cancel := context.WithCancel(t.Context())
		_, _, err := fit(ctx, Options{Keep: func(s Unfinished) error {
			if len(s.Epochs) == stop {
				cancel()
			}
			kept = Unfinished{}
			var b bytes.Buffer
			must.Do(t, gob.NewEncoder(&b).Encode(s))
			return gob.NewDecoder(&b).Decode(&kept)
		}})
		if stop < 4 && !errors.Is(err, context.Canceled) || len(kept.Epochs) != stop {
			t.Fatalf("stopped at %d: %v", len(kept.Epochs), err)
		}
		got, r, err := fit(t.Context(), Options{From: &kept})
		if err != nil || !slices.Equal(got, want) || !slices.Equal(r.Epochs, result.Epochs) || r.Steps != result.Steps {
			t.Errorf("stopped after %d epochs: %+v, want %+v; %v", stop, r, result, err)
		}
		cancel()
	}
}

// The state of another net is refused.
func TestContinueRefuses(t *testing.T) {
	g := trainable(1)
	arrays := len(variables(nil, []*Trainer{mustTrainer(t, g, NewAdam(g.Params(), AdamOptions{}))}))
	for want, s := range map[string]Unfinished{
		"a state with 0 arrays":  {},
		"0 values in array 1":    {State: State{Values: make([]Floats, arrays)}},
		"a state after 2 epochs": {Epochs: make([]Epoch, 2)},
	} {
		must.Fail(t, must.Err(Fit(t.Context(), trainable(1), toySource{9}, Options{From: &s})), want)
	}
}
