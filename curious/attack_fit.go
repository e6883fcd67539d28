package curious

import (
	"context"

	"tattle/dataset"
	"tattle/nn"
)

// AttackOptions says how FitAttack trains G; the zero value is paper B's.
type AttackOptions struct {
	Net          func(y, s int, seed uint64) *nn.Graph // nil is nn.AttackNet, B Table 13
	Epochs       int                                   // 0 is DefaultEpochs
	Batch        int                                   // 0 is DefaultBatch; what is left at an epoch's end is dropped
	LearningRate float64                               // 0 is DefaultLearningRate
	Seed         uint64
	Progress     func(done, total int, loss float64) // called after each step
}

// FitAttack fits G for one of the sensitive attributes to the outputs of a frozen F
// (overlearning, B section 5.1.3, where F is a standard classifier) and keeps the
// epoch that guesses it best on the validation part. When ctx ends it returns the
// best so far, nil where no epoch was completed, and ctx's error.
func FitAttack(ctx context.Context, f *nn.Graph, p *dataset.Parts, index int, o AttackOptions) (*Attack, error) {
	panic("curious: FitAttack is being written")
}

// Predict returns f's outputs, [n, Y], of all examples. It errs where ctx ends.
func Predict(ctx context.Context, f *nn.Graph, data nn.Source) ([]float32, error) {
	panic("curious: Predict is being written")
}
