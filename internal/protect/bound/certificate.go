package bound

import (
	"math"

	"tattle/internal/protect/release"
)

// Net is what a certificate needs of a model: features in float64 with an
// elementwise bound on their rounding error. *nn.Net is one.
type Net interface {
	Dims() (p, n int)
	// ForwardError64 overwrites dst with features of x, [batch, n], and bound so
	// that |dst − a(x*)| ≤ bound for every real x* with |x* − x| ≤ xerr.
	ForwardError64(dst, bound, x, xerr []float64)
}

// ulp is the unit roundoff u of float64: fl(a∘b) = (a∘b)(1+δ), |δ| ≤ u.
const ulp = 0x1p-53

// Status says what a witness proves.
type Status uint8

// What a witness can prove.
const (
	Bounded     Status = iota // a finite bound; possibly zero
	AllRounding               // the features do not move by more than rounding: a bound from UnboundedFrom on is called unbounded
	Illegal                   // θ or θ+ε is outside the domain, or not on its grid: proves nothing
)

// Divergence is the denominator of A eq. (5) for one witness, ready to divide
// by: everything about it that does not depend on the coordinate.
type Divergence struct {
	ZNorm     float64 // ‖z‖ as computed
	Allowance float64 // how far the ‖z‖ of the release may lie above it
	Rounding  float64 // the part of it that is rounding of the certificate's own; the rest is the runtime's
	Root      float64 // at least sqrt(expm1(‖z‖²/σ²)) for the exact z
	Share     float64 // at most h of release.PairShare for the exact z, 0 if nothing is proved
	Status    Status
}

// UnboundedFrom is the smallest bound that is called unbounded, in the model's units, in
// which inputs are of order 1. Only witnesses that move the features by no more than
// rounding give such bounds.
const UnboundedFrom = 1e6

// diverge bounds the denominator of A eq. (5) from above. a0 and a1 are the computed
// features at θ and θ+ε, b0 and b1 their error bounds.
//
// The exact z_j lies within b0_j + b1_j + u|ẑ_j| of ẑ_j = fl(a1_j − a0_j), so
// ‖z‖ ≤ (1+u)‖ẑ‖ + ‖b0+b1‖. A sum of n squares in any order has relative error
// at most nu/(1−nu), so its root errs by a factor of at most 1+nu (for nu <
// 0.01), and one more 1+2u for the root and the addition; n·2⁻¹⁰⁷⁴ covers squares
// that underflow. The allowance is all that is added to the computed ‖ẑ‖.
//
// If z may be rounding alone, the exact z may still be as large as the allowance. If
// rounding is large compared with σ, or ε itself is tiny, estimators of small variance may
// then exist. So such a witness too proves no more than its quotient, which is called
// unbounded only if it is too large to be worth printing.
//
// The features that are released at θ and at θ+ε may each lie runtime off those of real
// arithmetic, which widens b0_j + b1_j by twice as much: a sum of vectors, whose norms
// add up at most.
func (c *Certifier) diverge(a0, b0, a1, b1 []float64, runtime float64) Divergence {
	var zz, ee, most float64
	for j, a := range a1 {
		z := a - a0[j]
		e := b1[j] + b0[j]
		zz += z * z
		ee += e * e
		most = max(most, e)
	}
	n := float64(len(a1))
	zz += n * 0x1p-1074
	grow := 1 + (n+16)*ulp
	norm, err := math.Sqrt(zz), 0.
	if most != 0 {
		err = math.Sqrt(ee+n*0x1p-1074) * grow
	}
	d := Divergence{ZNorm: norm, Rounding: (err + norm*(grow-1)) * (1 + 4*ulp)}
	d.Allowance = d.Rounding
	if runtime > 0 {
		d.Allowance = (d.Rounding + 2*runtime*math.Sqrt(n)) * (1 + 8*ulp)
	}
	if !(norm+d.Allowance < math.Inf(1)) || !(c.Noise.Std() > 0) {
		d.Root = math.Inf(1) // features that overflow, or are not numbers, prove nothing: every bound is 0
		return d
	}
	if g, ok := c.Noise.(release.Gaussian); ok {
		t := (norm + d.Allowance) * (1 + 2*ulp) / scaleBelow(g, c.Queries)
		d.Root, d.Share = rootExpm1(t), release.GaussianPairShare(t*(1+8*ulp))
	} else {
		z, e := shifts(a0, b0, a1, b1, runtime)
		d.Root, d.Share = c.rootBound(z, e), c.share(z, e)
	}
	if norm <= d.Allowance || norm <= math.Sqrt(n)*0x1p-536 {
		d.Status = AllRounding
	}
	return d
}

// divergence is diverge with what the runtime errs by, where that counts.
func (c *Certifier) divergence(a0, b0, a1, b1 []float64) Divergence {
	if c.Counted {
		return c.diverge(a0, b0, a1, b1, c.moves())
	}
	d := c.diverge(a0, b0, a1, b1, 0)
	if d.Status == AllRounding && c.Runtime > 0 {
		d = c.diverge(a0, b0, a1, b1, c.Runtime)
	}
	return d
}

