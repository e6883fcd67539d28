package eigen

import (
	"math"

	"tattle/internal/math/simd"
)

// secular is the secular equation 1 + ρ Σ z_j²/(d_j − λ) = 0, whose roots are the
// eigenvalues of D + ρ z zᵀ. ρ > 0, d is ascending and distinct, and no z_j is zero. Root i
// lies between d_i and d_{i+1}.
type secular struct {
	rho   float64
	d, z  []float64
	root  []float64
	apart []float64 // [i, j]: d_j − root_i, to full relative accuracy
}

func (s *secular) solve() {
	simd.Parallel(len(s.d), 8, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s.find(i)
		}
	})
}

// find computes root i as its distance from the nearer pole, by the middle way of R.-C. Li
// (LAPACK Working Note 89, 1994): ψ, the sum over the poles up to i, and φ, the sum over
// the others, are each interpolated by the nearest pole with the same slope. A step that
// leaves the bracket is replaced by bisection.
func (s *secular) find(i int) {
	k := len(s.d)
	row := rowOf(s.apart, i, k)
	gap := s.rho * simd.SumSquares(s.z) * (1 + 2*float64(k)*machineEps)
	if i+1 < k {
		gap = s.d[i+1] - s.d[i]
	}
	origin, lo, hi := i, 0., gap
	if i+1 < k {
		if f, _, _, _ := s.at(i, i, gap/2); f < 0 {
			origin, lo, hi = i+1, -gap/2, 0
		} else {
			hi = gap / 2
		}
	}
	tau := (lo + hi) / 2
	for range 100 {
		f, psi, phi, size := s.at(i, origin, tau)
		if math.Abs(f) <= 4*machineEps*size {
			break
		}
		if f < 0 {
			lo = tau
		} else {
			hi = tau
		}
		next := tau + s.step(i, s.d[i]-s.d[origin]-tau, s.d[min(i+1, k-1)]-s.d[origin]-tau, f, psi, phi)
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if next == tau || !(next > lo && next < hi) {
			break
		}
		tau = next
	}
	for j, v := range s.d {
		row[j] = v - s.d[origin] - tau
	}
	s.root[i] = s.d[origin] + tau
}

// at returns the secular function at d[origin] + tau, the slopes of ψ and φ, and the sum
// of the absolute values of the terms.
func (s *secular) at(i, origin int, tau float64) (f, psi, phi, size float64) {
	f, size = 1, 1
	base := s.d[origin]
	for j, z := range s.z[:i+1] {
		t := z / (s.d[j] - base - tau)
		f += s.rho * z * t
		size += s.rho * math.Abs(z*t)
		psi += s.rho * t * t
	}
	for j := i + 1; j < len(s.d); j++ {
		t := s.z[j] / (s.d[j] - base - tau)
		f += s.rho * s.z[j] * t
		size += s.rho * math.Abs(s.z[j]*t)
		phi += s.rho * t * t
	}
	return f, psi, phi, size
}

// step returns the distance to the root of the interpolation. a and b are the distances of
// the poles i and i+1.
func (s *secular) step(i int, a, b, f, psi, phi float64) float64 {
	if i+1 == len(s.d) { // c + s/(a − η) = 0
		c := f - a*psi
		return a + a*a*psi/c
	}
	c := f - a*psi - b*phi
	p := (a+b)*f - a*b*(psi+phi)
	q := a * b * f
	root := math.Sqrt(max(p*p-4*q*c, 0))
	if p <= 0 {
		return (p - root) / (2 * c)
	}
	return 2 * q / (p + root)
}

// vectors returns the eigenvectors in the basis of D, [k, k], with their entries in the
// given order. They are computed from the z for which the computed roots are exact, so they
// are orthogonal however close the roots are (Gu and Eisenstat).
func (s *secular) vectors(order []int) []float64 {
	k := len(s.d)
	z := make([]float64, k)
	simd.Parallel(k, 16, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			z[j] = -s.apart[j*k+j]
		}
		for i := range k {
			row := rowOf(s.apart, i, k)
			for j := lo; j < hi; j++ {
				if i != j {
					z[j] *= row[j] / (s.d[j] - s.d[i])
				}
			}
		}
		for j := lo; j < hi; j++ {
			z[j] = math.Copysign(math.Sqrt(math.Abs(z[j])), s.z[j])
		}
	})
	x := make([]float64, k*k)
	parallel(k, func(i int) {
		apart, out := rowOf(s.apart, i, k), rowOf(x, i, k)
		for c, j := range order {
			out[c] = z[j] / apart[j]
		}
		simd.Scale(1/math.Sqrt(simd.SumSquares(out)), out)
	})
	return x
}
