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
func (c *Certifier) round(l release.Lattice) {
	_, n := c.Net.Dims()
	parallel(len(c.illegal), func(r int) {
		b := rowOf(c.b, r, n)
		for j, a := range rowOf(c.a, r, n) {
			e := (b[j] + c.Runtime) * (1 + 2*ulp)
			if math.IsNaN(e) {
				e = math.Inf(1)
			}
			point := l.Point(a)
			low, high := l.Points(a, e)
			c.a[r*n+j], b[j] = point, max(high-point, point-low)
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
