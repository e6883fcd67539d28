package independent

import "math"

// Of one witness ε with z = a(θ+ε) − a(θ), Hammersley, Chapman and Robbins prove
// Var(ŵ) ≥ (wᵀε)²/χ², where 1 + χ² = Π_j ∫ f(x − z_j)²/f(x) dx and f is the noise's density.
// Of several, with g_i = wᵀε_i and M_ij = Π_l ∫ f(x − z_il) f(x − z_jl)/f(x) dx − 1, Barankin
// proves Var(ŵ) ≥ (cᵀg)²/(cᵀMc) for every c. Independent releases multiply the products.

// root returns √χ² of a witness: +Inf if it proves nothing. Where the runtime's errors
// count, the features released at both inputs may each be off by Runtime.
func (e *example) root(z []float64) float64 {
	if z == nil {
		return math.Inf(1)
	}
	off := 2 * e.kind.Runtime
	if !e.run.Laplace {
		var s float64
		for _, v := range z {
			s += v * v
		}
		d := (math.Sqrt(s) + off*math.Sqrt(float64(len(z)))) / e.run.Sigma
		return math.Sqrt(math.Expm1(float64(max(1, e.run.Queries)) * d * d))
	}
	wide := make([]float64, len(z))
	for j, v := range z {
		wide[j] = math.Abs(v) + off
	}
	return math.Sqrt(e.run.moment(wide, wide))
}

// moment returns M of two witnesses, by z of each.
func (r Run) moment(z, y []float64) float64 {
	var log float64
	for j := range z {
		if s, t := z[j]/r.Sigma, y[j]/r.Sigma; r.Laplace { // of scale σ/√2
			log += math.Log1p(laplaceOverlap(s*math.Sqrt2, t*math.Sqrt2))
		} else {
			log += s * t
		}
	}
	return math.Expm1(float64(max(1, r.Queries)) * log)
}

// laplaceOverlap returns ∫ f(x−s) f(x−t)/f(x) dx − 1 for f(x) = ½e^{−|x|}. Piece by piece
// between 0, s and t the integrand is an exponential. For 0 ≤ s ≤ t the sum is
// e^s + (e^{−s−t} − e^{2s−t})/3, and for s ≤ 0 ≤ t it is 1 − (1 − e^{−|s|})(1 − e^{−t}). The first
// is written as [e^s − 1 − h] + h(1 − e^{−t}) with h = (e^{2s} − e^{−s})/3, and the bracket, of
// order s³, as its series, so that small s and t do not cancel.
func laplaceOverlap(s, t float64) float64 {
	if math.Abs(s) > math.Abs(t) {
		s, t = t, s
	}
	opposite := s < 0 != (t < 0)
	s, t = math.Abs(s), math.Abs(t)
	if opposite {
		return -math.Expm1(-s) * math.Expm1(-t)
	}
	h := (math.Exp(2*s) - math.Exp(-s)) / 3
	bracket := math.Expm1(s) - h
	if s < 1 {
		bracket, h = 0, 0
		term, two, sign := 1., 1., 1.
		for n := 1; n <= 24; n++ {
			term, two, sign = term*s/float64(n), 2*two, -sign
			h += (two - sign) / 3 * term
			bracket += (1 - (two-sign)/3) * term
		}
	}
	return bracket - h*math.Expm1(-t)
}

// combined returns the root of (cᵀg)²/(cᵀMc) for each coordinate, c = solve·g.
func (e *example) combined(z, g [][]float64) []float64 {
	n, m := len(z), len(e.std)
	moments := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			if z[i] != nil && z[j] != nil {
				moments[i*n+j] = e.run.moment(z[i], z[j])
				moments[j*n+i] = moments[i*n+j]
			}
		}
	}
	std, c := make([]float64, m), make([]float64, n)
	for k := range m {
		var top, under float64
		for i := range n {
			c[i] = 0
			for j := range n {
				if z[i] != nil && z[j] != nil {
					c[i] += e.solve[i*n+j] * g[j][k]
				}
			}
			top += c[i] * g[i][k]
		}
		for i := range n {
			for j := range n {
				if c[i] != 0 && c[j] != 0 {
					under += c[i] * c[j] * moments[i*n+j]
				}
			}
		}
		if top != 0 && under > 0 {
			std[k] = math.Abs(top) / math.Sqrt(under)
		}
	}
	return std
}
