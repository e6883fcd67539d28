package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tattle/nn"
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
	// Keep, unless nil, is called after each epoch and its Validate with the state of the
	// training. It requires Adam and a graph without dropout and batch normalisation, which have a state of their own. An error ends the training.
	Keep func(State) error
	// From, unless nil, is the state that the training continues from.
	From *State
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
	if o.Keep != nil || o.From != nil {
		if err := stateful(g, o); err != nil {
			return Result{}, err
		}
	}
	optimizer := o.Optimizer(g.Params())
	trainer, err := NewTrainer(g, optimizer, o.Seed)
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
	if t.adam, _ = optimizer.(*Adam); o.From != nil {
		if err := t.restore(t.adam, *o.From); err != nil {
			return Result{}, err
		}
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
	t.update = step
	o := t.Options
	for epoch := len(t.result.Epochs); epoch < o.Epochs; epoch++ {
		if err := t.epoch(ctx, epoch); err != nil {
			return t.result, err
		}
		if o.Validate != nil {
			if err := o.Validate(epoch+1, t.result.Epochs[epoch]); err != nil {
				return t.result, err
			}
		}
		if o.Keep != nil {
			if err := o.Keep(t.state(t.adam)); err != nil {
				return t.result, err
			}
		}
	}
	return t.result, nil
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
	data   nn.Source
	update func(x []float32, indices []int) (loss float64, correct int) // one step, on examples that were read
	p      int                                                          // entries of an input
	order  []int
	x      []float32
	total  int
	result Result
	adam   *Adam // the optimiser, if it is that
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
	t := &training{Options: o, data: data, p: p, order: make([]int, data.Len()), x: make([]float32, o.Batch*p)}
	for i := range t.order {
		t.order[i] = i
	}
	t.total = o.Epochs * ((len(t.order)-1)/o.Batch + 1)
	return t, nil
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

// epoch sweeps over the data once, in an order of its own.
func (t *training) epoch(ctx context.Context, epoch int) error {
	t.shuffle(epoch)
	var sum float64
	var right int
	for lo := 0; lo < len(t.order); lo += t.Batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		indices := t.order[lo:min(len(t.order), lo+t.Batch)]
		loss, correct, err := t.step(indices)
		if err != nil {
			return err
		}
		sum += loss * float64(len(indices))
		right += correct
	}
	n := float64(len(t.order))
	t.result.Epochs = append(t.result.Epochs, Epoch{sum / n, float64(right) / n})
	return nil
}

// shuffle makes the order of an epoch from that of the epoch before.
func (t *training) shuffle(epoch int) {
	r := nn.Rand(t.Seed, 1+uint64(epoch))
	r.Shuffle(len(t.order), func(i, j int) { t.order[i], t.order[j] = t.order[j], t.order[i] })
}

func (t *training) step(indices []int) (loss float64, correct int, err error) {
	x := t.x[:len(indices)*t.p]
	t.data.Examples(x, indices)
	loss, correct = t.update(x, indices)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return loss, correct, fmt.Errorf("train: the loss of step %d is %v: %s", t.result.Steps+1, loss, Remedy)
	}
	t.result.Steps++
	if t.Progress != nil {
		t.Progress(t.result.Steps, t.total, loss)
	}
	return loss, correct, nil
}
