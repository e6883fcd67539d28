package bound

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/simd"
	"tattle/nn"
)

// A decomposition gives the singular values of a Jacobian and applies its
// singular vectors.
type decomposition interface {
	values() []float64
	split(z []float32) (c []float64, outside float64) // c_i = u_iᵀz, and ‖z‖² − ‖c‖²
	combine(dst, c []float32)                         // dst = Σ c_i v_i
}

// probes is how many products with Jᵀ look for what changed between two points.
// Of a piecewise linear net, J(θ') − J(θ) has at most the rank of the number of
// units that changed their state, which is small where θ' is near θ.
const probes = 12

const (
	// changeFloor is the least change of a probed product, over its norm, that is
	// not float32 rounding.
	changeFloor = 1e-5
	// sureRank is the most directions of change that probes random products are
	// trusted to have found all of.
	sureRank = probes - 3
)

// Updating pays up to some number of rows of J that are not zero. A decomposition
// takes about 2.5 ns·rows³ of a core; LSQR on products takes some 140 steps, each
// of about 0.05 ns·2pn on two cores where a layer has pn weights. They meet near
// 150 rows for paper A's MNIST net (p = n = 784).
const (
	updateRatio = 6  // rows³ over pn where they meet
	updateRows  = 64 // so few always pay
)

// updates tells whether updating pays.
func updates(rows int, m interface{ Dims() (p, n int) }) bool {
	p, n := m.Dims()
	return rows <= updateRows || rows*rows*rows <= updateRatio*p*n
}

// updater decomposes J at points near those of base, for which the decomposition
// is known.
type updater struct {
	model  nn.Model
	base   []*Factors
	omega  []float32 // [examples, probes, n], the probing cotangents
	before []float32 // [examples, probes, p], Jᵀω at the base
	after  []float32
	full   int // Jacobians formed anew because too much had changed
}

func newUpdater(m nn.Model, theta []float32, base []*Factors) *updater {
	p, n := m.Dims()
	u := &updater{model: m, base: base, omega: make([]float32, len(base)*probes*n),
		before: make([]float32, len(base)*probes*p), after: make([]float32, len(base)*probes*p)}
	r := rand.New(rand.NewPCG(0, 0))
	for i := range u.omega[:probes*n] {
		u.omega[i] = float32(r.NormFloat64())
	}
	for i := 1; i < len(base); i++ {
		copy(u.omega[i*probes*n:], u.omega[:probes*n])
	}
	m.Linearize(theta).VJP(u.before, u.omega)
	return u
}

