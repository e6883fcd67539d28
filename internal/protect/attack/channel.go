package attack

import (
	"fmt"
	"math/rand/v2"

	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
)

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
	if c.Queries = max(1, s.Queries); s.Post == (release.Post{}) {
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
		c.Post.Apply(one, c.n)
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
