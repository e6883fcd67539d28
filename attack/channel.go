package attack

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tattle/internal/simd"
	"tattle/release"
)

// channel is what lies between features and attacker: noise on each of several
// releases, what is done to them, and the mean of what arrives.
type channel struct {
	noise   release.Noise
	post    release.Post
	queries int
	n       int
	z       []float64 // [batch, n]
	one     []float32 // [batch, n]
}

// maxDrawn is how many releases of one input are drawn one by one at most: of 784
// features, and batches of 200, that is two seconds in which no ctx is heeded.
const maxDrawn = 4096

func newChannel(noise release.Noise, queries int, post release.Post, n int) (*channel, error) {
	c := &channel{noise: noise, post: post, queries: max(1, queries), n: n}
	if g, ok := noise.(release.Gaussian); ok && post == (release.Post{}) {
		// The mean of k Gaussians is one, so a single draw will do.
		c.noise, c.queries = release.Gaussian{Sigma: g.Sigma / math.Sqrt(float64(c.queries))}, 1
	}
	if c.queries > maxDrawn {
		return nil, fmt.Errorf("attack: the mean of %d releases is of as many draws: give at most %d of them, or Gaussian noise and nothing done to the release, whose mean is one draw", c.queries, maxDrawn)
	}
	return c, nil
}

// release overwrites x, [batch, n], with what arrives of the features a, the noise
// on row i being of source(i). x may be a.
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
	if c.queries > 1 {
		sum = make([]float64, len(z))
	}
	for range c.queries {
		c.noise.Sample(z, r)
		for j, v := range a {
			one[j] = v + float32(z[j])
		}
		c.post.Apply(one, c.n)
		if c.queries == 1 {
			copy(x, one)
			return
		}
		for j, v := range one {
			sum[j] += float64(v)
		}
	}
	for j, v := range sum {
		x[j] = float32(v / float64(c.queries))
	}
}
