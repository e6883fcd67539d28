package classify

import (
	"context"
	"math"

	"tattle/internal/math/eigen"
	"tattle/internal/math/simd"
)

const (
	// farthest cuts standardised values off before they are multiplied, so that no
	// product of finite numbers overflows.
	farthest = 1e6
	// faintest is the least variance of a principal component, of standardised
	// columns, that counts: 10⁻⁵ of a standard deviation is far above the rounding
	// of float32 outputs, as in rows that sum to 1, and far below what carries anything.
	faintest = 1e-10
	// manyColumns or more are decomposed by eigen.Large.
	manyColumns = 128
	// whitenBlock rows are projected at once.
	whitenBlock = 512
)

// whitening projects rows to their principal components, of the standardised columns,
// each scaled to variance 1.
type whitening struct {
	*scaler
	d, r int
	w    []float64 // [d, r]
}

func newWhitening(ctx context.Context, x []float32, d int) (*whitening, error) {
	w := &whitening{scaler: newScaler(x, d, farthest), d: d}
	values, vectors, ok := decompose(ctx, w.covariance(x), d)
	if !ok {
		return w, ctx.Err() // without an end, not reached by finite numbers: no component, as if all were constant
	}
	w.r = len(values)
	w.w = make([]float64, d*w.r)
	for c, v := range values {
		deviation := math.Sqrt(v)
		for j := range d {
			w.w[j*w.r+c] = vectors[c*d+j] / deviation
		}
	}
	return w, nil
}

// decompose returns the eigenvalues of a covariance that count, descending, and their
// eigenvectors, by rows. It may overwrite the covariance, and ends early with ctx.
func decompose(ctx context.Context, covariance []float64, d int) (values, vectors []float64, ok bool) {
	if d < manyColumns {
		return eigen.Symmetric(covariance, d, faintest)
	}
	return eigen.Large(ctx, covariance, d, faintest)
}

// covariance returns that of the standardised columns, [d, d].
func (w *whitening) covariance(x []float32) []float64 {
	d, n := w.d, len(x)/w.d
	c := make([]float64, d*d)
	z := make([]float64, min(n, whitenBlock)*d)
	for lo := 0; lo < n; lo += whitenBlock {
		m := min(whitenBlock, n-lo)
		rows(w.scaler, z, x[lo*d:(lo+m)*d])
		simd.Gram(true, d, m, 1/float64(n), z, d, 1, c, d)
	}
	simd.Mirror(d, c, d)
	return c
}

// rows overwrites the first r columns of dst, [n, stride], with the components of x.
func (w *whitening) rows(dst []float32, stride int, x []float32) {
	if w.r == 0 {
		return
	}
	n := len(x) / w.d
	z, y := make([]float64, min(n, whitenBlock)*w.d), make([]float64, min(n, whitenBlock)*w.r)
	for lo := 0; lo < n; lo += whitenBlock {
		m := min(whitenBlock, n-lo)
		rows(w.scaler, z, x[lo*w.d:(lo+m)*w.d])
		simd.Gemm(false, false, m, w.r, w.d, 1, z, w.d, w.w, w.r, 0, y, w.r)
		for i := range m {
			for c, v := range y[i*w.r : (i+1)*w.r] {
				dst[(lo+i)*stride+c] = float32(v)
			}
		}
	}
}
