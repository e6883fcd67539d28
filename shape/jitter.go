package shape

import (
	"math"

	"tattle/internal/simd"
	"tattle/nn"
	"tattle/run"
)

// A jittered source adds Gaussian numbers to its examples, other ones each time.
type jittered struct {
	nn.Source
	by    []float32 // standard deviation of each number
	seed  uint64
	calls int
}

const streamJitter = 0x6a6974746572 // "jitter"

func (s *jittered) Examples(x []float32, indices []int) {
	s.Source.Examples(x, indices)
	n := len(s.by)
	simd.Parallel(len(indices), 4, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			r := run.Rand(s.seed^streamJitter, s.calls, i)
			for k, by := range s.by {
				x[i*n+k] += by * float32(r.NormFloat64())
			}
		}
	})
	s.calls++
}

// stds returns the standard deviations of the features, times a factor.
func (m *Moments) stds(factor float64) []float32 {
	c, s := m.Covariance(), make([]float32, m.N)
	for i := range s {
		s[i] = float32(factor * math.Sqrt(max(c.At(i, i), 0)))
	}
	return s
}
