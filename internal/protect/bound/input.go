package bound

import (
	"context"
	"fmt"
)

// Certify bounds what the release of one input θ gives away, in memory: it searches for
// witnesses and certifies their bounds as Run does for the examples of a data set.
// Coordinates that are nil are the inputs themselves.
func Certify(ctx context.Context, m Model, theta []float32, e Experiment) (*Result, error) {
	p, _ := m.Dims()
	if len(theta) != p {
		return nil, fmt.Errorf("an input of %d numbers: the model takes %d", len(theta), p)
	}
	if e.Coordinates == nil {
		e.Coordinates = Pixels(p)
	}
	r, err := newRunner(m, oneInput(theta), []int{0}, e, RunOptions{})
	if err != nil {
		return nil, err
	}
	r.prepare()
	rec, err := r.examples(ctx, 0)
	if err != nil {
		return nil, err
	}
	return r.annotate(r.experiment.result(rec)), nil
}

// oneInput is a data set of one example.
type oneInput []float32

// Len returns 1.
func (x oneInput) Len() int { return 1 }

// Label returns 0.
func (x oneInput) Label(int) int { return 0 }

// Examples overwrites dst with the input, once for each index.
func (x oneInput) Examples(dst []float32, indices []int) {
	for i := range indices {
		copy(dst[i*len(x):], x)
	}
}
