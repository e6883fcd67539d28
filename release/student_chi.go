package release

import (
	"math"
	"math/cmplx"
	"sync"
)

// farStudent is the shift, in units of √ν·scale, beyond which χ² is replaced by an
// upper bound: the quadrature would take too many points.
const farStudent = 256

// nearStudent is the shift, in the same units, up to which the series serves for
// every ν: its terms fall at least as 4⁻ᵏ in the end.
const nearStudent = 1

// excess is g(t) − 1.
func (s StudentT) excess(t float64) (value, relative float64) {
	τ := t / s.Scale / math.Sqrt(s.Freedom)
	a := (s.Freedom + 1) / 2
	switch {
	case τ <= nearStudent || a == math.Trunc(a):
		return studentSeries(a, τ)
	case τ > farStudent:
		return studentRatio(a, τ), 64 * (1 + s.Freedom) * unit
	}
	return ruleFor(s.Freedom, τ).excess(a, τ)
}

// studentSeries returns g − 1 for the density ∝ (1+y²)^(−a) and a shift τ.
//
// For p, q > 0 Feynman's parameters turn ∫ (1+y²)^(−p)(1+(y+τ)²)^(−q) dy, but for its
// value at τ = 0, into the mean of (1 + w(1−w)τ²)^(½−p−q) for w of Beta(p, q)
// distribution, that is Σ_k (−τ²)^k (p+q−½)_k (p)_k (q)_k / ((p+q)_{2k} k!). Both
// sides are analytic in q where p+q > ½, so that p = 2a, q = −a gives g for τ < 2,
// and for all τ where a is whole: then the terms end with k = a.
//
// Terms are positive up to k = a, and small beyond if τ ≤ 1. But for |a−k|/(a+2k+1),
// which is at most the larger of ½ and its present value from then on, the factors of
// the ratio of successive terms fall with k. So once a ratio is bounded by ½, the rest
// is at most the last term. A term adds 30 roundings, those of τ² included.
func studentSeries(a, τ float64) (value, relative float64) {
	x := τ * τ
	term := 1.
	for k := 0.; ; k++ {
		fall := x * (a - .5 + k) / (a + 2*k) * (2*a + k) / (k + 1)
		last := (a - k) / (a + 2*k + 1)
		if term == 0 || math.IsInf(value, 1) || math.IsNaN(value) ||
			k > 0 && fall*max(.5, last) <= .5 && math.Abs(term) <= 0x1p-60*value {
			return value, (32*k+64)*unit + 0x1p-60
		}
		term *= fall * last
		value += term
	}
}

// studentRatio returns the largest f(x−t)/f(x), which is at least g(t), the mean of
// that ratio under f(x−t).
func studentRatio(a, τ float64) float64 {
	return math.Pow(1+(τ*τ+τ*math.Sqrt(τ*τ+4))/2, a)
}

// studentRule integrates over y = sinh(v), in units of √ν·scale, in which the measure
// f dx is cosh(v)^(−ν) dv, times Γ((ν+1)/2)/(√π·Γ(ν/2)), by two trapezoidal rules:
// the even points are the one, the odd ones the other.
type studentRule struct {
	y, weight []float64 // weight: its logarithm
}

// studentRules keeps the rules that were made, by ν and the largest shift served.
var studentRules sync.Map

// ruleFor returns the rule of the next power of 4 from τ up.
func ruleFor(nu, τ float64) *studentRule {
	reach := 4.
	for reach < τ {
		reach *= 4
	}
	key := [2]float64{nu, reach}
	if r, ok := studentRules.Load(key); ok {
		return r.(*studentRule)
	}
	r, _ := studentRules.LoadOrStore(key, newStudentRule(nu, reach))
	return r.(*studentRule)
}

// newStudentRule serves shifts up to τ. The trapezoidal rule converges as
// exp(−2πd/h), d being the imaginary part of the nearest singularity, asinh(τ + i),
// once h resolves the width 1/√ν of the integrand. Beyond the ends less than e⁻⁴⁰ of
// the measure, or of the ratio's peak near τ, is left.
func newStudentRule(nu, τ float64) *studentRule {
	a, _ := math.Lgamma((nu + 1) / 2)
	b, _ := math.Lgamma(nu / 2)
	h := min(imag(cmplx.Asinh(complex(τ, 1)))/12, .4/math.Sqrt(nu))
	scale := a - b + math.Log(h) - math.Log(math.Pi)/2
	tail := 40/nu + 1
	r := &studentRule{}
	for k := math.Floor(-tail / h); k*h <= tail+math.Asinh(2*τ) || len(r.y)%2 != 0; k++ {
		r.y = append(r.y, math.Sinh(k*h))
		r.weight = append(r.weight, scale-nu*math.Log(math.Cosh(k*h)))
	}
	return r
}

// excess returns ∫ f·(f(x−t)/f(x) − 1)² dx, with the ratio's logarithm as
// −a·log1p(τ(τ−2y)/(1+y²)), so that nothing cancels. The mean of the two rules is the
// value; their difference, far more than its error, is reported.
func (r *studentRule) excess(a, τ float64) (value, relative float64) {
	var sum [2]float64
	for i, y := range r.y {
		sum[i%2] += weighted(r.weight[i], -a*math.Log1p(τ*(τ-2*y)/(1+y*y)))
	}
	value = sum[0] + sum[1]
	if math.IsInf(value, 1) {
		return value, 0
	}
	return value, math.Abs(sum[0]-sum[1])/value + 1e-12
}
