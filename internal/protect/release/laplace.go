package release

import (
	"math"
	"math/rand/v2"
)

// Laplace is independent noise of density exp(−|x|/b)/2b in each feature.
// NewLaplace makes one.
type Laplace struct {
	Sigma float64 // the standard deviation, √2·Scale
	Scale float64 // b
}

var _ Overlapper = Laplace{}

// NewLaplace returns Laplace noise of standard deviation sigma. It returns the errors of
// NewGaussian.
func NewLaplace(sigma float64) (Laplace, error) {
	if err := checkSigma(sigma); err != nil {
		return Laplace{}, err
	}
	return Laplace{sigma, sigma / math.Sqrt2}, nil
}

// String returns "laplace".
func (l Laplace) String() string { return "laplace" }

// Std returns Sigma.
func (l Laplace) Std() float64 { return l.Sigma }

// Fisher returns 1/b².
func (l Laplace) Fisher() float64 { return 1 / (l.Scale * l.Scale) }

// Certain returns true: the bound is a closed form.
func (l Laplace) Certain() bool { return true }

// Sample overwrites dst with independent Laplace deviates.
func (l Laplace) Sample(dst []float64, r *rand.Rand) {
	for i := range dst {
		dst[i] = math.Copysign(l.Scale*r.ExpFloat64(), float64(int64(r.Uint64())))
	}
}

// excess is g(t) − 1 for t ≥ 0, g(t) = ∫ f(x−t)²/f(x) dx of one feature, and a bound on its relative error, t being known to 2u.
// It is (2/3)e^τ + (1/3)e^(−2τ) − 1 with τ = t/b, which in u = e^τ − 1 is
// (u/(1+u))²·(1 + 2u/3): nothing cancels. τ is right to 3u and math.Expm1 to 2u
// with a condition number of at most 1+τ; u enters with a power of at most 3, and
// ten roundings follow.
func (l Laplace) excess(t float64) (value, relative float64) {
	τ := t / l.Scale
	u := math.Expm1(τ)
	if math.IsInf(u, 1) {
		return u, 0
	}
	q := u / (1 + u)
	return q * q * (1 + 2*u/3), (40 + 9*τ) * unit
}

// Bound returns at least Π g(z*_j) − 1 for every |z* − z| ≤ e: the product over features of (2/3)e^τ + (1/3)e^(−2τ), less 1.
//
// 1/f is the exponential of a convex function, and so convex. As f is even, g(t) = ∫ f(y)²·(1/f)(y+t) dy, a mixture of convex
// functions of t. So g is convex, and even as f² is: it increases with |t|.
func (l Laplace) Bound(z, e []float64) float64 {
	var s, relative float64
	for j, v := range z {
		x, r := l.excess(math.Abs(v) + e[j])
		s += math.Log1p(x)
		relative = max(relative, r)
	}
	return expm1Above(s, relative, len(z))
}

// Overlap returns Π h(a_j, b_j) − 1 with h(s, t) = ∫ f(x−s)f(x−t)/f(x) dx.
//
// With s and t in units of b, integrating piece by piece: of opposite signs,
// h − 1 = −(1 − e^(−|s|))(1 − e^(−|t|)); of one sign and |s| ≤ |t|,
// h = e^|s| − e^(2|s|−|t|)/3 + e^(−|s|−|t|)/3. In either case |∂h/∂s| ≤ |t|·e^m and
// |∂h/∂t| ≤ |s|·e^m with m the smaller of |s| and |t|, which bounds what ea and eb
// do. The logarithms add up, of either sign; an error δ of their sum S moves the
// result by at most e^S·expm1(δ).
func (l Laplace) Overlap(a, ea, b, eb []float64) (value, err float64) {
	var sum, total, δ float64
	inverse := 1 / l.Scale
	for j := range a {
		s, t := a[j]*inverse, b[j]*inverse
		ds := ea[j]*inverse*(1+8*unit) + 4*unit*math.Abs(s)
		dt := eb[j]*inverse*(1+8*unit) + 4*unit*math.Abs(t)
		h := laplaceOverlap(s, t)
		S, T := math.Abs(s)+ds, math.Abs(t)+dt
		m := min(S, T)
		off := (ds*T+dt*S)*(1+4*unit)*growth(m) + 64*unit*math.Abs(h)
		if !(off < (1+h)/2) {
			return math.Inf(1), math.Inf(1)
		}
		term := smallLog1p(h)
		sum += term
		total += math.Abs(term)
		δ += off / (1 + h - off)
	}
	δ = (δ+(float64(len(a))+8)*unit*total)*(1+(float64(len(a))+16)*unit) + 0x1p-1000
	value = math.Expm1(sum)
	return value, ((1+value+4*unit)*math.Expm1(δ) + 4*unit*math.Abs(value)) * (1 + 16*unit)
}

// growth returns at least e^m: its series' rest is below m² for m ≤ 1.
func growth(m float64) float64 {
	if m <= 1 {
		return 1 + m + m*m
	}
	return math.Exp(m) * (1 + 8*unit)
}

// laplaceOverlap returns h(s, t) − 1 for b = 1 without cancellation: for one sign and
// A = e^s − 1, it is A·((1 − e^(−t)) − e^(−t)·A²/(3(1+A))), where the first term is at
// least three times the second. It is right to 20u, and +Inf beyond what is of use.
func laplaceOverlap(s, t float64) float64 {
	if (s < 0) != (t < 0) {
		return -smallExpm1(-math.Abs(s)) * smallExpm1(-math.Abs(t))
	}
	s, t = math.Abs(s), math.Abs(t)
	if s > t {
		s, t = t, s
	}
	if s > 300 {
		return math.Inf(1)
	}
	A, C := smallExpm1(s), smallExpm1(-t)
	rest := 1 + C
	if t > 1 { // 1 + C would cancel
		rest = math.Exp(-t)
	}
	return A * (-C - rest*A*A/(3*(1+A)))
}

// smallExpm1 is math.Expm1, faster for small x: right to 3u, as the series' rest is
// below 2⁻⁵³ of it.
func smallExpm1(x float64) float64 {
	if math.Abs(x) < 0x1p-9 {
		return x + x*x*(1./2+x*(1./6+x*(1./24+x/120)))
	}
	return math.Expm1(x)
}

// smallLog1p is math.Log1p, faster for small x: right to 3u likewise.
func smallLog1p(x float64) float64 {
	if math.Abs(x) < 0x1p-18 {
		return x - x*x*(1./2-x*(1./3))
	}
	return math.Log1p(x)
}
