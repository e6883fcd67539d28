package bound

import (
	"context"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

// How the rounding of the features is known, as Experiment.Rounding says it.
const (
	RoundingProved   = "proved"           // by the running error analysis of a float64 pass
	RoundingPairs    = "proved, in pairs" // by that of a pass in pairs of float64, for nets so deep that the first says nothing
	RoundingMeasured = "measured"         // by the distance of a float32 pass, many times over: an estimate
)

const (
	// roundingGood: if the proved allowance is at most this fraction of ‖z‖, no other
	// method is tried, as it costs at most a thousandth of a bound.
	roundingGood = 1e-3
	// roundingUseful is the largest useful ratio of an allowance to ‖z‖: a larger one
	// takes more than a tenth of a bound, and is not worth its cost in time or in the
	// status of the bound.
	roundingUseful = 0.1
	// measuredFactor multiplies the error of features that the distance of a float32 pass
	// suggests. Rounding errors are nearly random: if those of float64 were a thousand
	// times that, the cause would be a bug and not rounding.
	measuredFactor = 1000
	// saturated is the largest relative distance of a float32 pass that says anything about a
	// float64 pass.
	saturated = 1. / 16
)

// rounding chooses how the rounding of features is known. It tries a witness of the first
// size, in a random direction, at the first example, and chooses the first of:
//   - the plain proof, if the bound loses at most a thousandth by the allowance;
//   - the proof in pairs, if the net has one, and the bound loses at most a tenth;
//   - the measurement, which proves nothing, if only that loses at most a tenth. It is not
//     for nets that jump: both passes may be on the wrong side of a jump;
//   - the plain proof.
func (e Experiment) rounding(f *front) string {
	p, _ := f.Dims()
	theta := f.first[:min(p, len(f.first))]
	eps := e.trial(f, theta)
	if eps == nil {
		return RoundingProved
	}
	part := func(how string) float64 {
		c := e.certifier(f.Model)
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
	if part(RoundingPairs) <= min(roundingUseful, proved) {
		return RoundingPairs
	}
	if !(proved <= roundingUseful) && f.jumps == nil && part(RoundingMeasured) <= roundingUseful {
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
	m.Linearize64(nn.Float64s(theta)).JVP(moved, d)
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
// errors.
func (c *Certifier) features(lo, hi int) {
	p, n := c.Net.Dims()
	a, b := c.a[lo*n:hi*n], c.b[lo*n:hi*n]
	x, xerr := c.x[lo*p:hi*p], c.xerr[lo*p:hi*p]
	switch c.Rounding {
	case RoundingPairs:
		c.Net.(Model).ForwardWide64(a, b, x, xerr)
	case RoundingMeasured:
		c.measured(a, b, x)
	default:
		c.Net.ForwardError64(a, b, x, xerr)
	}
}

// measured overwrites a with the float64 features at the points x, and b with estimates of their errors.
//
// To first order an error of rounding is a sum of multiples of the unit roundoff u, which is 2⁻⁵³
// in float64 and 2⁻²⁴ in float32. So the distance of a float32 pass from a, over 2²⁹, is about as
// large as the error of a. It is multiplied by measuredFactor, as errors may cancel in one pass and
// not in the other. A difference z = a(θ+ε) − a(θ) errs by what both of its passes do: diverge adds
// the estimates of both, and does not let them cancel. So the allowance does not shrink with ε.
//
// If the float32 pass is off by more than saturated of the norm of the features, the error is not of
// first order, and a proves nothing. For Gaussian noise the norm of the error counts, which is spread
// evenly; for other noise every feature is given the largest error of any.
func (c *Certifier) measured(a, b, x []float64) {
	_, n := c.Net.Dims()
	net, x32, y := c.Net.(nn.Model), make([]float32, len(x)), make([]float32, len(a))
	convert(x32, x)
	net.Forward64(a, x)
	net.Forward(y, x32)
	for at := 0; at < len(a); at += n {
		row := a[at : at+n]
		rms, most := apart(y[at:at+n], row)
		e := most
		if c.normOnly() {
			e = rms
		}
		if !(rms <= saturated*math.Sqrt(simd.SumSquares(row)/float64(n))) {
			e = math.Inf(1)
		}
		for j := range row {
			b[at+j] = e * measuredFactor / 0x1p29
		}
	}
}