// decompose returns the decompositions of J at the rows of at.
func (u *updater) decompose(ctx context.Context, at []float32) ([]decomposition, error) {
	p, n := u.model.Dims()
	lin := u.model.Linearize(at)
	lin.VJP(u.after, u.omega)
	changes, most := u.changes(p)
	products := make([]float32, len(u.base)*most*n)
	if most > 0 {
		tangents := make([]float32, len(u.base)*most*p)
		for i, q := range changes {
			if len(q) > sureRank*p {
				continue
			}
			for k, v := range q {
				tangents[i*most*p+k] = float32(v)
			}
		}
		lin.JVP(products, tangents)
	}
	out := make([]decomposition, len(u.base))
	parallel(len(out), func(i int) {
		switch q := changes[i]; {
		case ctx.Err() != nil:
		case len(q) == 0:
			out[i] = u.base[i]
		case len(q) <= sureRank*p:
			if d := u.base[i].update(q, products[i*most*n:(i*most+len(q)/p)*n]); d != nil {
				out[i] = d
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return out, u.anew(ctx, out, at)
}

// changes returns, for each example, an orthonormal basis of what the rows of J
// changed by, [rank, p], longer than sureRank where there may be more; and the
// largest rank up to sureRank.
func (u *updater) changes(p int) (bases [][]float64, most int) {
	bases = make([][]float64, len(u.base))
	parallel(len(bases), func(i int) {
		before, after := u.before[i*probes*p:(i+1)*probes*p], u.after[i*probes*p:(i+1)*probes*p]
		bases[i] = rowBasis(before, after, p)
	})
	for _, b := range bases {
		most = max(most, min(len(b)/p, sureRank))
	}
	for i, b := range bases {
		if len(b)/p > sureRank {
			bases[i] = make([]float64, (sureRank+1)*p) // too much changed: not to be used
		}
	}
	return bases, most
}

// rowBasis returns an orthonormal basis of the rows of after − before that are
// not rounding.
func rowBasis(before, after []float32, p int) []float64 {
	change := make([]float64, len(after))
	var moved, norm float64
	for k, v := range after {
		change[k] = float64(v) - float64(before[k])
		moved += change[k] * change[k]
		norm += float64(v) * float64(v)
	}
	if moved <= changeFloor*changeFloor*norm {
		return nil
	}
	gram := make([]float64, probes*probes)
	simd.Gemm(false, true, probes, probes, p, 1, change, p, change, p, 0, gram, probes)
	values, vectors, ok := eigen(gram, probes, changeFloor*changeFloor*norm)
	if !ok {
		return make([]float64, probes*p)
	}
	basis := make([]float64, len(values)*p)
	simd.Gemm(false, false, len(values), p, probes, 1, vectors, probes, change, p, 0, basis, p)
	for i, v := range values {
		simd.Scale(1/math.Sqrt(v), basis[i*p:(i+1)*p])
	}
	return basis
}

// eigen returns the eigenvalues of a symmetric matrix above floor, descending,
// and their vectors, one a row.
func eigen(a []float64, d int, floor float64) (values, vectors []float64, ok bool) {
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(d, a), true) {
		return nil, nil, false
	}
	all := e.Values(nil) // ascending
	for len(values) < d && all[d-1-len(values)] > floor {
		values = append(values, all[d-1-len(values)])
	}
	var q mat.Dense
	e.VectorsTo(&q)
	vectors = make([]float64, len(values)*d)
	for i := range values {
		mat.Col(vectors[i*d:(i+1)*d], d-1-i, &q)
	}
	return values, vectors, true
}

// anew forms the Jacobians of the examples that have no decomposition yet.
func (u *updater) anew(ctx context.Context, out []decomposition, at []float32) error {
	p, n := u.model.Dims()
	var which []int
	var x []float32
	for i, d := range out {
		if d == nil {
			which = append(which, i)
			x = append(x, at[i*p:(i+1)*p]...)
		}
	}
	if len(which) == 0 {
		return nil
	}
	u.full += len(which)
	fs, err := factorAll(ctx, jacobians(u.model.Linearize(x), len(which), p, n), Jacobian.coarse)
	if err != nil {
		return err
	}
	for k, i := range which {
		out[i] = fs[k]
	}
	return nil
}

// updated is the decomposition of J' = J + C Qᵀ, from that of J: in the basis of
// J's right singular vectors and what Q adds to them, J' is the matrix b, and
// b = Σ s_i b_i x_iᵀ/s_i.
type updated struct {
	base  *Factors
	extra []float64 // [·, p], orthonormal and orthogonal to base.V
	rows  []int     // features whose rows of b these are
	b     []float64 // [rows, width]
	s     []float64
	x     []float64 // [len(s), width]
	width int
}

// update returns the decomposition of J + C Qᵀ, given Q as rows of q and J'Q as
// rows of jq; nil where it cannot be found.
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
	simd.Gemm(true, false, d.width, d.width, len(d.rows), 1, d.b, d.width, d.b, d.width, 0, gram, d.width)
	top := 0.
	for i := range d.width {
		top = max(top, gram[i*d.width+i])
	}
	values, x, ok := eigen(gram, d.width, cutoff*cutoff*top)
	if !ok {
		return nil
	}
	d.s, d.x = values, x
	for i, v := range d.s {
		d.s[i] = math.Sqrt(v)
	}
	return d
}

// extend returns an orthonormal basis of what the rows of q add to those of V, by
// Gram-Schmidt, twice.
func (f *Factors) extend(q []float64) []float64 {
	var extra []float64
	for i := 0; i < len(q); i += f.P {
		v := append([]float64(nil), q[i:i+f.P]...)
		for range 2 {
			for _, basis := range [][]float64{f.V, extra} {
				for k := 0; k < len(basis); k += f.P {
					simd.Axpy(-simd.Dot(basis[k:k+f.P], v), basis[k:k+f.P], v)
				}
			}
		}
		if norm := math.Sqrt(simd.SumSquares(v)); norm > changeFloor {
			simd.Scale(1/norm, v)
			extra = append(extra, v...)
		}
	}
	return extra
}

func (d *updated) values() []float64 { return d.s }

func (d *updated) split(z []float32) (c []float64, outside float64) {
	t := make([]float64, d.width)
	for a, j := range d.rows {
		simd.Axpy(float64(z[j]), d.b[a*d.width:(a+1)*d.width], t)
	}
	for _, v := range z {
		outside += float64(v) * float64(v)
	}
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
	for k, v := range sum {
		dst[k] = float32(v)
	}
}
