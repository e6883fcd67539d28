package release

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Worst are limits on what releases reveal whatever the data and whoever the adversary: by the clip of their norm alone. For
// releases within R of a center c, Gaussian noise σ and k releases of one input, all follows from r = R√k/σ. Let Q be the
// noise about c. If an adversary succeeds for the releases A_x where the input is x, and Q(A_x) has the mean κ under a
// prior, then by Neyman and Pearson, and because the right side is concave, the mean probability of success is at most
//
//	Φ(Φ⁻¹(κ) + r).
//
// For the name of one among N equally likely inputs κ ≤ 1/N, as the A_x are disjoint; for any other success it is the
// probability of the best guess without the release. (Balle, Cherubin and Hayes 2022; Hayes, Mahloujifar and Balle 2023.)
//
// Noise on a lattice is Gaussian noise of a slightly smaller τ that is rounded at random (lattice.Rounded), up to a
// factor of 1 + t of every probability, so r is R√k/τ for it, and limits are times 1 + t.
type Worst struct {
	R    float64 // r, rounded up
	t    float64
	norm float64 // R√k/σ, also for the noise on a lattice
}

// WorstOf returns the limits for releases of norm at most clip before the noise, so many of each input. It reports false if
// there are none: without a clip, for noise that is neither Gaussian nor on a lattice that clips to a ball, and for one that
// is too coarse.
func WorstOf(noise Noise, clip float64, queries int) (w Worst, ok bool) {
	g, t, known := RoundedOf(noise, queries)
	l, points := noise.(Lattice)
	if !(clip > 0) || !known || points && !l.Ball {
		return w, false
	}
	if points {
		clip = l.Clip
	}
	root := math.Sqrt(float64(max(queries, 1)))
	return Worst{R: clip * root / g.Sigma * (1 + 8*unit), t: t, norm: clip * root / noise.Std() * (1 + 8*unit)}, true
}

// normalError is more than the relative error of the functions of normal.
const normalError = 1e-9

var normal = distuv.UnitNormal

// moved returns Φ(Φ⁻¹(p) + r), rounded up for sign 1 and down for −1.
func moved(p, r, sign float64) float64 {
	q := normal.Quantile(p)
	return normal.CDF(q+r+sign*normalError*(1+math.Abs(q))) * (1 + sign*normalError)
}

// Success returns what the probability of success does not exceed, κ being that of the best guess without the release.
// It is 1 where that is all that is known.
func (w Worst) Success(κ float64) float64 {
	if κ <= 0 {
		return 0
	}
	if !(κ < 1) {
		return 1
	}
	return min(1, moved(κ, w.R, 1)*(1+w.t))
}

// Without returns the largest κ for which Success is at most a limit: what guessing without the release may reach.
func (w Worst) Without(limit float64) float64 {
	if !(limit < 1) {
		return 1
	}
	return moved(limit/(1+w.t), -w.R, -1)
}

// Exposed returns how many people of a list an adversary names in more than a share t of their releases at most, whatever the
// rule and the list: the releases at which the rule names each of them have Q > Φ(Φ⁻¹(t) − r), and these add up to 1 at
// most.
func (w Worst) Exposed(t float64) float64 { return math.Ceil(1/w.Without(t)) - 1 }

// RadiusFor returns the largest r with which success is at most limit where guessing without the release reaches κ; 0 if none is.
func RadiusFor(κ, limit float64) float64 {
	return max(0, (normal.Quantile(limit)-normal.Quantile(κ))*(1-1e-6))
}

// ZCDP returns ρ of zero-concentrated differential privacy: two inputs differ by 2R at most, so ρ = (2R)²k/2σ² = 2r². It holds
// for the noise on a lattice as it is (Canonne, Kamath and Steinke, arXiv:2004.00010). r is rounded up by more than the product loses.
func (w Worst) ZCDP() float64 { return 2 * w.norm * w.norm }

// GDP returns μ of Gaussian differential privacy, 2r.
func (w Worst) GDP() float64 { return 2 * w.R }

// Epsilon returns ε of (ε, δ) differential privacy: the least one with
//
//	δ ≥ Φ(μ/2 − ε/μ) − exp(ε)·Φ(−μ/2 − ε/μ)
//
// (Balle and Wang 2018), plus 4t for the noise on a lattice. It is rounded up.
func (w Worst) Epsilon(δ float64) float64 {
	if !(δ > 0) {
		return math.Inf(1)
	}
	μ := w.GDP()
	exceeds := func(ε float64) bool {
		a, x := μ/2-ε/μ, μ/2+ε/μ
		second := normal.Prob(a) * x / (x*x + 1) // less than exp(ε)·Φ(−x) = φ(a)·Φ(−x)/φ(x), and near it for large x
		if x < 30 {
			second = math.Exp(ε) * normal.CDF(-x)
		}
		return normal.CDF(a)-second > δ*(1-1e-6)
	}
	low, high := 0., 1.
	for exceeds(high) {
		high *= 2
	}
	for range 100 {
		if mid := low + (high-low)/2; exceeds(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return high + 4*w.t
}
