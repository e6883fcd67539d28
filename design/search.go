package design

import (
	"context"
	"errors"

	"tattle/nn"
	"tattle/stat"
)

// Drop stands for the release's until that is there.
type Drop struct {
	Mean            float64
	Interval        stat.Interval
	Examples, Draws int
}

// Search sweeps the options' lines for the release of g's features at node ("" for
// those that enter its last affine layer) that keeps the target at the least drop of
// accuracy on test; without a target, for the most confidential that keeps to
// MaxDrop. train is what projections and attacks are fitted to; it may be nil where
// neither needs it.
func Search(ctx context.Context, g *nn.Graph, node string, train, test nn.Source, o Options) (*Answer, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return nil, errors.New("design: not yet")
}
