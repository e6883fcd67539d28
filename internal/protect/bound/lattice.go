package bound

import (
	"math"

	"tattle/internal/protect/release"
)

// latticeSize is the default size of perturbations under Lattice noise, as a fraction of σ. Where
// the features move by much less than Δ, their change is that of their rounding.
const latticeSize = .5

// lattice reports whether features are rounded to a lattice before the noise is added.
func (e Experiment) lattice() bool {
	_, ok := e.Noise.(release.Lattice)
	return ok
}

// round replaces the features of all points by those on the lattice. The device computes features
// that lie within b + Runtime of the computed ones; their error becomes how far the point
// of such a feature can lie from the point of the computed one: 0 where it is the same,
// and at most Δ⌈(b + Runtime)/Δ⌉. It is exact, because points are multiples of Δ. So z
// is a difference of integers times Δ, and its error that of the device's integers.
//
// With Ball, this is so if no features within the error are clipped: the front has clipped them to a smaller ball. Else all
// that is known of the device's integers is that they are within the ball, and the error is that of any two such points.
func (c *Certifier) round(l release.Lattice) {
	_, n := c.Net.Dims()
	parallel(len(c.illegal), func(r int) {
		a, b := rowOf(c.a, r, n), rowOf(c.b, r, n)
		square := 0.
		for j := range a {
			if b[j] = (b[j] + c.Runtime) * (1 + 2*ulp); math.IsNaN(b[j]) {
				b[j] = math.Inf(1)
			}
			square += (math.Abs(a[j]) + b[j]) * (math.Abs(a[j]) + b[j])
		}
		clipped := l.Ball && !(math.Sqrt(square)*(1+float64(n+8)*ulp) <= l.Inside())
		for j := range a {
			low, high := l.Points(a[j], b[j])
			if a[j] = l.Point(a[j]); clipped {
				low, high = -l.Clip, l.Clip
			}
			b[j] = max(high-a[j], a[j]-low)
		}
	})
}

// moves returns how far a runtime moves the features beyond what their errors say already.
func (c *Certifier) moves() float64 {
	if _, ok := c.Noise.(release.Lattice); ok {
		return 0
	}
	return c.Runtime
}
