package bound

import (
	"fmt"
	"math"
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
	Illegal                   // θ or θ+ε is outside the domain: proves nothing
)

// String names the status.
func (s Status) String() string { return [...]string{"bounded", "all rounding", "illegal"}[s] }

// Divergence is the denominator of A eq. (5) for one witness, ready to divide
// by: everything about it that does not depend on the coordinate.
type Divergence struct {
	ZNorm     float64 // ‖z‖ as computed
	Allowance float64 // how far the exact ‖z‖ may lie above it
	Root      float64 // at least sqrt(expm1(‖z‖²/σ²)) for the exact z
	Status    Status
}

// UnboundedFrom is the least standard deviation, in the model's units, in which
// inputs are of order 1, that is called unbounded, of witnesses that move the
// features by no more than rounding.
const UnboundedFrom = 1e6

// diverge bounds A eq. (12) from above. a0 and a1 are the computed features at θ
// and θ+ε, b0 and b1 their error bounds.
//
// The exact z_j lies within b0_j + b1_j + u|ẑ_j| of ẑ_j = fl(a1_j − a0_j), so
// ‖z‖ ≤ (1+u)‖ẑ‖ + ‖b0+b1‖. A sum of n squares in any order has relative error
// at most nu/(1−nu), so its root errs by a factor of at most 1+nu (for nu <
// 0.01), and one more 1+2u for the root and the addition; n·2⁻¹⁰⁷⁴ covers squares
// that underflow. The allowance is all that is added to the computed ‖ẑ‖.
//
// A z that may be rounding alone may also hide as much as the allowance: where
// rounding is coarse beside σ, or ε itself is tiny, that allows estimators of small
// variance. So such a witness too proves no more than its quotient; only where that
// is large beyond all use is it called unbounded, no figure being worth printing.
func diverge(a0, b0, a1, b1 []float64, sigma float64) Divergence {
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
	d := Divergence{ZNorm: norm, Allowance: (err + norm*(grow-1)) * (1 + 4*ulp)}
	if !(norm+err < math.Inf(1)) || !(sigma > 0) {
		d.Root = math.Inf(1) // features that overflow, or are not numbers, prove nothing: every bound is 0
		return d
	}
	d.Root = rootExpm1((norm + d.Allowance) * (1 + 2*ulp) / sigma)
	if norm <= d.Allowance || norm <= math.Sqrt(n)*0x1p-536 {
		d.Status = AllRounding
	}
	return d
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

// unbounded returns v, or +Inf where z is all rounding and v at least from.
func (d Divergence) unbounded(v, from float64) float64 {
	if d.Status == AllRounding && v >= from {
		return math.Inf(1)
	}
	return v
}

// atLeast makes a quotient rounded down safe at both ends of the exponents:
// where rounding is no longer relative it is 0, and an overflow is finite.
func atLeast(v float64) float64 {
	if !(v >= 0x1p-960) {
		return 0
	}
	return min(v, math.MaxFloat64)
}

// MeanSquare returns a lower bound on the mean-square error per input of every
// unbiased estimator of θ (A eq. 6), ‖ε‖²/p over the denominator. The sum of
// squares errs by at most pu/(1−pu).
func (d Divergence) MeanSquare(eps []float64) float64 {
	var s float64
	for _, e := range eps {
		s += e * e
	}
	p := float64(len(eps))
	if !(s >= 0x1p-960 && s <= math.MaxFloat64) || d.Status == Illegal {
		return 0
	}
	return d.unbounded(atLeast(s/p/d.Root/d.Root*(1-(p+16)*ulp)), UnboundedFrom*UnboundedFrom)
}

// A Domain is the set of inputs at which an estimator is held to be unbiased: a
// box, or all of R^p where Low is nil.
type Domain struct{ Low, High []float64 }

// Free is R^p, the domain of paper A.
var Free = Domain{}

// Legal returns the box of inputs within the data's range, given for each input.
func Legal(low, high []float64) (Domain, error) {
	if len(low) == 0 || len(low) != len(high) {
		return Domain{}, fmt.Errorf("range of inputs: %d lower and %d upper ends", len(low), len(high))
	}
	for i := range low {
		if !(low[i] <= high[i]) {
			return Domain{}, fmt.Errorf("range of input %d: from %g to %g", i, low[i], high[i])
		}
	}
	return Domain{low, high}, nil
}

// String names the domain.
func (d Domain) String() string {
	if d.Low == nil {
		return "free"
	}
	return "legal"
}

// contains tells whether input i may have the exact value x + e, |e| ≤ u|x|.
func (d Domain) contains(i int, x, e float64) bool {
	return d.Low == nil || (x > d.Low[i] || x == d.Low[i] && e >= 0) &&
		(x < d.High[i] || x == d.High[i] && e <= 0)
}

// twoSum returns x = fl(a+b) and the exact error e, so that x + e = a + b.
func twoSum(a, b float64) (x, e float64) {
	x = a + b
	t := x - a
	return x, (a - (x - t)) + (b - t)
}

// A Certifier evaluates certificates of a net, many witnesses at a time, in
// storage of its own. It is not safe for concurrent use.
type Certifier struct {
	Net    Net
	Sigma  float64 // standard deviation of the noise on each feature
	Domain Domain

	x, xerr, a, b []float64
	illegal       []bool
}

// Divergences returns the divergence of every witness: theta is [examples, p],
// eps is [examples, witnesses, p] and the result [examples, witnesses]. It panics
// where lengths do not match.
func (c *Certifier) Divergences(theta, eps []float32) []Divergence {
	p, n := c.Net.Dims()
	examples := len(theta) / p
	if examples == 0 || len(theta)%p != 0 || len(eps)%len(theta) != 0 {
		panic(fmt.Sprintf("bound: inputs of length %d and witnesses of length %d for %d inputs", len(theta), len(eps), p))
	}
	per := 1 + len(eps)/len(theta) // θ itself, then θ+ε for its witnesses
	c.grow(examples*per, p, n)
	parallel(examples, func(i int) {
		c.points(i*per, per, theta[i*p:(i+1)*p], eps[i*(per-1)*p:(i+1)*(per-1)*p])
	})
	c.Net.ForwardError64(c.a, c.b, c.x, c.xerr)
	out := make([]Divergence, examples*(per-1))
	parallel(examples, func(i int) {
		first := i * per
		a0, b0 := c.a[first*n:(first+1)*n], c.b[first*n:(first+1)*n]
		for k := 1; k < per; k++ {
			r := first + k
			d := diverge(a0, b0, c.a[r*n:(r+1)*n], c.b[r*n:(r+1)*n], c.Sigma)
			if c.illegal[r] || c.illegal[first] {
				d.Status = Illegal
			}
			out[i*(per-1)+k-1] = d
		}
	})
	return out
}

// points fills rows of x with θ and θ+ε, and of xerr with their exact errors.
func (c *Certifier) points(first, rows int, theta, eps []float32) {
	p := len(theta)
	for k := range rows {
		r := first + k
		x, xerr := c.x[r*p:(r+1)*p], c.xerr[r*p:(r+1)*p]
		c.illegal[r] = false
		for i, t := range theta {
			var e float64
			if k > 0 {
				e = float64(eps[(k-1)*p+i])
			}
			s, err := twoSum(float64(t), e)
			x[i], xerr[i] = s, math.Abs(err)
			if !c.Domain.contains(i, s, err) {
				c.illegal[r] = true
			}
		}
	}
}

func (c *Certifier) grow(rows, p, n int) {
	if cap(c.x) < rows*p || cap(c.a) < rows*n || cap(c.illegal) < rows {
		c.x, c.xerr = make([]float64, rows*p), make([]float64, rows*p)
		c.a, c.b = make([]float64, rows*n), make([]float64, rows*n)
		c.illegal = make([]bool, rows)
	}
	c.x, c.xerr, c.a, c.b, c.illegal = c.x[:rows*p], c.xerr[:rows*p], c.a[:rows*n], c.b[:rows*n], c.illegal[:rows]
}
