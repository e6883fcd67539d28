package nn

import (
	"fmt"
	"math"
)

// A Trainer fits the parameters of a graph by steps of an Optimizer: batch norms
// use and track the statistics of the batch, and dropout draws masks. Equal seeds
// and batches give equal bytes, however many cores take part.
type Trainer struct {
	engine    *engine[float32]
	tape      *tape[float32]
	optimizer Optimizer
	seed      uint64
	steps     uint64
	learns    []bool // of each operator
	adds      []bool // of each that learns: it adds to gradients that were cleared
	cleared   []*Param
	toInput   *plan // backward plans with and without the input's cotangent
	toParams  *plan
	grad      []float32 // of the outputs
}

// NewTrainer compiles g for training with the optimiser, whose parameters are
// those that learn; the others stay as they are. seed is dropout's. It errs where
// g is not well formed.
func NewTrainer(g *Graph, o Optimizer, seed uint64) (*Trainer, error) {
	return newTrainer(g, o, seed, fuse)
}

func newTrainer(g *Graph, o Optimizer, seed uint64, join func(*program[float32])) (*Trainer, error) {
	if _, err := NewNet(g); err != nil {
		return nil, err
	}
	p := newProgram(g, Op.kernel32, true)
	join(p)
	e := &engine[float32]{program: p, limit: math.MaxInt, resident: math.MaxInt, args: p.newArgs(), kept: p.keptTensors(true)}
	e.record = p.recordPlan(e.kept)
	t := &Trainer{engine: e, tape: &tape[float32]{engine: e, train: true}, optimizer: o, seed: seed}
	if err := t.findLearners(); err != nil {
		return nil, fmt.Errorf("net %q: %w", g.Name, err)
	}
	return t, nil
}

// findLearners looks for the operators with parameters to learn and plans the
// backward sweeps.
func (t *Trainer) findLearners() error {
	learned := map[*Param]bool{}
	for _, p := range t.optimizer.Params() {
		learned[p] = true
	}
	users := map[*Param]int{}
	for _, s := range t.engine.steps {
		for _, p := range unique(s.op.Params()) {
			users[p]++
		}
	}
	t.learns, t.adds = make([]bool, len(t.engine.steps)), make([]bool, len(t.engine.steps))
	wanted := make([]bool, len(t.engine.sizes))
	for i, s := range t.engine.steps {
		for _, in := range s.in {
			wanted[s.out] = wanted[s.out] || wanted[in]
		}
		shared := false
		for _, p := range s.op.Params() {
			t.learns[i] = t.learns[i] || learned[p]
			shared = shared || users[p] > 1
		}
		if !t.learns[i] {
			continue
		}
		wanted[s.out] = true
		if _, ok := s.kernel.(learner); !ok {
			return fmt.Errorf("operator %s cannot be trained", s.op.Kind())
		}
		_, overwrites := s.kernel.(overwriter)
		t.adds[i] = shared || !overwrites
		t.prepare(i)
	}
	t.toParams = t.engine.backwardPlan(wanted)
	for i := range wanted {
		wanted[i] = true
	}
	t.toInput = t.engine.backwardPlan(wanted)
	return nil
}

// prepare makes the gradients of an operator's parameters.
func (t *Trainer) prepare(i int) {
	for _, p := range unique(t.engine.steps[i].op.Params()) {
		if len(p.Grad) != len(p.Data) {
			p.Grad = make([]float32, len(p.Data))
		}
		if t.adds[i] {
			t.cleared = append(t.cleared, p)
		}
	}
}

// Dims returns the number of inputs and of outputs of one example.
func (t *Trainer) Dims() (p, n int) {
	return t.engine.sizes[0], t.engine.sizes[t.engine.output]
}

// Forward returns the outputs at x, [batch, p] → [batch, n], in training. They
// are valid until the next Forward and not to be changed.
func (t *Trainer) Forward(x []float32) []float32 {
	p, _ := t.Dims()
	if len(x) == 0 || len(x)%p != 0 {
		panic(fmt.Sprintf("nn: %d inputs are no batch of %d each", len(x), p))
	}
	t.tape.seed = mix(t.seed ^ mix(t.steps))
	t.steps++
	t.tape.record(x, len(x)/p)
	return t.tape.Features()
}

// Backward overwrites every Param.Grad with the gradient of a loss whose gradient
// with respect to the outputs of the last Forward is dy, and, unless dx is nil,
// dx with the one with respect to the inputs.
func (t *Trainer) Backward(dx, dy []float32) {
	if t.tape.batch == 0 {
		panic("nn: Backward before Forward")
	}
	p, n := t.Dims()
	if b := t.tape.batch; len(dy) != b*n || dx != nil && len(dx) != b*p {
		panic(fmt.Sprintf("nn: %d and %d entries are no gradients of %d examples of %d inputs and %d outputs", len(dx), len(dy), b, p, n))
	}
	for _, p := range t.cleared {
		clear(p.Grad)
	}
	plan := t.toParams
	if dx != nil {
		plan = t.toInput
	}
	b := &t.tape.blocks[0]
	t.engine.cotangents(plan, b.frames, dx, dy, t.tape.batch, 1, t)
}

// learn is called with the cotangent of the output of each operator, and sets that
// of the input too where the operator does both at once.
func (t *Trainer) learn(i int, f *frame[float32], dx [][]float32, dy []float32) (done bool) {
	k := t.engine.steps[i].kernel
	joint, _ := k.(jointLearner)
	switch {
	case !t.learns[i]:
	case len(dy) == 0: // a kernel that has not run
		for _, p := range t.engine.steps[i].op.Params() {
			if !t.adds[i] {
				clear(p.Grad)
			}
		}
	case t.adds[i]:
		k.(learner).grad(f, dy)
	case joint != nil && dx[0] != nil:
		joint.overwriteGradVJP(f, dx[0], dy)
		return true
	default:
		k.(overwriter).overwriteGrad(f, dy)
	}
	return false
}

// Update makes the optimiser's step with the gradients of the last Backward.
func (t *Trainer) Update() { t.optimizer.Step() }

// Step makes one step on the mean cross entropy of the logits at x, [batch, p],
// with the labels y. It returns that loss and the number of examples classified
// correctly, both before the step. Where the loss is not finite no parameter
// learns.
func (t *Trainer) Step(x []float32, y []int) (loss float64, correct int) {
	logits := t.Forward(x)
	t.grad = sized(t.grad, len(logits))
	loss, correct = CrossEntropy(t.grad, logits, y)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return loss, correct
	}
	t.Backward(nil, t.grad)
	t.Update()
	return loss, correct
}
