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
func (t Labels) Scorer(n, width int) Scorer { return &labelScorer{newScoreSums(n), t.Data, width} }

// scoreSums are the scores of each example, added up over its draws.
type scoreSums struct {
	sum   []float64
	draws []int
}

func newScoreSums(n int) scoreSums { return scoreSums{make([]float64, n), make([]int, n)} }

// Scores implements Scorer.
func (s *scoreSums) Scores() []float64 {
	scores := make([]float64, len(s.sum))
	for i, x := range s.sum {
		scores[i] = x / float64(s.draws[i])
	}
	return scores
}

// labelScorer counts correct classifications.
type labelScorer struct {
	scoreSums
	data    nn.Source
	classes int
}

// Add implements Scorer. It returns an error if there is no such label or a logit is not finite.
func (s *labelScorer) Add(first int, outputs []float32) error {
	for i := 0; i < len(outputs); i += s.classes {
		example, logits := first+i/s.classes, outputs[i:i+s.classes]
		label := s.data.Label(example)
		if label < 0 || label >= s.classes {
			return fmt.Errorf("example %d has label %d, but the model has the classes 0 to %d: give it the data set that it was trained for", example, label, s.classes-1)
		}
		if !nn.Finite(logits) {
			return fmt.Errorf("example %d: its logits are not finite: look for bad values in the data and the model", example)
		}
		if s.draws[example]++; nn.Largest(logits) == label {
			s.sum[example]++
		}
	}
	return nil
}
