package curious

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"tattle/internal/engine/nn/train"
	"tattle/internal/run"
)

// orders returns what shuffles the examples of each epoch, by a stream of the seed.
func orders(seed uint64, stream int) func(epoch int) *rand.Rand {
	return func(epoch int) *rand.Rand { return run.Rand(seed, stream, epoch) }
}

// diverged says that outputs after an epoch are not finite.
func diverged(what string, epoch int, err error) error {
	return fmt.Errorf("%s: after epoch %d %w: %s", what, epoch, err, train.Remedy)
}

// stopped reports whether err is that ctx has ended: what was reached so far is worth
// keeping then, and not after another error.
func stopped(ctx context.Context, err error) bool {
	return err != nil && errors.Is(err, ctx.Err())
}
