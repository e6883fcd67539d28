package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/internal/simd"
	"tattle/nn"
	"tattle/run"
)

const (
	// DefaultSteps bounds the steps of Adam. Paper B makes 50 epochs in batches of 100;
	// an audit fits hundreds of networks, on outputs of few columns, which so many
	// steps in larger batches settle.
	DefaultSteps = 600
	// DefaultBatch is the rows of a step, where there are enough for networkEpoch steps
	// an epoch.
	DefaultBatch = 256
	networkEpoch = 8
	// networkEpochs is paper B's 50: fewer rows have fewer steps.
	networkEpochs = 50
	// DefaultNetworkRate is thrice paper B's 10⁻³, as batches are larger and steps fewer.
	DefaultNetworkRate = 3e-3
	// networkSweeps times, the network is compared on the rows held out.
	networkSweeps = 20
	// networkInputs bounds the layers' widths, 20 and 10 times the inputs.
	networkInputs = 20
	// networkFar cuts standardised inputs off: one value does not decide the gradient.
	networkFar = 10
)

// Network is paper B's G (nn.AttackNet, Table 13) on standardised outputs, fitted by Adam
// to the cross entropy or, for numbers, to the squared error; the weights that do best
// on a fifth of the rows, held out, are kept, where they do better there than a constant
// guess. It deviates from B section 5.1.4 in the
// number of steps, their size and the batch, as the constants say, and in standardising.
type Network struct {
	Steps, Batch int
	Rate         float64
}

// Name returns "network".
func (Network) Name() string { return "network" }

// Suits returns true.
func (Network) Suits(Target) bool { return true }

func (l Network) withDefaults(n int) Network {
	if l.Batch == 0 {
		l.Batch = min(DefaultBatch, n/networkEpoch)
	}
	l.Batch = min(max(l.Batch, 1), n)
	if l.Steps == 0 {
		l.Steps = min(DefaultSteps, networkEpochs*max(1, n/l.Batch))
	}
	if l.Rate == 0 {
		l.Rate = DefaultNetworkRate
	}
	return l
}

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
	net      *nn.Net // nil where there is one class only
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

// lesson is the training of one network.
type lesson struct {
	Network
	*network
	z           []float32 // [n, d]
	d           int
	labels      []int32
	values      []float32
	learn, hold []int // rows
	graph       *nn.Graph
	trainer     *nn.Trainer
	x, grad     []float32
	y           []int
	constant    []float64 // losses of the constant guess on the rows held out
	best        float64   // sum of losses there
	kept        [][]float32
}

func (l Network) fit(ctx context.Context, z []float32, d int, order []int, t Target, seed uint64) (*network, error) {
	hold := min(len(order)/5, treeHoldout)
	s := &lesson{Network: l.withDefaults(len(order) - hold), network: &network{outputs: 1}, z: z, d: d, best: math.Inf(1)}
	s.learn, s.hold = slices.Clone(order[hold:]), order[:hold]
	if t.Labels == nil {
		s.standard = standardOf(t.Values)
		for _, v := range s.standard.scores(t.Values) {
			s.values = append(s.values, float32(v))
		}
	} else if s.classes, s.labels = compact(t); len(s.classes.present) == 1 {
		return s.network, nil
	} else {
		s.outputs = len(s.classes.present)
	}
	if err := s.build(seed); err != nil {
		return nil, err
	}
	if hold == 0 {
		s.Steps = 0 // too few rows to tell what does well: a constant guess
	}
	return s.network, s.train(ctx, seed)
}

// build makes the net, its trainer and the buffers.
func (s *lesson) build(seed uint64) (err error) {
	s.graph = attackNet(s.d, s.outputs, seed)
	optimizer := nn.NewAdam(s.graph.Params(), nn.AdamOptions{LearningRate: s.Rate})
	if s.trainer, err = nn.NewTrainer(s.graph, optimizer, seed); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	if s.net, err = nn.NewNet(s.graph); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	s.x, s.y = make([]float32, s.Batch*s.d), make([]int, s.Batch)
	s.grad = make([]float32, s.Batch)
	s.startFromConstant()
	return nil
}

