package attack

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

// batchOf is how many examples of p inputs go through the model and into one product: so
// few that ctx is checked every second.
func batchOf(p int) int { return min(512, max(16, 1<<19/p)) }

// maxMoments is the largest number of entries of [n, n] and [p, n] together, for n features and p inputs. They take 1 GiB, and four
// copies are held at once. A Prior has the same limit.
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

// channel turns features into the input of the attack: it adds noise to each of several
// releases, applies the post-processing, and takes the mean.
type channel struct {
	Setting
	n   int
	z   []float64 // [batch, n]
	one []float32 // [batch, n]
}

// maxDrawn limits how many releases of one input are drawn one by one: a batch of 200 with
// 784 features, during which ctx is not checked, then takes two seconds.
const maxDrawn = 4096

func newChannel(s Setting) (*channel, error) {
	c := &channel{Setting: s}
	_, c.n = s.Front.Dims()
	if c.Queries = max(1, s.Queries); !s.Label {
		c.Noise, c.Queries = release.MeanOf(s.Noise, c.Queries)
	}
	if c.Queries > maxDrawn {
		return nil, fmt.Errorf("attack: %d releases: give at most %d, or Gaussian or lattice noise without post-processing, whose mean is drawn at once", c.Queries, maxDrawn)
	}
	return c, nil
}

// release overwrites x, [batch, n], with the releases of the features a. source(i) draws the
// noise on row i. x may be a.
func (c *channel) release(x, a []float32, source func(i int) *rand.Rand) {
	if len(c.z) < len(a) {
		c.z, c.one = make([]float64, len(a)), make([]float32, len(a))
	}
	simd.Parallel(len(a)/c.n, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			at := i * c.n
			c.row(x[at:at+c.n], a[at:at+c.n], c.one[at:at+c.n], c.z[at:at+c.n], source(i))
		}
	})
}

func (c *channel) row(x, a, one []float32, z []float64, r *rand.Rand) {
	sum := z
	if c.Queries > 1 {
		sum = make([]float64, len(z))
	}
	for range c.Queries {
		c.Noise.Sample(z, r)
		for j, v := range a {
			one[j] = v + float32(z[j])
		}
		if c.Label {
			release.OneHot(one, c.n)
		}
		if c.Queries == 1 {
			copy(x, one)
			return
		}
		for j, v := range one {
			sum[j] += float64(v)
		}
	}
	for j, v := range sum {
		x[j] = float32(v / float64(c.Queries))
	}
}
