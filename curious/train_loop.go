package curious

import (
	"context"
	"fmt"
	"math"

	"tattle/run"
)

// A loop sweeps over examples in shuffled batches of one size; what is left over at
// the end of a sweep is dropped.
type loop struct {
	examples, batch, epochs int
	seed                    uint64
	stream                  int                       // of the seed, for the order
	step                    func(indices []int) error // on one batch
	sweep                   func(epoch int) error     // after each epoch, the first being 1
}

// steps returns the number of steps of an epoch.
func (l *loop) steps() int { return l.examples / l.batch }

// run sweeps, heeding ctx between steps.
func (l *loop) run(ctx context.Context) error {
	order := make([]int, l.examples)
	for i := range order {
		order[i] = i
	}
	for epoch := range l.epochs {
		run.Rand(l.seed, l.stream, epoch).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for k := range l.steps() {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := l.step(order[k*l.batch:][:l.batch]); err != nil {
				return err
			}
		}
		if err := l.sweep(epoch + 1); err != nil {
			return err
		}
	}
	return nil
}

// finite errs where a loss is not.
func finite(what string, loss float64, step int) error {
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("%s: the loss of step %d is %v: lower the learning rate or look for bad values in the data", what, step, loss)
	}
	return nil
}