// attackNet is nn.AttackNet, with the layers of networkInputs where there are more, whose
// own would have 200·d² weights.
func attackNet(d, outputs int, seed uint64) *nn.Graph {
	if d <= networkInputs {
		return nn.AttackNet(d, outputs, seed)
	}
	g := nn.AttackNet(networkInputs, outputs, seed)
	g.InputShape = []int{d}
	first := g.Nodes[0].Op.(*nn.Dense)
	first.In = d
	first.Weight.Shape = []int{first.Out, d}
	first.Weight.Data = make([]float32, first.Out*d)
	g.Init(seed)
	return g
}

// startFromConstant keeps weights that guess the shares of the classes, or the mean, as
// the first to do better than.
func (s *lesson) startFromConstant() {
	params := s.graph.Params()
	first := make([][]float32, len(params))
	for i, p := range params {
		first[i] = slices.Clone(p.Data)
	}
	weight, bias := params[len(params)-2].Data, params[len(params)-1].Data
	clear(weight)
	clear(bias)
	if s.labels != nil {
		for c, share := range s.classes.shares(s.labels) {
			bias[c] = float32(math.Log(share))
		}
	}
	params[len(params)-2].Changed()
	params[len(params)-1].Changed()
	s.constant = s.heldOut()
	s.keep()
	s.restore(first)
}

// train makes the steps and keeps the best weights.
func (s *lesson) train(ctx context.Context, seed uint64) error {
	r := run.Rand(seed, 0, 1)
	at := len(s.learn)
	for step := range s.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if at+s.Batch > len(s.learn) {
			r.Shuffle(len(s.learn), func(i, j int) { s.learn[i], s.learn[j] = s.learn[j], s.learn[i] })
			at = 0
		}
		s.step(s.learn[at : at+s.Batch])
		at += s.Batch
		if sweeps := min(networkSweeps, s.Steps); (step+1)*sweeps/s.Steps > step*sweeps/s.Steps {
			s.sweep()
		}
	}
	s.restore(s.kept)
	return ctx.Err()
}

// restore puts parameters back.
func (s *lesson) restore(data [][]float32) {
	for i, p := range s.graph.Params() {
		copy(p.Data, data[i])
		p.Changed()
	}
}

// step learns from a batch.
func (s *lesson) step(rows []int) {
	for k, i := range rows {
		copy(s.x[k*s.d:(k+1)*s.d], s.z[i*s.d:])
		if s.labels != nil {
			s.y[k] = int(s.labels[i])
		}
	}
	if s.labels != nil {
		s.trainer.Step(s.x, s.y)
		return
	}
	for k, v := range s.trainer.Forward(s.x) {
		s.grad[k] = (v - s.values[rows[k]]) / float32(len(rows))
	}
	s.trainer.Backward(nil, s.grad)
	s.trainer.Update()
}

// sweep keeps the weights where they do better on the rows held out than any before, and
// than the constant guess by more than a standard error: most networks of noise do
// better than that by chance, one time or other.
func (s *lesson) sweep() {
	var sum, gain, squares float64
	losses := s.heldOut()
	for i, loss := range losses {
		g := s.constant[i] - loss
		sum, gain, squares = sum+loss, gain+g, squares+g*g
	}
	if sum < s.best && gain > math.Sqrt(squares-gain*gain/float64(len(losses))) {
		s.best = sum
		s.keep()
	}
}

func (s *lesson) keep() {
	s.kept = s.kept[:0]
	for _, p := range s.graph.Params() {
		s.kept = append(s.kept, slices.Clone(p.Data))
	}
}

// heldOut returns the losses of the rows held out.
func (s *lesson) heldOut() []float64 {
	n := len(s.hold)
	x, out := make([]float32, n*s.d), make([]float32, n*s.outputs)
	for k, i := range s.hold {
		copy(x[k*s.d:(k+1)*s.d], s.z[i*s.d:])
	}
	s.net.Forward(out, x)
	losses := make([]float64, n)
	for k, i := range s.hold {
		row := out[k*s.outputs : (k+1)*s.outputs]
		if s.labels == nil {
			r := float64(row[0] - s.values[i])
			losses[k] = r * r
		} else {
			losses[k], _ = nn.CrossEntropy(nil, row, []int{int(s.labels[i])})
		}
	}
	return losses
}
