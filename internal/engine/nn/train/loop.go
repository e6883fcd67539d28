package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"tattle/internal/engine/nn"
)

// A Loop sweeps over examples in shuffled batches of one size. What is left over at the
// end of a sweep is dropped, unless Rest is set: the last batch is then smaller.
type Loop struct {
	What                    string // is trained; errors begin with it
	Examples, Batch, Epochs int
	Rest                    bool
	Rand                    func(epoch int) *rand.Rand                    // shuffles the order of an epoch, from 0 on, given that of the one before
	Step                    func(indices []int) (loss float64, err error) // on one batch
	Sweep                   func(ctx context.Context, epoch int) error    // after each epoch, the first being 1
	Progress                func(done, total int, loss float64)           // called after each step, unless nil

	First int // epochs that were done before
	Done  int // steps, those of before among them
}

// Steps returns the number of steps of an epoch.
func (l *Loop) Steps() int {
	if l.Rest {
		return (l.Examples-1)/l.Batch + 1
	}
	return l.Examples / l.Batch
}

// Run does all epochs. It returns the first error of Step and Sweep, an error if a loss is not
// finite, and that of ctx when it ends between two steps.
func (l *Loop) Run(ctx context.Context) error {
	order := nn.Indices(l.Examples)
	for epoch := range l.Epochs {
		l.Rand(epoch).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		if epoch < l.First {
			continue
		}
		for k := range l.Steps() {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := l.step(order[k*l.Batch : min(l.Examples, (k+1)*l.Batch)]); err != nil {
				return err
			}
		}
		if err := l.Sweep(ctx, epoch+1); err != nil {
			return err
		}
	}
	return nil
}

func (l *Loop) step(indices []int) error {
	loss, err := l.Step(indices)
	if err == nil {
		err = l.Finite("", loss)
	}
	if err != nil {
		return err
	}
	l.Done++
	if l.Progress != nil {
		l.Progress(l.Done, l.Steps()*l.Epochs, loss)
	}
	return nil
}

// Remedy is advice on losses and outputs that are not finite.
const Remedy = "lower the learning rate or look for bad values in the data"

// Finite returns an error if the loss of a part of the step in progress, "" for all of it, is not
// finite.
func (l *Loop) Finite(part string, loss float64) error {
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("%s: %sthe loss of step %d is %v: %s", l.What, part, l.Done+1, loss, Remedy)
	}
	return nil
}
