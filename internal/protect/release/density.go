package release

import (
	"math"
	"slices"
	"sort"
)

// LogDensity returns ln f(z) up to a constant, −‖z‖²/2σ².
func (g Gaussian) LogDensity(z []float64) float64 {
	var s float64
	for _, v := range z {
		s += v * v
	}
	return -s / 2 / g.Sigma / g.Sigma
}

// LogDensity returns ln f(z) up to a constant, −‖z‖₁/b.
func (l Laplace) LogDensity(z []float64) float64 {
	var s float64
	for _, v := range z {
		s += math.Abs(v)
	}
	return -s / l.Scale
}

// LogDensity returns ln f(z) up to a constant: at most 0, linear between knots and beyond them.
func (t *Table) LogDensity(z []float64) float64 {
	last := len(t.x) - 1
	top := slices.Max(t.l)
	var s float64
	for _, v := range z {
		k := sort.SearchFloat64s(t.x, v)
		at := min(k, last)
		s += t.l[at] - top + t.slope[k]*(v-t.x[at])
	}
	return s
}
