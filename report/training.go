package report

import (
	"fmt"
	"math"
)

// Training is how a model came to be.
type Training struct {
	Task       string  `json:"task"`
	Parameters int     `json:"parameters"`
	Examples   int     `json:"examples"`
	Epochs     []Epoch `json:"epochs"`
	Optimizer  string  `json:"optimizer"`
	Batch      int     `json:"batch"`
}

// Epoch is one pass over the training data: the mean loss in nats, and the
// accuracy on data that were not trained on (NaN where it was not measured).
type Epoch struct {
	Loss     Number `json:"loss"`
	Accuracy Number `json:"accuracy"`
}

func (t *Training) sentence() string {
	last := Epoch{Loss: Number(math.NaN())}
	if n := len(t.Epochs); n > 0 {
		last = t.Epochs[n-1]
	}
	return fmt.Sprintf("A classifier of %d parameters was trained on %d examples of %s for %d epochs, to a mean loss of %s nats.",
		t.Parameters, t.Examples, t.Task, len(t.Epochs), number(float64(last.Loss)))
}
