package train

import (
	"errors"
	"fmt"
	"slices"

	"tattle/internal/engine/nn"
)

// A State is a training by [Fit] between two epochs. Fit continues from it as if it had not been
// interrupted, bit by bit.
type State struct {
	Result  Result
	Params  [][]float32    // the values of the optimiser's parameters
	Moments [][2][]float32 // of Adam, for each of Params
}

// stateful checks that a training can be continued: its state is that of Adam and of the
// parameters alone.
func stateful(g *nn.Graph, o Options) error {
	for _, n := range g.Nodes {
		switch n.Op.(type) {
		case *nn.Dropout, *nn.BatchNorm:
			return fmt.Errorf("train: a training with %s cannot be continued", n.Name)
		}
	}
	if _, adam := o.Optimizer(nil).(*Adam); !adam {
		return errors.New("train: only a training by Adam can be continued")
	}
	return nil
}

// state copies where the training is.
func (t *training) state(a *Adam) State {
	s := State{Result: Result{slices.Clone(t.result.Epochs), t.result.Steps}}
	for i, p := range a.params {
		s.Params = append(s.Params, slices.Clone(p.Data))
		s.Moments = append(s.Moments, [2][]float32{slices.Clone(a.moments[i][0]), slices.Clone(a.moments[i][1])})
	}
	return s
}

// restore continues from a state.
func (t *training) restore(a *Adam, s State) error {
	if len(s.Params) != len(a.params) || len(s.Moments) != len(a.params) || len(s.Result.Epochs) > t.Epochs {
		return fmt.Errorf("train: a state of %d parameters after %d epochs, for a training of %d parameters and %d epochs", len(s.Params), len(s.Result.Epochs), len(a.params), t.Epochs)
	}
	for i, p := range a.params {
		for _, values := range [][]float32{s.Params[i], s.Moments[i][0], s.Moments[i][1]} {
			if len(values) != len(p.Data) {
				return fmt.Errorf("train: a state with %d values of %s, which has %d", len(values), p.Name, len(p.Data))
			}
		}
	}
	for i, p := range a.params {
		copy(p.Data, s.Params[i])
		copy(a.moments[i][0], s.Moments[i][0])
		copy(a.moments[i][1], s.Moments[i][1])
		p.Changed()
	}
	a.steps = s.Result.Steps
	t.result = Result{slices.Clone(s.Result.Epochs), s.Result.Steps}
	t.loop.First, t.loop.Done = len(s.Result.Epochs), s.Result.Steps
	return nil
}
