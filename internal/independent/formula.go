package independent

import (
	"math"

	"tattle/internal/math/simd"
)

// Of one witness ε with z = a(θ+ε) − a(θ), Hammersley, Chapman and Robbins prove
// Var(ŵ) ≥ (wᵀε)²/χ², where 1 + χ² = Π_j ∫ f(x − z_j)²/f(x) dx and f is the noise's density.
// Of several, with g_i = wᵀε_i and M_ij = Π_l ∫ f(x − z_il) f(x − z_jl)/f(x) dx − 1, Barankin
// proves Var(ŵ) ≥ (cᵀg)²/(cᵀMc) for every c. Independent releases multiply the products.

// Of every estimator of wᵀθ, the mean of its mean-square errors at θ and at θ+ε is at least
// (wᵀε)²·h, with h = ½∫ f0·f1/(f0 + f1) for the densities f0 and f1 of the releases at the two.

// root returns √χ² of a witness, and h: for Laplace noise ρ²/4, which is at most h. A witness
// that proves nothing has no z. Where the runtime's errors count, the features released at
// both inputs may each be off by Runtime.
func (e *example) root(z []float64) (root, share float64) {
	if z == nil {
		return math.Inf(1), 0
	}
	off, queries := 2*e.kind.Runtime, float64(max(1, e.run.Queries))
	if !e.run.Laplace {
		d := (math.Sqrt(simd.SumSquares(z)) + off*math.Sqrt(float64(len(z)))) / e.run.Sigma * math.Sqrt(queries)
		return math.Sqrt(math.Expm1(d * d)), gaussianShare(d)
	}
	wide, log := make([]float64, len(z)), 0.
	for j, v := range z {
		wide[j] = math.Abs(v) + off
		t := wide[j] / e.run.Sigma / math.Sqrt2 // half of the shift over the scale
		log += math.Log1p(t) - t                // of ∫ √(f(x)·f(x−z_j)) dx
	}
	return math.Sqrt(e.run.moment(wide, wide)), math.Exp(2*queries*log) / 4
}

// gaussianShare returns h for normal densities of variance 1 whose means are d apart: half of
// the mean of f1/(f0 + f1) over f0, by a sum of small steps. It falls with d, and from 50 on
// its value there is returned, which is below 10⁻¹³⁰.
func gaussianShare(d float64) float64 {
	d = min(d, 50)
	sum, step := 0., min(.05, .25/d)
	for x := -12.; x < d/2+12; x += step {
		sum += math.Exp(-x*x/2) / (1 + math.Exp(d*d/2-d*x))
	}
	return sum * step / 2 / math.Sqrt(2*math.Pi)
}

// moment returns M of two witnesses, by z of each: 0 where one has none.
func (r Run) moment(z, y []float64) float64 {
	var log float64
	for j := range min(len(z), len(y)) {
		if s, t := z[j]/r.Sigma, y[j]/r.Sigma; r.Laplace { // of scale σ/√2
			log += math.Log1p(laplaceOverlap(s*math.Sqrt2, t*math.Sqrt2))
		} else {
			log += s * t
		}
	}
	return min(math.Expm1(float64(max(1, r.Queries))*log), math.MaxFloat64)
}

// laplaceOverlap returns ∫ f(x−s) f(x−t)/f(x) dx − 1 for f(x) = ½e^{−|x|}. Piece by piece
// between 0, s and t the integrand is an exponential. For s ≤ 0 ≤ t the sum is
// −(1 − e^{−|s|})(1 − e^{−t}), and for 0 ≤ s ≤ t it is e^s − 1 + (e^{−s−t} − e^{2s−t})/3: with
// u = e^s − 1, so that small s and t do not cancel, u(1 − e^{−t}) − u³e^{−t}/3(1+u).
func laplaceOverlap(s, t float64) float64 {
	a, b := math.Abs(s), math.Abs(t)
	if s*t < 0 {
		return -math.Expm1(-a) * math.Expm1(-b)
	}
	u, most := math.Expm1(min(a, b)), max(a, b)
	return -u*math.Expm1(-most) - u/(1+u)*u*(u*math.Exp(-most))/3
}

// combined returns the root of (cᵀg)²/(cᵀMc) for each coordinate, c = solve·g.
func (e *example) combined(z, g [][]float64) []float64 {
	n, moments, c, std := len(z), make([][]float64, len(z)), make([]float64, len(z)), make([]float64, len(e.std))
	for i := range n {
		for j := range n {
			moments[i] = append(moments[i], e.run.moment(z[i], z[j]))
		}
	}
	for k := range std {
		var top, under float64
		for i := range n {
			c[i] = 0
			for j := range n {
				c[i] += e.solve[i*n+j] * g[j][k]
			}
			top += c[i] * g[i][k]
		}
		for i, x := range c {
			under += x * simd.Dot(c, moments[i])
		}
		if top != 0 && under > 0 {
			std[k] = math.Abs(top) / math.Sqrt(under)
		}
	}
	return std
}
