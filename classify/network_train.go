package classify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tattle/nn"
	"tattle/nn/train"
	"tattle/nn/zoo"
	"tattle/run"
)

// networkTraining is the training of one network.
type networkTraining struct {
	*network
	batch, steps int
	z            []float32 // [n, d]
	d            int
	labels       []int32
	values       []float32
	learn, hold  []int // rows
	graph        *nn.Graph
	trainer      *train.Trainer
	x, grad      []float32
	y            []int
	constant     []float64 // losses of the constant guess on the rows held out
	best         float64   // sum of losses there
	kept         [][]float32
}

func (l Network) fit(ctx context.Context, z []float32, d int, order []int, t Target, seed uint64) (*network, error) {
	hold := min(len(order)/5, treeHoldout)
	n := len(order) - hold
	batch := min(max(min(networkBatch, n/networkEpoch), 1), n)
	s := &networkTraining{
		network: &network{outputs: 1}, batch: batch, steps: min(networkSteps, networkEpochs*max(1, n/batch)),
		z: z, d: d, best: math.Inf(1),
	}
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
		s.steps = 0 // too few rows to choose by: a constant guess
	}
	return s.network, s.train(ctx, seed)
}

// build makes the net, its trainer and the buffers.
func (s *networkTraining) build(seed uint64) (err error) {
	s.graph = attackNet(s.d, s.outputs, seed)
	optimizer := train.NewAdam(s.graph.Params(), train.AdamOptions{LearningRate: networkRate})
	if s.trainer, err = train.NewTrainer(s.graph, optimizer, seed); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	if s.net, err = nn.NewNet(s.graph); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	s.x, s.y = make([]float32, s.batch*s.d), make([]int, s.batch)
	s.grad = make([]float32, s.batch)
	s.startFromConstant()
	return nil
}

// attackNet returns zoo.Attack. With more than networkInputs columns it has the layers for
// networkInputs, because layers for d columns would have 200·d² weights.
func attackNet(d, outputs int, seed uint64) *nn.Graph {
	if d <= networkInputs {
		return zoo.Attack(d, outputs, seed)
	}
	g := zoo.Attack(networkInputs, outputs, seed)
	g.InputShape = []int{d}
	first := g.Nodes[0].Op.(*nn.Dense)
	first.In = d
	first.Weight.Shape = []int{first.Out, d}
	first.Weight.Data = make([]float32, first.Out*d)
	g.Init(seed)
	return g
}

// startFromConstant stores weights that guess the frequencies of the classes, or the mean. They
// are the result if training does not improve on them.
func (s *networkTraining) startFromConstant() {
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

// train runs the steps and keeps the best weights.
func (s *networkTraining) train(ctx context.Context, seed uint64) error {
	r := run.Rand(seed, 0, 1)
	at := len(s.learn)
	for step := range s.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if at+s.batch > len(s.learn) {
			r.Shuffle(len(s.learn), func(i, j int) { s.learn[i], s.learn[j] = s.learn[j], s.learn[i] })
			at = 0
		}
		s.step(s.learn[at : at+s.batch])
		at += s.batch
		if sweeps := min(networkSweeps, s.steps); (step+1)*sweeps/s.steps > step*sweeps/s.steps {
			s.sweep()
		}
	}
	s.restore(s.kept)
	return ctx.Err()
}

// restore puts parameters back.
func (s *networkTraining) restore(data [][]float32) {
	for i, p := range s.graph.Params() {
		copy(p.Data, data[i])
		p.Changed()
	}
}

// step learns from a batch.
func (s *networkTraining) step(rows []int) {
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

// sweep keeps the weights if their loss on the rows held out is less than any before, and less
// than that of the constant guess by more than a standard error. Without the second condition,
// most networks that are trained on noise would beat the constant guess by chance at some step.
func (s *networkTraining) sweep() {
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

func (s *networkTraining) keep() {
	s.kept = s.kept[:0]
	for _, p := range s.graph.Params() {
		s.kept = append(s.kept, slices.Clone(p.Data))
	}
}

// heldOut returns the losses of the rows held out.
func (s *networkTraining) heldOut() []float64 {
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
			losses[k], _ = train.CrossEntropy(nil, row, []int{int(s.labels[i])})
		}
	}
	return losses
}