// scaleBelow returns at most σ/√k, with a relative error of 5u: under Gaussian noise the
// mean of k releases of one input is a sufficient statistic, with noise of that standard
// deviation (A eq. 13).
func scaleBelow(g release.Gaussian, queries int) float64 {
	if queries <= 1 {
		return g.Sigma
	}
	return g.Sigma / math.Sqrt(float64(queries)) * (1 - 3*ulp)
}

// shifts returns how far the features move, elementwise, and an error: z_j lies within
// b0_j + b1_j + u|ẑ_j| of ẑ_j, and twice as far as the runtime errs, that sum rounded up.
func shifts(a0, b0, a1, b1 []float64, runtime float64) (z, e []float64) {
	z, e = make([]float64, len(a1)), make([]float64, len(a1))
	for j, a := range a1 {
		z[j] = a - a0[j]
		e[j] = missed(z[j], b1[j]+b0[j]+2*runtime)
	}
	return z, e
}

// rootBound returns at least the root of χ² for noise of any family and features that
// differ by z up to e. Of k independent releases 1 + χ² is the k-th power of one's.
func (c *Certifier) rootBound(z, e []float64) float64 {
	chi := c.Noise.Bound(z, e)
	if !(chi >= 0 && chi <= math.MaxFloat64) {
		return math.Inf(1)
	}
	return math.Sqrt(max(powerAbove(chi, c.Queries), 0x1p-1000)) * (1 + 2*ulp)
}

// missed returns at least b + u|ẑ|, b being a computed sum of up to three errors. It
// returns 0 if both features are exact and equal, as those of a unit that is inactive at
// both inputs.
func missed(z, b float64) float64 {
	if z == 0 && b == 0 {
		return 0
	}
	return (b + ulp*math.Abs(z) + 0x1p-1074) * (1 + 6*ulp)
}

// powerAbove returns at least (1+x)^k − 1 for x ≥ 0: x itself for k ≤ 1. math.Log1p
// and math.Expm1 err by 2u, the product by u, and the condition number of expm1 at
// q is at most 1+q.
func powerAbove(x float64, k int) float64 {
	if k <= 1 {
		return x
	}
	q := float64(k) * math.Log1p(x)
	return math.Expm1(q) * (1 + (8+4*q)*ulp)
}

// rootExpm1 returns at least sqrt(expm1(t²)) for t known to a relative 2u: +Inf
// where that overflows.
//
// math.Expm1 errs by less than one unit in the last place, 2u. Its condition
// number is q·exp(q)/expm1(q) ≤ 1+q with q = t², known to a relative 5u; half of
// (1+q)·5u + 2u, and 2u for root and product, is below (8+4q)u. For tiny t the
// root is t·(1 + t²/4 + …), t itself within u.
func rootExpm1(t float64) float64 {
	if t < 0x1p-30 {
		return max(t, 0x1p-960) * (1 + 8*ulp)
	}
	q := t * t
	return math.Sqrt(math.Expm1(q)) * (1 + (8+4*q)*ulp)
}

// Std returns a lower bound on the standard deviation of every unbiased
// estimator of wᵀθ (A eqs. 5 and 12), given g = wᵀε as computed and a bound gerr
// on its error: g is moved toward zero by gerr and the quotient by 4u.
// +Inf stands for unbounded. Where wᵀε may be zero the bound is 0.
func (d Divergence) Std(g, gerr float64) float64 {
	g = (math.Abs(g) - gerr) * (1 - 2*ulp)
	if !(g > 0 && g <= math.MaxFloat64) || d.Status == Illegal {
		return 0
	}
	return d.unbounded(atLeast(g/d.Root*(1-4*ulp)), UnboundedFrom)
}

// unbounded returns v, or +Inf if z is all rounding and v at least from.
func (d Divergence) unbounded(v, from float64) float64 {
	return unboundedIf(d.Status == AllRounding, v, from)
}

// atLeast makes a quotient that is rounded down safe at both ends of the exponent range:
// it returns 0 if rounding errors are no longer relative, and the largest number after
// an overflow.
func atLeast(v float64) float64 {
	if !(v >= 0x1p-960) {
		return 0
	}
	return min(v, math.MaxFloat64)
}

// meanSquare returns a lower bound on the mean-square error per input of every
// unbiased estimator of θ (A eq. 6), ‖ε‖²/p over the denominator. The sum of
// squares errs by at most pu/(1−pu).
func (d Divergence) meanSquare(eps []float64) float64 {
	s, p := square(eps), float64(len(eps))
	if !(s >= 0x1p-960 && s <= math.MaxFloat64) || d.Status == Illegal {
		return 0
	}
	return d.unbounded(atLeast(s/p/d.Root/d.Root*(1-(p+16)*ulp)), UnboundedFrom*UnboundedFrom)
}
