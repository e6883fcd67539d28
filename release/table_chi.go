package release

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// rule is the Gauss-Legendre rule on [0, 1].
type rule struct{ x, w []float64 }

func newRule(points int) rule {
	r := rule{make([]float64, points), make([]float64, points)}
	quad.Legendre{}.FixedLocations(r.x, r.w, 0, 1)
	return r
}

// fewVary is the largest variation of the integrand for which the rule of few points is used. If
// the shift is small, most pieces lie between two knots that are close to each other, and are that
// narrow.
const fewVary = 1. / 64

var many, few = newRule(8), newRule(4)

// quadrature integrates f over [0, length] in ⌈vary⌉ parts of equal length.
func quadrature(length, vary float64, f func(s float64) float64) float64 {
	r := many
	if vary <= fewVary {
		r = few
	}
	parts := max(1, math.Ceil(vary))
	h := length / parts
	var sum float64
	for p := range int(parts) {
		for i, x := range r.x {
			sum += r.w[i] * f((float64(p)+x)*h)
		}
	}
	return sum * h
}

// tableSlack is the relative error allowed to excess.
//
// In each part the log density y and the log ratio r are linear and change by a and d
// with a + 2d ≤ v = 1, and the integrand e^y·(e^r−1)² is entire. On the Bernstein
// ellipse of ρ, r is off its middle by |w| ≤ ρd/4 (and a little), so that the
// integrand is at most e^(ρv/4)·(|e^r−1| + |w|)², which is below 1000·(1 + ρ²) times its
// mean in the part for ρ = 16/v, (e^r−1)² having a mean of about d²/12 at least. N
// points err by at most (64/15)·ρ^(−2N)/(1−ρ⁻²) of that maximum: by 1e-13 with N = 8,
// v = 1 and by 1e-14 with N = 4, v = fewVary. Everything is positive; exponents are
// below 4·farTable and right to 4u of that, 2e-12.
const tableSlack = 1e-10

// excess returns g(t) − 1 = ∫ f·(f(x−t)/f(x) − 1)² dx, piece by piece between the
// knots of f(x) and those of f(x−t); where both are in one segment the ratio is
// constant and the integral a closed form.
func (t *Table) excess(shift float64) float64 {
	if shift == 0 {
		return 0
	}
	if t.steep*math.Abs(shift) > farTable {
		return math.Inf(1)
	}
	n := len(t.x)
	i, j := 0, 0 // segments of x and of x − shift
	at, r := math.Inf(-1), -shift*t.slope[0]
	var sum float64
	for i < n || j < n {
		next, stepX := math.Inf(1), false
		if i < n {
			next, stepX = t.x[i], true
		}
		if j < n && t.x[j]+shift < next {
			next, stepX = t.x[j]+shift, false
		}
		if i == j {
			r = -shift * t.slope[i]
		}
		sum += t.piece(at, next, i, j, r)
		if !math.IsInf(at, -1) {
			r += (t.slope[j] - t.slope[i]) * (next - at)
		}
		at = next
		if stepX {
			i++
		} else {
			j++
		}
	}
	return sum + t.piece(at, math.Inf(1), n, n, -shift*t.slope[n])
}

// piece integrates f·(e^r − 1)² from lo to hi, x in segment i and x − shift in
// segment j, r being its value at lo.
func (t *Table) piece(lo, hi float64, i, j int, r float64) float64 {
	if i == j {
		return t.constant(lo, hi, i, r)
	}
	knot := max(0, i-1)
	y, turn := t.l[knot]+t.slope[i]*(lo-t.x[knot]), t.slope[j]-t.slope[i]
	length := hi - lo
	vary := (math.Abs(t.slope[i]) + 2*math.Abs(turn)) * length
	return quadrature(length, vary, func(s float64) float64 {
		return weighted(y+t.slope[i]*s, r+turn*s)
	})
}

// weighted returns e^y·(e^r − 1)², which may be large although e^y underflows.
func weighted(y, r float64) float64 {
	if r > 0 {
		y += 2 * r
	}
	e := math.Expm1(-math.Abs(r))
	return math.Exp(y) * e * e
}

// constant is piece for a constant r. From the end where f is larger (its logarithm is y), f falls
// to exp(−fall) times that, and its mass is e^y·(1 − exp(−fall))/|slope|.
func (t *Table) constant(lo, hi float64, i int, r float64) float64 {
	s := t.slope[i]
	top := lo
	if s > 0 {
		top = hi
	}
	knot := max(0, i-1)
	y := t.l[knot] + s*(top-t.x[knot])
	fall := math.Abs(s) * (hi - lo)
	if fall == 0 {
		return weighted(y, r) * (hi - lo)
	}
	return weighted(y, r) * -math.Expm1(-fall) / math.Abs(s)
}

// ChiSquared returns Π g(z_j) − 1, g by quadrature.
func (t *Table) ChiSquared(z []float64) float64 {
	var s float64
	for _, v := range z {
		s += math.Log1p(t.excess(v))
	}
	return math.Expm1(s)
}

// Bound returns at least ChiSquared of every vector within e of z.
//
// The root of g(t) − 1 is the distance of f(x−t)/f(x) from 1 in L²(f). As log f has
// slopes of at most L, f(x−t*) and f(x−t) differ by at most f(x−t)·expm1(L|t*−t|),
// hence √(g(t*)−1) ≤ √(g(t)−1) + expm1(L|t*−t|)·√g(t). The same holds for any error of
// the log ratio r, δ/L of it standing for |t*−t|. With R the largest |knot|, the ends
// of 2n pieces, each off by u(R+|t|), change r by 2L of that at most; slopes, right to
// 3u, by 6u·L(2R+|t|), the products and sums of excess by 4u·L(2R+|t|) + 2nu·L|t|:
// together less than 8(n+2)u·L(R+|t|), which is added to e. The log density is off by
// less than that, too, which is a factor of g − 1. The sum is rounded as in productBound.
func (t *Table) Bound(z, e []float64) float64 {
	n := float64(len(t.x))
	reach := max(math.Abs(t.x[0]), math.Abs(t.x[len(t.x)-1]))
	var s float64
	for j, v := range z {
		rounding := 8 * (n + 2) * unit * (reach + math.Abs(v))
		x := t.excess(v) * (1 + tableSlack) * math.Exp(t.steep*rounding)
		off := e[j]*(1+4*unit) + rounding
		root := math.Sqrt(x) + math.Expm1(t.steep*off*(1+8*unit))*math.Sqrt(1+x)*(1+16*unit)
		s += math.Log1p(root * root)
	}
	return expm1Above(s, 16*unit, len(z))
}
