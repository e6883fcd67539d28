package report

import "fmt"

// Training is how a model came to be.
type Training struct {
	Task       string  `json:"task"`
	Parameters int     `json:"parameters"`
	Examples   int     `json:"examples"`
	Epochs     []Epoch `json:"epochs"` // those completed
	Asked      int     `json:"epochs_asked"`
	Optimizer  string  `json:"optimizer"`
	Batch      int     `json:"batch"`
}

// Epoch is one pass over the training data: the mean loss in nats, and the
// accuracy on data that were not trained on (NaN if it was not measured).
type Epoch struct {
	Loss     Number `json:"loss"`
	Accuracy Number `json:"accuracy"`
}

func (t *Training) sentence() string {
	s := fmt.Sprintf("A classifier of %d parameters was trained on %s of %s", t.Parameters, Count(t.Examples, "example"), t.Task)
	n := len(t.Epochs)
	if n == 0 {
		return s + ", for less than one epoch."
	}
	return fmt.Sprintf("%s for %s, to a mean loss of %s nats.", s, Count(n, "epoch"), number(float64(t.Epochs[n-1].Loss)))
}

// Count says how many there are: "1 epoch", "2 epochs".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
