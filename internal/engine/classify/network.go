package classify

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/math/simd"
	"tattle/internal/run"
)

const (
	// networkSteps bounds the steps of Adam. Paper B makes 50 epochs in batches of 100;
	// an audit fits hundreds of networks, on outputs of few columns, which so many
	// steps in larger batches settle.
	networkSteps = 600
	// networkBatchRows is the rows of a step, where there are enough for networkEpoch steps
	// an epoch.
	networkBatchRows = 256
	networkEpoch     = 8
	// networkEpochs is paper B's 50: fewer rows have fewer steps.
	networkEpochs = 50
	// networkPatience: a training ends if a quarter of its epochs bring nothing better than the epoch that was kept. Before one
	// is kept it goes on, as some signals are learned late.
	networkPatience = 4
	// networkRate is thrice paper B's 10⁻³, as batches are larger and steps fewer.
	networkRate = 3e-3
	// networkInputs bounds the layers' widths, 20 and 10 times the inputs.
	networkInputs = 20
	// networkFar cuts standardised inputs off: one value does not decide the gradient.
	networkFar = 10
)

// Network is paper B's G (zoo.Attack, Table 13) on standardised outputs, fitted by a
// NetworkTraining to the cross entropy or, for numbers, to the squared error. A fifth of the rows
// is held out. The epoch with the least loss there is kept, if it does better than a constant
// guess, which is the result otherwise. It deviates from B section 5.1.4, which
// curious.FitAttacks follows, in that choice, in the number of steps, their size and the batch, in
// the layers' widths where there are many outputs, as the constants say, and in standardising.
type Network struct {
	Inputs int // columns for which the layers are made wide enough; more columns do not make them wider. 0 is networkInputs
}

// Name returns "network".
func (Network) Name() string { return "network" }

// Suits returns true.
func (Network) Suits(Target) bool { return true }

// networks is a fitted Network.
type networks struct {
	shape
	scale *scaler
	nets  []*network
}

// Fit trains a network for each target; the seed draws weights, batches and dropout.
func (l Network) Fit(ctx context.Context, rows Rows, targets []Target, seed uint64) (Fitted, error) {
	s, err := check(l, rows, targets)
	if err != nil {
		return nil, err
	}
	f := &networks{s, rows.scale(), make([]*network, len(targets))}
	order := run.Rand(seed, 0, 0).Perm(rows.Len())
	z := make([]float32, rows.Len()*s.d) // in that order
	for k, i := range order {
		standardise(f.scale, networkFar, z[k*s.d:], rows.Row(i))
	}
	failed := make([]error, len(targets))
	simd.Parallel(len(targets), 1, func(lo, hi int) {
		for t := lo; t < hi; t++ {
			f.nets[t], failed[t] = fitNetwork(ctx, z, s.d, cmp.Or(l.Inputs, networkInputs), targets[t], order, run.Rand(seed, 1, t).Uint64())
		}
	})
	return f, errors.Join(append(failed, ctx.Err())...)
}

// predictBlock rows are guessed at once.
const predictBlock = 4096

