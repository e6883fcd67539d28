package bound

import (
	"cmp"
	"math"
	"slices"
)

// probed is the measure on the spectrum of JᵀJ that a probe v determines. a is the diagonal of the
// tridiagonal matrix of the probe's Lanczos process and b the values beside it. The last b leads
// out of the matrix; it is 0 if the process came to its end. mass is that of the measure, ‖v‖².
type probed struct {
	a, b []float64
	mass float64
}

// newProbed returns the measure for the bidiagonal matrix B with diagonal alpha and beta beside
// it: the tridiagonal matrix is BᵀB.
func newProbed(alpha, beta []float64, mass float64) probed {
	k := 0
	for k < len(beta) && beta[k] != 0 {
		k++
	}
	k = min(k+1, len(alpha))
	m := probed{make([]float64, k), make([]float64, k), mass}
	for i := range k {
		m.a[i], m.b[i] = alpha[i]*alpha[i], alpha[i]*beta[i]
		if i > 0 {
			m.a[i] += beta[i-1] * beta[i-1]
		}
	}
	return m
}

// from returns a lower and an upper bound of the measure of [t, ∞), given its moments: the
// weights beyond t, and from t on, of the Gauss-Radau rule with a node at t. Both are
// attained (the theorem of Chebyshev, Markov and Stieltjes; G. Szegő, Orthogonal
// Polynomials, section 3.41). The rule is Gauss's of a matrix with one more row (G. H.
// Golub, Some modified matrix eigenvalue problems, SIAM Review 15, 1973).
func (m probed) from(t float64) (low, high float64) {
	k := len(m.a)
	if k == 0 || !(m.mass > 0) {
		return 0, 0
	}
	if m.b[k-1] == 0 { // the rule is the measure
		nodes, weights := gauss(m.a, m.b[:k-1])
		for i, x := range nodes {
			if x >= t {
				low += m.mass * weights[i]
			}
		}
		return low, low
	}
	d := 1.
	for i, a := range m.a {
		before := 0.
		if i > 0 {
			before = m.b[i-1] * m.b[i-1] / d
		}
		if d = a - t - before; d == 0 {
			d = math.SmallestNonzeroFloat32 * (1 + math.Abs(a))
		}
	}
	nodes, weights := gauss(append(slices.Clone(m.a), t+m.b[k-1]*m.b[k-1]/d), m.b)
	at := 0
	for i, x := range nodes {
		if math.Abs(x-t) < math.Abs(nodes[at]-t) {
			at = i
		}
	}
	for i, x := range nodes {
		if i != at && x > t {
			low += m.mass * weights[i]
		}
	}
	return low, low + m.mass*weights[at]
}

// gauss returns the nodes, ascending, and the weights, of sum 1, of a tridiagonal
// matrix: its eigenvalues, and the squares of the first entries of its eigenvectors,
// by the implicit QL iteration (G. H. Golub and J. H. Welsch, Calculation of Gauss
// quadrature rules, Math. Comp. 23, 1969).
func gauss(diagonal, beside []float64) (nodes, weights []float64) {
	n := len(diagonal)
	d, z := slices.Clone(diagonal), make([]float64, n)
	e := append(slices.Clone(beside), 0)
	z[0] = 1
	for l := range n {
		for range 60 {
			m := l
			for m < n-1 && math.Abs(e[m]) > ulp*(math.Abs(d[m])+math.Abs(d[m+1])) {
				m++
			}
			if m == l {
				break
			}
			sweepQL(d, e, z, l, m)
		}
	}
	order := numbersTo(n)
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(d[i], d[j]) })
	nodes, weights = make([]float64, n), make([]float64, n)
	for i, j := range order {
		nodes[i], weights[i] = d[j], z[j]*z[j]
	}
	return nodes, weights
}

// sweepQL makes one QL step with Wilkinson's shift on rows l to m.
func sweepQL(d, e, z []float64, l, m int) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[m] - d[l] + e[l]/(g+math.Copysign(math.Hypot(g, 1), g))
	s, c, p := 1., 1., 0.
	for i := m - 1; i >= l; i-- {
		f, b := s*e[i], c*e[i]
		r := math.Hypot(f, g)
		e[i+1] = r
		if r == 0 {
			d[i+1] -= p
			e[m] = 0
			return
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = (d[i]-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
		z[i+1], z[i] = s*z[i]+c*z[i+1], c*z[i]-s*z[i+1]
	}
	d[l] -= p
	e[l] = g
	e[m] = 0
}
