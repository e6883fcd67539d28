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

// fewVary is the largest variation of the logarithm of the integrand for which the rule with few
// points is used. A small shift gives pieces of two kinds: wide ones, on which the ratio is constant,
// and narrow ones between a knot and the same knot shifted. The narrow ones vary this little.
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

// tableSlack is the relative error that is allowed for in excess.
//
// The integrand is e^y·(e^r−1)², where the log density y and the log ratio r are linear. Over one part
// they change by a and d, with a + 2d ≤ v = 1. Such an integrand is entire.
//
// Consider the Bernstein ellipse with parameter ρ = 16/v. On it, r differs from its value in the middle
// of the part by |w| ≤ ρd/4 (and a little), so the integrand is at most e^(ρv/4)·(|e^r−1| + |w|)².
// The mean of (e^r−1)² over the part is at least about d²/12. So the integrand on the ellipse is below
// 1000·(1 + ρ²) times its mean.
//
// A rule of N points errs by at most (64/15)·ρ^(−2N)/(1−ρ⁻²) times the maximum on the ellipse. This is
// 1e-13 for N = 8 and v = 1, and 1e-14 for N = 4 and v = fewVary. All terms are positive, so relative
// errors do not grow in the sum. Exponents are below 4·farTable, with a relative error of 4u, which is
// an error of 2e-12 in the result.
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
	at, r := math.Inf(-1), 0.
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
		return 0 // the segment is flat, so that r is 0, or the piece has no length
	}
	return weighted(y, r) * -math.Expm1(-fall) / math.Abs(s)
}

// Bound returns an upper bound on Π g(z_j) − 1, g by quadrature, over all vectors within e of z.
//
// √(g(t)−1) is the distance of f(x−t)/f(x) from 1 in L²(f). The slopes of log f are at most L, so
// f(x−t*) and f(x−t) differ by at most f(x−t)·expm1(L|t*−t|). By the triangle inequality
//
//	√(g(t*)−1) ≤ √(g(t)−1) + expm1(L|t*−t|)·√g(t).
//
// An error δ of the log ratio r counts in the same way as a shift by δ/L. With the largest |knot| R:
//
//   - the ends of 2n pieces are off by u(R+|t|) each, which changes r by at most 2L times that;
//   - slopes have a relative error of 3u, which changes r by 6u·L(2R+|t|);
//   - the products and sums of excess add 4u·L(2R+|t|) + 2nu·L|t|.
//
// Together this is less than 8(n+2)u·L(R+|t|). Divided by L it is added to e. The error of the log
// density is smaller than that, too, and is a factor of g − 1. The sum is rounded as in Laplace.Bound.
func (t *Table) Bound(z, e []float64) float64 {
	n := float64(len(t.x))
	reach := max(-t.x[0], t.x[len(t.x)-1])
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
