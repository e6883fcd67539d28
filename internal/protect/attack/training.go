package attack

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/run"
)

// batchOf is how many examples of p inputs go through the model and into one product: so
// few that ctx is checked every second.
func batchOf(p int) int { return min(512, max(16, 1<<19/p)) }

// maxMoments bounds the second moments, [n, n] and [p, n], of which four are
// held at once, to 1 GiB each: as many features and inputs as a Prior takes.
const maxMoments = 1 << 27

// trainingSet chooses at most most examples of the data by the seed, in order.
func (s Setting) trainingSet(most int) ([]int, error) {
	if s.Data.Len() < 2 {
		return nil, errors.New("attack: training data of fewer than two examples: give more")
	}
	order := nn.Indices(s.Data.Len())
	if most < len(order) {
		r := run.Rand(s.Seed^trainingStream, -1, 0)
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		order = order[:max(2, most)]
		slices.Sort(order)
	}
	return order, nil
}

// eachBatch calls f with the inputs and features of one batch after the other. Features that the memo knows are not computed.
func (s Setting) eachBatch(ctx context.Context, indices []int, f func(indices []int, a, theta []float32)) error {
	p, n := s.Front.Dims()
	a := make([]float32, min(batchOf(p), len(indices))*n)
	return nn.EachBatch(ctx, s.Data, p, indices, batchOf(p), func(batch []int, theta []float32) error {
		a := a[:len(batch)*n]
		if !s.Memo.Known(a, batch) {
			s.Front.Forward(a, theta)
		}
		if !nn.Finite(a) || !nn.Finite(theta) {
			return fmt.Errorf("attack: a feature of examples %d to %d is not finite: look for bad values in the data and the model", batch[0], batch[len(batch)-1])
		}
		f(batch, a, theta)
		return nil
	})
}

// trainingStream keeps the noise that attacks are trained with apart from the noise
// that they are measured on, where both have one seed.
const trainingStream = 0x7a11

// sources returns the noise's generator of each example, draw being the restart.
func sources(seed uint64, indices []int, draw int) func(i int) *rand.Rand {
	return func(i int) *rand.Rand { return run.Rand(seed, indices[i], draw) }
}
