package bound

import (
	"cmp"
	"context"
	"fmt"

	"tattle/internal/engine/nn"
)

// Certify bounds what the release of one input θ gives away, in memory: it searches for
// witnesses and certifies their bounds as Run does for the examples of a data set.
// Coordinates that are nil are the inputs themselves.
func Certify(ctx context.Context, m Model, theta []float32, e Experiment) (*Result, error) {
	p, _ := m.Dims()
	if len(theta) != p {
		return nil, fmt.Errorf("an input of %d numbers: the model takes %d", len(theta), p)
	}
	e.Coordinates = cmp.Or(e.Coordinates, Pixels(p))
	r, err := newRunner(m, nn.Rows{P: p, X: theta}, []int{0}, e, RunOptions{})
	if err != nil {
		return nil, err
	}
	rec, err := r.examples(ctx, 0)
	if err != nil {
		return nil, err
	}
	return r.annotate(r.experiment.result(rec)), nil
}
