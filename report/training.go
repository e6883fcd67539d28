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

	SeedAccuracies []Number `json:"seed_accuracies,omitempty"` // of the models of several seeds, the first one's among them

	Noise *TrainingNoise `json:"noise,omitempty"`
}

// TrainingNoise is the Gaussian noise that was added to features in training.
type TrainingNoise struct {
	Node        string `json:"node"`                   // whose output is the features
	Scale       Number `json:"scale"`                  // standard deviation, in units of the root mean square of the features
	BitsPenalty Number `json:"bits_penalty,omitempty"` // weight of the information limit in the loss
	Sigma       Number `json:"sigma"`                  // standard deviation on held-out data, for which the accuracy is released_accuracy
}

func (n *TrainingNoise) sentence(u Utility) string {
	s := fmt.Sprintf("In training, Gaussian noise of %s times the root mean square of the features was added to them.", number(float64(n.Scale)))
	if n.BitsPenalty > 0 {
		s += fmt.Sprintf(" The loss had a penalty of %s times the information limit of the features in bits.", number(float64(n.BitsPenalty)))
	}
	if u.Draws == 0 {
		return s
	}
	return s + fmt.Sprintf(" With this noise it classifies %s of %s correctly.", percent(float64(u.ReleasedAccuracy)), Count(u.Examples, "held-out example"))
}

// Epoch is one pass over the training data: the mean loss in nats, with a penalty if there is
// one, and the accuracy without noise on data that were not trained on (NaN if it was not
// measured).
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
	unit := " nats"
	if t.Noise != nil && t.Noise.BitsPenalty > 0 {
		unit = ", the penalty included"
	}
	return fmt.Sprintf("%s for %s, to a mean loss of %s%s.", s, Count(n, "epoch"), number(float64(t.Epochs[n-1].Loss)), unit)
}

// Count says how many there are: "1 epoch", "2 epochs".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
