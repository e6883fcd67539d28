package classify

import (
	"context"
	"errors"

	"tattle/internal/simd"
	"tattle/nn"
	"tattle/run"
)

const (
	// networkSteps bounds the steps of Adam. Paper B makes 50 epochs in batches of 100;
	// an audit fits hundreds of networks, on outputs of few columns, which so many
	// steps in larger batches settle.
	networkSteps = 600
	// networkBatch is the rows of a step, where there are enough for networkEpoch steps
	// an epoch.
	networkBatch = 256
	networkEpoch = 8
	// networkEpochs is paper B's 50: fewer rows have fewer steps.
	networkEpochs = 50
	// networkRate is thrice paper B's 10⁻³, as batches are larger and steps fewer.
	networkRate = 3e-3
	// networkSweeps times, the network is compared on the rows held out.
	networkSweeps = 20
	// networkInputs bounds the layers' widths, 20 and 10 times the inputs.
	networkInputs = 20
	// networkFar cuts standardised inputs off: one value does not decide the gradient.
	networkFar = 10
)

// Network is paper B's G (zoo.Attack, Table 13) on standardised outputs, fitted by Adam
// to the cross entropy or, for numbers, to the squared error; the weights that do best
// on a fifth of the rows, held out, are kept, where they do better there than a constant
// guess. It deviates
// from B section 5.1.4 in the number of steps, their size and the batch, and in the
// layers' widths where there are many outputs, as the constants say; and in standardising.
// curious.FitAttacks trains the same net as B does: one loop for both would change the
// bytes of what either has trained.
type Network struct{}

// Name returns "network".
func (Network) Name() string { return "network" }

// Suits returns true.
func (Network) Suits(Target) bool { return true }

// networks is a fitted Network.
type networks struct {
	d      int
	scale  *scaler
	nets   []*network
	widths []int
}

// Fit trains a network for each target; the seed draws weights, batches and dropout.
func (l Network) Fit(ctx context.Context, x []float32, d int, targets []Target, seed uint64) (Fitted, error) {
	n, err := check(l, x, d, targets)
	if err != nil {
		return nil, err
	}
	f := &networks{d: d, scale: newScaler(x, d, networkFar), nets: make([]*network, len(targets))}
	z := make([]float32, len(x))
	f.scale.rows32(z, x)
	order := run.Rand(seed, 0, 0).Perm(n)
	failed := make([]error, len(targets))
	for _, t := range targets {
		f.widths = append(f.widths, t.Width())
	}
	simd.Parallel(len(targets), 1, func(lo, hi int) {
		for t := lo; t < hi; t++ {
			f.nets[t], failed[t] = l.fit(ctx, z, d, order, targets[t], run.Rand(seed, 1, t).Uint64())
		}
	})
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	return f, nil
}

// Predict gives log-odds of the classes up to a constant, or numbers.
func (f *networks) Predict(ctx context.Context, dst [][]float32, x []float32) error {
	n := checkPredict(dst, x, f.d, f.widths)
	nets := make([]*nn.Net, len(f.nets))
	for t, w := range f.nets {
		if w.net != nil {
			nets[t] = w.net.Clone()
		}
	}
	for lo := 0; lo < n && ctx.Err() == nil; lo += predictBlock {
		hi := min(n, lo+predictBlock)
		z := make([]float32, (hi-lo)*f.d)
		f.scale.rows32(z, x[lo*f.d:hi*f.d])
		for t, w := range f.widths {
			if dst[t] != nil {
				f.nets[t].predict(dst[t][lo*w:hi*w], nets[t], z, hi-lo)
			}
		}
	}
	return ctx.Err()
}

// network is G of one target.
type network struct {
	classes  classes
	standard standard // of numbers
	outputs  int
	net      *nn.Net // nil if there is one class only
}

func (w *network) predict(dst []float32, net *nn.Net, z []float32, n int) {
	scores := make([]float32, n*w.outputs)
	if net != nil {
		net.Forward(scores, z)
	}
	if w.classes.present != nil {
		w.classes.spread(dst, scores)
		return
	}
	for i, v := range scores {
		dst[i] = w.standard.back(float64(v))
	}
}
