package release

import (
	"fmt"

	"tattle/internal/engine/nn"
)

// A Task is what the outputs of a model are used for.
type Task interface {
	// Scorer returns what scores n examples, whose outputs are of a width.
	Scorer(n, width int) Scorer
}

// A Scorer scores single examples, from 0 to 1.
type Scorer interface {
	// Add takes one draw of the outputs [examples, width] of consecutive examples. It returns an error for outputs that
	// cannot be scored.
	Add(first int, outputs []float32) error
	// Scores returns the mean score of each example over its draws. Each has as many.
	Scores() []float64
}

// Labels is the task of a classifier: the score is 1 if the label of an example has the largest output.
type Labels struct{ Data nn.Source }

// Scorer implements Task.
func (t Labels) Scorer(n, width int) Scorer {
	return &labelScorer{data: t.Data, classes: width, hits: make([]int, n), draws: make([]int, n)}
}

// labelScorer counts correct classifications.
type labelScorer struct {
	data        nn.Source
	classes     int
	hits, draws []int // of each example
}

// Add implements Scorer.
func (s *labelScorer) Add(first int, logits []float32) error {
	for i := 0; i < len(logits); i += s.classes {
		example := first + i/s.classes
		right, err := classified(example, s.data.Label(example), logits[i:i+s.classes])
		if err != nil {
			return err
		}
		if s.draws[example]++; right {
			s.hits[example]++
		}
	}
	return nil
}

// Scores implements Scorer.
func (s *labelScorer) Scores() []float64 {
	scores := make([]float64, len(s.hits))
	for i, k := range s.hits {
		scores[i] = float64(k) / float64(s.draws[i])
	}
	return scores
}

// classified reports whether the label is that of the largest logit. It returns an error
// if there is no such label or a logit is not finite.
func classified(example, label int, logits []float32) (bool, error) {
	if label < 0 || label >= len(logits) {
		return false, fmt.Errorf("example %d has label %d, but the model has the classes 0 to %d: give it the data set that it was trained for", example, label, len(logits)-1)
	}
	best, ok := largest(logits)
	if !ok {
		return false, fmt.Errorf("example %d: its logits are not finite: look for bad values in the data and the model", example)
	}
	return best == label, nil
}

// largest returns the first index of the largest logit, and whether all are
// finite.
func largest(logits []float32) (best int, ok bool) {
	for i, v := range logits {
		if !finite(v) {
			return 0, false
		}
		if v > logits[best] {
			best = i
		}
	}
	return best, true
}
