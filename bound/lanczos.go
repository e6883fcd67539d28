package bound

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/lsqr"
	"tattle/nn"
	"tattle/run"
)

// lanczosRounding is the uncertainty of a Ritz value because of products in float32, relative
// to the largest Ritz value.
const lanczosRounding = 0x1p-20

// estimate fills in the spectra of rec.
func (r *runner) estimate(ctx context.Context, rec *record) error {
	for i, index := range rec.index {
		err := rec.estimated.fill(ctx, r.model, rowOf(rec.theta, i, rec.p), int(index), i, r.experiment.Spectrum.Seed)
		if err != nil {
			return err
		}
	}
	return nil
}

// fill estimates the spectrum of J at theta. One bidiagonalisation from a random start finds
// the extreme singular values. Those that are settled are projected out, and a quadrature from
// each random probe estimates the rest.
func (s *spectra) fill(ctx context.Context, m nn.Model, theta []float32, index, at int, seed uint64) error {
	p, n := m.Dims()
	lin := m.Linearize(theta)
	active := activity(lin, n)
	a := &products{ctx.Err, lin, p, n}
	op, on := lsqr.Operator[float32](a), []bool(nil)
	rows := activeCounts(active, n)[0]
	if s.dimension[at] = int32(p); rows < p {
		op, on, s.dimension[at] = transposedProducts{a}, active, int32(rows)
	}
	_, width := op.Dims()
	b := lsqr.Bidiagonalize(op, drawSigns(width, on, seed, index, 0), 1, s.steps, nil)[0]
	away := s.extremes(at, b)
	var starts []float32
	for k := range s.probes {
		starts = append(starts, drawSigns(width, on, seed, index, 1+k)...)
	}
	s.quadratures(at, lsqr.Bidiagonalize(op, starts, s.probes, s.steps, away), starts, away, width)
	return ctx.Err()
}

// transposedProducts is Jᵀ.
type transposedProducts struct{ *products }

func (a transposedProducts) Dims() (rows, cols int)    { return a.p, a.n }
func (a transposedProducts) Mul(dst, v []float32)      { a.products.MulTrans(dst, v) }
func (a transposedProducts) MulTrans(dst, u []float32) { a.products.Mul(dst, u) }

// drawSigns draws ±1 for each entry for which on is true, and 0 for the others. A nil on means
// true for all.
func drawSigns(width int, on []bool, seed uint64, index, which int) []float32 {
	g := run.Rand(seed, index, which)
	x := make([]float32, width)
	for i := range x {
		if x[i] = 1; g.Uint32()&1 == 0 {
			x[i] = -1
		}
		if on != nil && !on[i] {
			x[i] = 0
		}
	}
	return x
}

// extremes records the singular values σ of B, each with a radius: at least one singular value
// of J lies within β|x|/√2 of σ, where x is the last entry of the left singular vector. This
// is the norm of the residual of the matrix [0 J; Jᵀ 0] and the approximate eigenvector made
// of both singular vectors. It returns the right singular vectors of the settled values.
func (s *spectra) extremes(at int, b lsqr.Bidiagonal[float32]) (away []float32) {
	k := len(b.Alpha)
	if k == 0 {
		return nil
	}
	values, left, right := bidiagonalSVD(b)
	ritz, radius := rowOf(s.ritz, at, s.steps), rowOf(s.radius, at, s.steps)
	for i, v := range values {
		ritz[i] = v
		radius[i] = b.Beta[k-1]*math.Abs(left.At(k-1, i))/math.Sqrt2 + lanczosRounding*values[0]
	}
	taken := 0
	for taken < k && ritz[taken] > 0 && radius[taken] <= settledPart*ritz[taken] {
		taken++
	}
	s.taken[at] = int32(taken)
	width := len(b.V) / k
	for i := range taken {
		v := make([]float64, width)
		for j := range k {
			for c, x := range b.V[j*width : (j+1)*width] {
				v[c] += right.At(j, i) * float64(x)
			}
		}
		for _, x := range v {
			away = append(away, float32(x))
		}
	}
	return away
}

// quadratures records the bidiagonalisation of each probe v, and its mass: ‖v‖² after the
// vectors in away are projected out. Gauss's quadrature rule of BᵀB is the rule of the spectral
// measure of the probe (G. H. Golub and G. Meurant, Matrices, Moments and Quadrature, 2010,
// chapter 6).
func (s *spectra) quadratures(at int, bs []lsqr.Bidiagonal[float32], starts, away []float32, width int) {
	for i, b := range bs {
		v := rowOf(starts, i, width)
		mass := squareNorm32(v)
		for q := 0; q < len(away); q += width {
			dot := 0.
			for c, x := range away[q : q+width] {
				dot += float64(x) * float64(v[c])
			}
			mass -= dot * dot
		}
		place := at*s.probes + i
		copy(s.alpha[place*s.steps:], b.Alpha)
		copy(s.beta[place*s.steps:], b.Beta)
		s.mass[place] = max(mass, 0)
	}
}

// bidiagonalSVD returns the singular values of B, descending, and its singular vectors
// as columns.
func bidiagonalSVD(b lsqr.Bidiagonal[float32]) (values []float64, left, right *mat.Dense) {
	k := len(b.Alpha)
	m := mat.NewDense(k, k, nil)
	for i, v := range b.Alpha {
		m.Set(i, i, v)
		if i+1 < k {
			m.Set(i, i+1, b.Beta[i])
		}
	}
	var svd mat.SVD
	left, right = new(mat.Dense), new(mat.Dense)
	if !svd.Factorize(m, mat.SVDFull) {
		return make([]float64, k), mat.NewDense(k, k, nil), mat.NewDense(k, k, nil)
	}
	svd.UTo(left)
	svd.VTo(right)
	return svd.Values(nil), left, right
}
