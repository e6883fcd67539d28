package classify

import (
	"context"
	"errors"
	"math/rand/v2"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
)

// NetworkTraining trains one G, paper B's attack, on rows of numbers by Adam in shuffled batches,
// and keeps the epoch that does best on rows held out (B section 5.1.4).
type NetworkTraining struct {
	Graph  *nn.Graph // takes a row and gives a score for each class, or one number
	X      []float32 // rows to learn from, [n, d]
	Held   []float32 // rows held out, which choose the epoch, [m, d]
	Labels []int     // classes of the rows of X; nil for numbers
	Values []float32 // of the rows of X, if they are numbers; the loss is half the squared error

	Batch, Epochs int
	Patience      int // epochs in a row that are not kept, after which the training ends; 0 is all
	LearningRate  float64
	Dropout       uint64                              // seed of dropout
	Rand          func(epoch int) *rand.Rand          // as in train.Loop
	Progress      func(done, total int, loss float64) // called after each step, unless nil
	// Judge scores the outputs on Held after an epoch. An epoch that is not ok is not kept.
	Judge func(epoch int, outputs []float32) (score float64, ok bool, err error)
}

// Run trains the graph. It returns the epoch that was kept, 0 if none was, with its score. It
// returns an error if ctx ends or the loss is no longer finite. The graph then has the weights of the
// best epoch, too.
func (t *NetworkTraining) Run(ctx context.Context) (best *train.Best, err error) {
	net, err := nn.NewNet(t.Graph)
	if err != nil {
		return nil, err
	}
	adam := train.NewAdam(t.Graph.Params(), train.AdamOptions{LearningRate: t.LearningRate})
	trainer, err := train.NewTrainer(t.Graph, adam, t.Dropout)
	if err != nil {
		return nil, err
	}
	d, width := trainer.Dims()
	x, y, grad := make([]float32, t.Batch*d), make([]int, t.Batch), make([]float32, t.Batch) // of a step
	outputs := make([]float32, len(t.Held)/d*width)
	best = train.NewBest(t.Graph.State()...)
	loop := train.Loop{
		What: "attack", Examples: len(t.X) / d, Batch: t.Batch, Epochs: t.Epochs, Rand: t.Rand, Progress: t.Progress,
		Step: func(rows []int) (float64, error) { return t.step(trainer, x, y, grad, rows), nil },
		Sweep: func(_ context.Context, epoch int) error {
			net.Forward(outputs, t.Held)
			score, ok, err := t.Judge(epoch, outputs)
			if err == nil && ok {
				best.Offer(epoch, score)
			}
			if err == nil && t.Patience > 0 && best.Epoch > 0 && epoch-best.Epoch >= t.Patience {
				err = errSettled
			}
			return err
		},
	}
	if err = loop.Run(ctx); errors.Is(err, errSettled) {
		err = nil
	}
	if best.Epoch > 0 {
		best.Restore()
	}
	return best, err
}

// errSettled ends a training that has not become better for Patience epochs.
var errSettled = errors.New("settled")

// step makes a step on the cross entropy of the rows' classes or, of numbers, on half their mean
// squared error, and returns that loss. x [rows, d], y and grad are room for the rows.
func (t *NetworkTraining) step(trainer *train.Trainer, x []float32, y []int, grad []float32, rows []int) (loss float64) {
	d := len(x) / len(rows)
	for k, i := range rows {
		copy(x[k*d:][:d], t.X[i*d:])
		if t.Labels != nil {
			y[k] = t.Labels[i]
		}
	}
	if t.Labels != nil {
		loss, _ = trainer.Step(x, y)
		return loss
	}
	for k, v := range trainer.Forward(x) {
		e := v - t.Values[rows[k]]
		grad[k] = e / float32(len(rows))
		loss += .5 * float64(e*grad[k])
	}
	trainer.Backward(nil, grad)
	trainer.Update()
	return loss
}
