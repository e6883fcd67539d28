package nn

import (
	"fmt"
	"math"
	"slices"
)

// A Training is a Graph compiled for training: batch norms use and track the
// statistics of the batch, dropout draws masks, and Backward computes the gradients
// of the parameters. Equal seeds and batches give equal bytes on any number of
// cores. Package train changes the parameters by the gradients.
type Training interface {
	// Dims returns the number of inputs and of outputs of one example.
	Dims() (p, n int)
	// Forward returns the outputs at x, [batch, p] → [batch, n], in training. They
	// are valid until the next Forward and not to be changed.
	Forward(x []float32) []float32
	// Backward overwrites every Param.Grad with the gradient of a loss whose gradient
	// with respect to the outputs of the last Forward is dy, and, unless dx is nil,
	// dx with the one with respect to the inputs.
	Backward(dx, dy []float32)
	// Resume draws masks as after that many calls of Forward.
	Resume(steps int)
}

// training is behind an interface for the same reason for which Net hides its engines.
type training struct {
	engine   *engine[float32]
	tape     *tape[float32]
	seed     uint64
	steps    uint64
	learns   []bool // of each operator
	adds     []bool // of each that learns: it adds to gradients that were cleared
	cleared  []*Param
	toInput  *plan // backward plans with and without the input's cotangent
	toParams *plan
}

// NewTraining compiles g for training. Only the learned parameters get gradients.
// The seed is that of dropout. It returns an error if g is not well formed.
func NewTraining(g *Graph, learned []*Param, seed uint64) (Training, error) {
	t, err := newTraining(g, learned, seed, fuse)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func newTraining(g *Graph, learned []*Param, seed uint64, join func(*program[float32])) (*training, error) {
	if _, err := NewNet(g); err != nil {
		return nil, err
	}
	if n := g.Opaque(); n != nil {
		return nil, fmt.Errorf("net %q: node %q (%s) has no Jacobian, which training needs", g.Name, n.Name, n.Op.Kind())
	}
	p := newProgram(g, Op.kernel32, true)
	join(p)
	e := &engine[float32]{program: p, limit: math.MaxInt, resident: math.MaxInt, args: p.newArgs(), kept: p.keptTensors(true)}
	e.record = p.forwardPlan(e.kept, true)
	t := &training{engine: e, tape: &tape[float32]{engine: e, train: true}, seed: seed}
	if err := t.findLearners(learned); err != nil {
		return nil, fmt.Errorf("net %q: %w", g.Name, err)
	}
	return t, nil
}

// findLearners looks for the operators with parameters to learn and plans the
// backward sweeps.
func (t *training) findLearners(params []*Param) error {
	learned := map[*Param]bool{}
	for _, p := range params {
		learned[p] = true
	}
	users := map[*Param]int{}
	for _, s := range t.engine.steps {
		for _, p := range unique(paramsOf(s.op)) {
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
		for _, p := range paramsOf(s.op) {
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
		t.adds[i] = shared
		t.prepare(i)
	}
	t.toParams = t.engine.backwardPlan(wanted)
	t.toInput = t.engine.backwardPlan(slices.Repeat([]bool{true}, len(wanted)))
	return nil
}

// prepare makes the gradients of an operator's parameters.
func (t *training) prepare(i int) {
	for _, p := range unique(paramsOf(t.engine.steps[i].op)) {
		if len(p.Grad) != len(p.Data) {
			p.Grad = make([]float32, len(p.Data))
		}
		if t.adds[i] {
			t.cleared = append(t.cleared, p)
		}
	}
}

func (t *training) Dims() (p, n int) {
	return t.engine.sizes[0], t.engine.sizes[t.engine.output]
}

func (t *training) Resume(steps int) { t.steps = uint64(steps) }

func (t *training) Forward(x []float32) []float32 {
	p, _ := t.Dims()
	if len(x) == 0 || len(x)%p != 0 {
		panic(fmt.Sprintf("nn: %d values are not a whole number of examples of %d inputs", len(x), p))
	}
	t.tape.seed = mix(t.seed ^ mix(t.steps))
	t.steps++
	t.tape.record(x, len(x)/p)
	return t.tape.Features()
}

func (t *training) Backward(dx, dy []float32) {
	if t.tape.batch == 0 {
		panic("nn: Backward before Forward")
	}
	p, n := t.Dims()
	if b := t.tape.batch; len(dy) != b*n || dx != nil && len(dx) != b*p {
		panic(fmt.Sprintf("nn: gradients of %d inputs and %d outputs, want %d and %d", len(dx), len(dy), b*p, b*n))
	}
	for _, p := range t.cleared {
		clear(p.Grad)
	}
	plan := t.toParams
	if dx != nil {
		plan = t.toInput
	}
	b := &t.tape.blocks[0]
	t.engine.cotangents(plan, b.frames, dx, dy, t.tape.batch, 1, t.learn)
}

// learn is called with the cotangent of the output of each operator, and sets that
// of the input too where the operator does both at once.
func (t *training) learn(i int, f *frame[float32], dx [][]float32, dy []float32) (done bool) {
	k := t.engine.steps[i].kernel
	chain, _ := k.(*normChain)
	switch {
	case !t.learns[i]:
	case len(dy) == 0: // a kernel that has not run
		for _, p := range paramsOf(t.engine.steps[i].op) {
			if !t.adds[i] {
				clear(p.Grad)
			}
		}
	case t.adds[i]:
		k.(learner).grad(f, dy, 1)
	case chain != nil && dx[0] != nil:
		chain.gradVJP(f, dx[0], dy, 0)
		return true
	default:
		k.(learner).grad(f, dy, 0)
	}
	return false
}
