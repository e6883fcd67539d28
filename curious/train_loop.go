package curious

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tattle/run"
)

// A loop sweeps over examples in shuffled batches of one size; what is left over at
// the end of a sweep is dropped.
type loop struct {
	examples, batch, epochs int
	seed                    uint64
	stream                  int                                        // of the seed, for the order
	step                    func(indices []int) error                  // on one batch
	sweep                   func(ctx context.Context, epoch int) error // after each epoch, the first being 1
}

// steps returns the number of steps of an epoch.
func (l *loop) steps() int { return l.examples / l.batch }

// run sweeps, checking ctx between steps.
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
		if err := l.sweep(ctx, epoch+1); err != nil {
			return err
		}
	}
	return nil
}

// remedy is advice for losses and outputs that are not finite.
const remedy = "lower the learning rate or look for bad values in the data"

// finite returns an error if a loss is not.
func finite(what string, loss float64, step int) error {
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("%s: the loss of step %d is %v: %s", what, step, loss, remedy)
	}
	return nil
}

// diverged says that outputs after an epoch are not finite.
func diverged(what string, epoch int, err error) error {
	return fmt.Errorf("%s: after epoch %d %w: %s", what, epoch, err, remedy)
}

// stopped reports whether err is that ctx has ended: what was reached so far is worth
// keeping then, and not after another error.
func stopped(ctx context.Context, err error) bool {
	return err != nil && errors.Is(err, ctx.Err())
}
