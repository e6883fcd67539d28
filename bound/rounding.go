package bound

import (
	"context"
	"fmt"
	"math"

	"tattle/internal/simd"
	"tattle/nn"
	"tattle/release"
	"tattle/run"
)

// How the rounding of the features is known, as Experiment.Rounding says it.
const (
	RoundingProved   = "proved"           // by the running error analysis of a float64 pass
	RoundingPairs    = "proved, in pairs" // by that of a pass in pairs of float64, for nets so deep that the first says nothing
	RoundingMeasured = "measured"         // as far as two computations in float64 differ, many times over: an estimate
)

const (
	// roundingGood: if the proved allowance is at most this fraction of ‖z‖, no other
	// method is tried, as it costs at most a thousandth of a bound.
	roundingGood = 1e-3
	// roundingUseful is the largest useful ratio of an allowance to ‖z‖: a larger one
	// takes more than a tenth of a bound, and is not worth its cost in time or in the
	// status of the bound.
	roundingUseful = 0.1
	// measuredFactor: the measured error of z is so many times the distance between two
	// independent computations of it. Rounding errors are nearly random: if both were off
	// by a thousand times their distance, the cause would be a bug and not rounding.
	measuredFactor = 1000
)

// A wideNet is a Net that can also evaluate its features in pairs of float64, with
// about 106 bits. *nn.Net is one.
type wideNet interface {
	Net
	// Wide returns an error that says why the net has no such pass, nil if it has one.
	Wide() error
	// ForwardWide64 is ForwardError64 with a sum of two float64 for every number on
	// the way.
	ForwardWide64(dst, bound, x, xerr []float64) error
}

// A shifter has what is needed to measure rounding: every nn.Model.
type shifter interface {
	Forward64(dst, x []float64)
	Linearize64(x []float64) nn.Linearization[float64]
}

// rounding chooses how the rounding of features is known. It tries a witness of the first
// size, in a random direction, at the first example of theta, and chooses the first of:
//   - the plain proof, if the bound loses at most a thousandth by the allowance;
//   - the proof in pairs, if the net has one, and the bound loses at most a tenth;
//   - the measurement, which proves nothing, if only that loses at most a tenth. It is not
//     for nets that jump: two computations may agree on the wrong side of a jump;
//   - the plain proof.
func (e Experiment) rounding(m Model, theta []float32) string {
	p, _ := m.Dims()
	theta = theta[:min(p, len(theta))]
	eps := e.trial(m, theta)
	if eps == nil {
		return RoundingProved
	}
	part := func(how string) float64 {
		c := e.certifier(m)
		c.Rounding, c.Domain = how, Free
		if e.lattice() { // the features before they are rounded to it
			c.Noise = release.Gaussian{Sigma: e.Noise.Std()}
		}
		d := c.Divergences(context.Background(), theta, eps)[0]
		return d.Allowance / d.ZNorm
	}
	proved := part(RoundingProved)
	if proved <= roundingGood || math.IsNaN(proved) {
		return RoundingProved
	}
	if w, ok := m.(wideNet); ok && w.Wide() == nil && part(RoundingPairs) <= min(roundingUseful, proved) {
		return RoundingPairs
	}
	if !(proved <= roundingUseful) && smooth(m) == nil && part(RoundingMeasured) <= roundingUseful {
		return RoundingMeasured
	}
	return RoundingProved
}

// trial returns a perturbation of the first size in a random direction, nil if
// the features do not move.
func (e Experiment) trial(m Model, theta []float32) []float32 {
	p, n := m.Dims()
	if len(theta) < p || len(e.Sizes) == 0 {
		return nil
	}
	g := run.Rand(e.Search.Seed, -1, 0)
	d, moved := make([]float64, p), make([]float64, n)
	for i := range d {
		d[i] = g.NormFloat64()
	}
	m.Linearize64(widened64(theta)).JVP(moved, d)
	scale := e.Sizes[0] * e.Scale() / math.Sqrt(simd.SumSquares(moved))
	if math.IsNaN(scale) || math.IsInf(scale, 0) {
		return nil
	}
	eps := make([]float32, p)
	for i, v := range d {
		eps[i] = float32(v * scale)
	}
	return eps
}

// features computes rows lo to hi of the points' features, with bounds on their
// errors. Rows that a wide pass cannot do prove nothing.
func (c *Certifier) features(lo, hi int) {
	p, n := c.Net.Dims()
	a, b := c.a[lo*n:hi*n], c.b[lo*n:hi*n]
	x, xerr := c.x[lo*p:hi*p], c.xerr[lo*p:hi*p]
	switch c.Rounding {
	case RoundingPairs:
		if err := c.wide().ForwardWide64(a, b, x, xerr); err != nil {
			for i := range b {
				b[i] = math.Inf(1)
			}
		}
	case RoundingMeasured:
		c.shifts().Forward64(a, x)
	default:
		c.Net.ForwardError64(a, b, x, xerr)
	}
}

func (c *Certifier) wide() wideNet {
	if w, ok := c.Net.(wideNet); ok {
		return w
	}
	panic(fmt.Sprintf("bound: the net of a certifier with rounding %q has no pass in pairs", c.Rounding))
}

func (c *Certifier) shifts() shifter {
	if s, ok := c.Net.(shifter); ok {
		return s
	}
	panic(fmt.Sprintf("bound: the net of a certifier with rounding %q has no second way to move its features", c.Rounding))
}

// measure overwrites the error bounds of every example's points by the distance of
// two computations of z, times measuredFactor: the difference of two passes, whose
// error is that of features, and the shift of the features, which does not subtract
// what is nearly equal. For Gaussian noise the norm of the error counts, which is
// spread evenly; for other noise every entry is given the largest error of any. So
// that no two computations agree by chance, they are taken to differ by at least one
// rounding of every feature.
func measure[T nn.Float](ctx context.Context, c *Certifier, per int, eps []T) {
	p, n := c.Net.Dims()
	moved := make([]float64, c.rows()*n)
	for first := 0; first < len(c.illegal); first += per {
		own := eps[first/per*(per-1)*p : (first/per+1)*(per-1)*p]
		clear(c.b[first*n : (first+1)*n])
		lin := c.shifts().Linearize64(c.x[first*p : (first+1)*p])
		for lo := 0; lo < per-1 && ctx.Err() == nil; lo += c.rows() {
			hi := min(per-1, lo+c.rows())
			z := moved[:(hi-lo)*n]
			lin.Shift(z, widened64(own[lo*p:hi*p]))
			for k := lo; k < hi; k++ {
				c.apart(first, first+1+k, rowOf(z, k-lo, n))
			}
		}
	}
}

// apart sets the error bounds of a row from z, a second computation of its change of features.
func (c *Certifier) apart(first, row int, z []float64) {
	n := len(z)
	a0, a1, b := rowOf(c.a, first, n), rowOf(c.a, row, n), rowOf(c.b, row, n)
	var square, most, least float64
	for j, v := range z {
		d := math.Abs(a1[j] - a0[j] - v)
		r := ulp * (math.Abs(a0[j]) + math.Abs(a1[j]))
		square, least = square+d*d, least+r*r
		most = max(most, d, r)
	}
	e := most
	if c.normOnly() {
		e = math.Sqrt(max(square, least) / float64(n))
	}
	e *= measuredFactor
	if math.IsNaN(square) {
		e = math.Inf(1)
	}
	for j := range b {
		b[j] = e
	}
}
