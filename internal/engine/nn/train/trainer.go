package train

import (
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// A Trainer changes the parameters of a graph by steps of an Optimizer. Forward,
// Backward and Dims are those of [nn.Training].
type Trainer struct {
	nn.Training
	optimizer Optimizer
	state     []*nn.Param // the parameters and running statistics of the graph
	grad      []float32   // of the outputs
}

// NewTrainer compiles g for training. The optimizer's parameters learn, the others
// stay as they are. The seed is that of dropout. It returns an error if g is not
// well formed.
func NewTrainer(g *nn.Graph, o Optimizer, seed uint64) (*Trainer, error) {
	t, err := nn.NewTraining(g, o.Params(), seed)
	if err != nil {
		return nil, err
	}
	return &Trainer{Training: t, optimizer: o, state: g.State()}, nil
}

// Update makes a step of the optimizer with the gradients of the last Backward.
func (t *Trainer) Update() { t.optimizer.Step() }

// Step makes one step on the mean cross entropy of the logits at x, [batch, p],
// with the labels y. It returns that loss and the number of correctly classified
// examples, both before the step. If the loss is not finite, the parameters stay as
// they are.
func (t *Trainer) Step(x []float32, y []int) (loss float64, correct int) {
	logits := t.Forward(x)
	t.grad = slices.Grow(t.grad[:0], len(logits))[:len(logits)]
	loss, correct = CrossEntropy(t.grad, logits, y)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return loss, correct
	}
	t.Backward(nil, t.grad)
	t.Update()
	return loss, correct
}
