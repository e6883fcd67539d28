package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"tattle/internal/engine/nn"
)

// DefaultBatch is paper A's batch.
const DefaultBatch = 32

// Options are the settings of Fit.
type Options struct {
	Epochs int // zero means 1
	Batch  int // zero means DefaultBatch; an epoch's last batch has what is left
	Seed   uint64
	// Optimizer makes the optimiser; nil means NewAdamW with its defaults.
	Optimizer func(params []*nn.Param) Optimizer
	// Progress, unless nil, is called after each step with the steps done, those
	// of the whole training and the loss of this one.
	Progress func(done, total int, loss float64)
	// Validate, unless nil, is called after each epoch, the first being 1; an
	// error ends the training.
	Validate func(epoch int, e Epoch) error
	// Keep, unless nil, is called after each epoch and its Validate. It requires Adam. An
	// error ends the training.
	Keep func(Unfinished) error
	// From, unless nil, is what the training continues from.
	From *Unfinished
}

// Epoch is what one sweep over the data came to, in training: each batch counts
// as it was before its step.
type Epoch struct {
	Loss     float64 // mean cross entropy in nats
	Accuracy float64 // fraction of examples
}

// Result is what Fit did.
type Result struct {
	Epochs []Epoch // those that were completed
	Steps  int
}

// Fit fits the graph's parameters to the data by minimising the cross entropy
// of its outputs, as logits, in shuffled batches. It starts from the parameters
// as they are. Between steps it heeds ctx: when that ends, it returns what it has
// done and ctx's error. It returns an error if the data have no examples, if a label is not a
// class, and if the loss is no longer finite.
func Fit(ctx context.Context, g *nn.Graph, data nn.Source, o Options) (Result, error) {
	o = o.withDefaults()
	trainer, err := NewTrainer(g, o.Optimizer(g.Params()), o.Seed)
	if err != nil {
		return Result{}, fmt.Errorf("train: %w", err)
	}
	t, err := newTraining(trainer, data, o)
	if err != nil {
		return Result{}, err
	}
	_, n := trainer.Dims()
	if err := checkLabels(data.Label, data.Len(), n); err != nil {
		return Result{}, err
	}
	if err := t.resume(trainer); err != nil {
		return Result{}, err
	}
	y := make([]int, t.Batch)
	return t.run(ctx, func(x []float32, indices []int) (loss float64, correct int) {
		for i, index := range indices {
			y[i] = data.Label(index)
		}
		return trainer.Step(x, y[:len(indices)])
	})
}

// run makes all steps.
func (t *training) run(ctx context.Context, step func(x []float32, indices []int) (loss float64, correct int)) (Result, error) {
	var sum, right float64 // of an epoch
	t.loop.Step = func(indices []int) (float64, error) {
		x := t.x[:len(indices)*t.p]
		t.data.Examples(x, indices)
		loss, correct := step(x, indices)
		sum += loss * float64(len(indices))
		right += float64(correct)
		return loss, nil
	}
	t.loop.Sweep = func(_ context.Context, epoch int) error {
		n := float64(t.loop.Examples)
		e := Epoch{sum / n, right / n}
		sum, right = 0, 0
		t.result = Result{append(t.result.Epochs, e), t.loop.Done}
		if t.Validate != nil {
			if err := t.Validate(epoch, e); err != nil {
				return err
			}
		}
		return t.keep()
	}
	err := t.loop.Run(ctx)
	t.result.Steps = t.loop.Done
	return t.result, err
}

func (o Options) withDefaults() Options {
	if o.Epochs == 0 {
		o.Epochs = 1
	}
	if o.Batch == 0 {
		o.Batch = DefaultBatch
	}
	if o.Optimizer == nil {
		o.Optimizer = func(ps []*nn.Param) Optimizer { return NewAdamW(ps, AdamOptions{}) }
	}
	return o
}

// training is a run of Fit.
type training struct {
	Options
	data    nn.Source
	p       int // entries of an input
	x       []float32
	loop    *Loop
	result  Result
	trainer *Trainer
}

// newTraining prepares a training of a model that takes inputs of the size of m's.
func newTraining(m interface{ Dims() (p, n int) }, data nn.Source, o Options) (*training, error) {
	if o.Epochs < 0 || o.Batch < 0 {
		return nil, fmt.Errorf("train: %d epochs in batches of %d: neither may be negative", o.Epochs, o.Batch)
	}
	if data.Len() == 0 {
		return nil, errors.New("train: the data has no examples")
	}
	p, _ := m.Dims()
	o.Batch = min(o.Batch, data.Len())
	return &training{Options: o, data: data, p: p, x: make([]float32, o.Batch*p), loop: &Loop{
		What: "train", Examples: data.Len(), Batch: o.Batch, Epochs: o.Epochs, Rest: true, Progress: o.Progress,
		Rand: func(epoch int) *rand.Rand { return nn.Rand(o.Seed, 1+uint64(epoch)) },
	}}, nil
}

// checkLabels returns an error unless all labels are classes.
func checkLabels(label func(i int) int, examples, classes int) error {
	for i := range examples {
		if l := label(i); l < 0 || l >= classes {
			return fmt.Errorf("train: example %d has label %d, but the net has the classes 0 to %d", i, l, classes-1)
		}
	}
	return nil
}
