package bound

import (
	"math"
	"slices"

	"tattle/internal/math/eigen"
	"tattle/internal/math/simd"
)

// A decomposition gives the singular values of a Jacobian and applies its
// singular vectors.
type decomposition interface {
	values() []float64
	split(z []float32) (c []float64, outside float64) // c_i = u_iᵀz, and ‖z‖² − ‖c‖²
	combine(dst, c []float32)                         // dst = Σ c_i v_i
}

func (f *Factors) values() []float64 { return f.S }

// split returns the coordinates of z along u_i, and the squared norm of the part of z outside
// their span.
func (f *Factors) split(z []float32) (c []float64, outside float64) {
	a := len(f.Active)
	active := make([]float64, a)
	for k, j := range f.Active {
		active[k] = float64(z[j])
	}
	outside = squareNorm32(z)
	c = make([]float64, f.Rank())
	for i := range c {
		c[i] = simd.Dot(f.U[i*a:(i+1)*a], active)
		outside -= c[i] * c[i]
	}
	return c, max(outside, 0)
}

// combine overwrites dst with Σ_i c_i v_i.
func (f *Factors) combine(dst, c []float32) {
	sum := make([]float64, f.P)
	for i, v := range c {
		simd.Axpy(float64(v), f.V[i*f.P:(i+1)*f.P], sum)
	}
	convert(dst, sum)
}

// updated is the decomposition of J' = J + C Qᵀ, computed from that of J. In the basis of the
// right singular vectors of J, extended by what Q adds to their span, J' is the matrix b. The
// s_i and x_i are the singular values and right singular vectors of b, so that the left
// singular vectors are b x_i/s_i.
type updated struct {
	base  *Factors
	extra []float64 // [·, p], orthonormal and orthogonal to base.V
	rows  []int     // the feature of each row of b
	b     []float64 // [rows, width]
	s     []float64
	x     []float64 // [len(s), width]
	width int
}

// update returns the decomposition of J' = J + C Qᵀ. The columns of Q are the rows of q, and
// the columns of J'Q the rows of jq. It returns nil if the eigenvalues do not converge.
func (f *Factors) update(q []float64, jq []float32) decomposition {
	p, r := f.P, f.Rank()
	k := len(q) / p
	n := len(jq) / k
	d := &updated{base: f, extra: f.extend(q)}
	d.width = r + len(d.extra)/p

	// C = J'Q − JQ, JQ = Σ u_i s_i (v_iᵀ Q).
	c := make([]float64, n*k)
	for i := range k {
		for j := range n {
			c[j*k+i] = float64(jq[i*n+j])
		}
	}
	vq := make([]float64, d.width*k) // basis · Q
	simd.Gemm(false, true, r, k, p, 1, f.V, p, q, p, 0, vq[:r*k], k)
	simd.Gemm(false, true, d.width-r, k, p, 1, d.extra, p, q, p, 0, vq[r*k:], k)
	us := make([]float64, n*r)
	for i, s := range f.S {
		for a, j := range f.Active {
			us[j*r+i] = s * f.U[i*len(f.Active)+a]
		}
	}
	simd.Gemm(false, false, n, k, r, -1, us, r, vq, k, 1, c, k)

	for j := range n {
		if simd.MaxAbs(c[j*k:(j+1)*k]) > 0 || simd.MaxAbs(us[j*r:(j+1)*r]) > 0 {
			d.rows = append(d.rows, j)
		}
	}
	d.b = make([]float64, len(d.rows)*d.width)
	cs := make([]float64, len(d.rows)*k)
	for a, j := range d.rows {
		copy(d.b[a*d.width:], us[j*r:(j+1)*r])
		copy(cs[a*k:], c[j*k:(j+1)*k])
	}
	simd.Gemm(false, true, len(d.rows), d.width, k, 1, cs, k, vq, k, 1, d.b, d.width)
	gram := make([]float64, d.width*d.width)
	simd.Gram(true, d.width, len(d.rows), 1, d.b, d.width, 0, gram, d.width)
	simd.Mirror(d.width, gram, d.width)
	top := 0.
	for i := range d.width {
		top = max(top, gram[i*d.width+i])
	}
	values, x, ok := eigen.Symmetric(gram, d.width, cutoff*cutoff*top)
	if !ok {
		return nil
	}
	d.s, d.x = values, x
	for i, v := range d.s {
		d.s[i] = math.Sqrt(v)
	}
	return d
}

// extend returns an orthonormal basis of the part of the rows of q that is orthogonal to the
// rows of V.
func (f *Factors) extend(q []float64) []float64 {
	var extra []float64
	for i := 0; i < len(q); i += f.P {
		v := append([]float64(nil), q[i:i+f.P]...)
		orthogonalize(v, f.V, extra)
		if norm := math.Sqrt(simd.SumSquares(v)); norm > changeFloor {
			simd.Scale(1/norm, v)
			extra = append(extra, v...)
		}
	}
	return extra
}

// orthogonalize takes from v what is in the span of orthonormal rows, twice because of rounding.
func orthogonalize(v []float64, bases ...[]float64) {
	for range 2 {
		for _, basis := range bases {
			for row := range slices.Chunk(basis, len(v)) {
				simd.Axpy(-simd.Dot(row, v), row, v)
			}
		}
	}
}

func (d *updated) values() []float64 { return d.s }

func (d *updated) split(z []float32) (c []float64, outside float64) {
	t := make([]float64, d.width)
	for a, j := range d.rows {
		simd.Axpy(float64(z[j]), d.b[a*d.width:(a+1)*d.width], t)
	}
	outside = squareNorm32(z)
	c = make([]float64, len(d.s))
	for i, s := range d.s {
		c[i] = simd.Dot(d.x[i*d.width:(i+1)*d.width], t) / s
		outside -= c[i] * c[i]
	}
	return c, max(outside, 0)
}

func (d *updated) combine(dst, c []float32) {
	y, sum := make([]float64, d.width), make([]float64, d.base.P)
	for i, v := range c {
		simd.Axpy(float64(v), d.x[i*d.width:(i+1)*d.width], y)
	}
	r, p := d.base.Rank(), d.base.P
	for i, v := range y {
		basis := d.base.V
		if i >= r {
			basis, i = d.extra, i-r
		}
		simd.Axpy(v, basis[i*p:(i+1)*p], sum)
	}
	convert(dst, sum)
}