// Predict gives log-odds of the classes up to a constant, or numbers.
func (f *networks) Predict(ctx context.Context, dst [][]float32, rows Rows) error {
	n := f.check(dst, rows)
	nets := make([]*nn.Net, len(f.nets))
	for t, w := range f.nets {
		if w.net != nil {
			nets[t] = w.net.Clone()
		}
	}
	for lo := 0; lo < n && ctx.Err() == nil; lo += predictBlock {
		hi := min(n, lo+predictBlock)
		z := make([]float32, (hi-lo)*f.d)
		for i := lo; i < hi; i++ {
			standardise(f.scale, networkFar, z[(i-lo)*f.d:], rows.Row(i))
		}
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
	response
	net *nn.Net // nil if there is one class only
}

func (w *network) predict(dst []float32, net *nn.Net, z []float32, n int) {
	scores := make([]float32, n*w.scores())
	if net != nil {
		net.Forward(scores, z)
	}
	w.deliver(dst, scores)
}

// fitNetwork trains on rows z, [n, d]: row i is of example order[i] of the target. The first fifth
// is held out; without any the guess is constant.
func fitNetwork(ctx context.Context, z []float32, d, most int, t Target, order []int, seed uint64) (*network, error) {
	r, labels, values := newResponse(t)
	w := &network{response: r}
	if t.Labels != nil && r.scores() == 1 {
		return w, nil
	}
	held := min(len(order)/5, treeHoldout)
	n := len(order) - held
	batch := min(max(min(networkBatchRows, n/networkEpoch), 1), n)
	g := attackNet(d, most, r.scores(), seed)
	constant := r.constant(labels)
	j := &networkJudge{width: r.scores()}
	fit := NetworkTraining{
		Graph: g, X: z[held*d:], Held: z[:held*d], Batch: batch, LearningRate: networkRate, Dropout: seed,
		Rand:  func(epoch int) *rand.Rand { return run.Rand(seed, 0, 1+epoch) },
		Judge: j.judge,
	}
	if held > 0 {
		fit.Epochs = min(networkEpochs, max(1, networkSteps/(n/batch)))
		fit.Patience = max(1, fit.Epochs/networkPatience)
	}
	for _, i := range order {
		if labels != nil {
			fit.Labels = append(fit.Labels, int(labels[i]))
		} else {
			fit.Values = append(fit.Values, float32(values[i]))
		}
	}
	if labels != nil {
		j.labels, fit.Labels = fit.Labels[:held], fit.Labels[held:]
	} else {
		j.values, fit.Values = fit.Values[:held], fit.Values[held:]
	}
	for i := range held {
		j.constant = append(j.constant, j.loss(constant, i))
	}
	best, err := fit.Run(ctx)
	if err != nil {
		return nil, err
	}
	if best.Epoch == 0 {
		guessConstant(g, constant)
	}
	w.net, err = nn.NewNet(g)
	return w, err
}

// attackNet returns zoo.Attack. With more columns than most it has the layers for most, because layers
// for d columns would have 200·d² weights.
func attackNet(d, most, outputs int, seed uint64) *nn.Graph {
	if d <= most {
		return zoo.Attack(d, outputs, seed)
	}
	g := zoo.Attack(most, outputs, seed)
	g.InputShape = []int{d}
	first := g.Nodes[0].Op.(*nn.Dense)
	first.In = d
	first.Weight.Shape = []int{first.Out, d}
	first.Weight.Data = make([]float32, first.Out*d)
	g.Init(seed)
	return g
}

// guessConstant makes a net give the same scores for all rows.
func guessConstant(g *nn.Graph, scores []float32) {
	params := g.Params()
	weight, bias := params[len(params)-2], params[len(params)-1]
	clear(weight.Data)
	copy(bias.Data, scores)
	weight.Changed()
	bias.Changed()
}

// networkJudge compares outputs on the rows held out with a constant guess.
type networkJudge struct {
	width    int
	labels   []int     // of the rows, nil for numbers
	values   []float32 // of the rows, if they are numbers
	constant []float64 // losses of the constant guess
}

// judge accepts weights whose loss is less than that of the constant guess by more than a standard
// error; the score is minus the loss. Without this condition, most networks that are trained on
// noise would beat the constant guess by chance at some step.
func (j *networkJudge) judge(_ int, outputs []float32) (score float64, ok bool, err error) {
	var sum, gain, squares float64
	for i, constant := range j.constant {
		loss := j.loss(outputs[i*j.width:][:j.width], i)
		g := constant - loss
		sum, gain, squares = sum+loss, gain+g, squares+g*g
	}
	return -sum, gain > math.Sqrt(squares-gain*gain/float64(len(j.constant))), nil
}

// loss returns the cross entropy, or the squared error, of a row that is held out.
func (j *networkJudge) loss(scores []float32, row int) float64 {
	if j.labels == nil {
		e := float64(scores[0] - j.values[row])
		return e * e
	}
	loss, _ := train.CrossEntropy(nil, scores, j.labels[row:row+1])
	return loss
}
