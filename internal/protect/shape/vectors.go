package shape

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// Joint are the second moments of values and of what is to be computed from them.
type Joint struct {
	n, width     int
	mean, answer []float64 // [n], [width]
	covariance   []float64 // of the values, [n, n]
	cross        []float64 // of the answers and the values, [width, n]
}

// NewJoint computes the moments of values [examples, n] and answers [examples, width] of some examples.
func NewJoint(values, answers []float32, n, width int, indices []int) *Joint {
	j := &Joint{n: n, width: width, mean: make([]float64, n), answer: make([]float64, width), covariance: make([]float64, n*n), cross: make([]float64, width*n)}
	count := float64(len(indices))
	for _, i := range indices {
		for k, v := range values[i*n : (i+1)*n] {
			j.mean[k] += float64(v) / count
		}
		for k, v := range answers[i*width : (i+1)*width] {
			j.answer[k] += float64(v) / count
		}
	}
	const block = 500
	x, y := make([]float64, block*n), make([]float64, block*width)
	for first := 0; first < len(indices); first += block {
		some := indices[first:min(first+block, len(indices))]
		for r, i := range some {
			for k, v := range values[i*n : (i+1)*n] {
				x[r*n+k] = float64(v) - j.mean[k]
			}
			for k, v := range answers[i*width : (i+1)*width] {
				y[r*width+k] = float64(v) - j.answer[k]
			}
		}
		simd.Gemm(true, false, n, n, len(some), 1/count, x, n, x, n, 1, j.covariance, n)
		simd.Gemm(true, false, width, n, len(some), 1/count, y, width, x, n, 1, j.cross, n)
	}
	return j
}

// Head returns the affine map that errs least in squares, if noise of standard deviation sigma is added to the values:
// y = E[y] + Cov(y, x)(Cov(x) + σ²)⁻¹(x − E[x]).
func (j *Joint) Head(sigma float64) (*nn.Dense, error) {
	s := mat.NewSymDense(j.n, append([]float64(nil), j.covariance...))
	noise := sigma*sigma + 1e-9*mat.Trace(s)/float64(j.n)
	for i := range j.n {
		s.SetSym(i, i, s.At(i, i)+noise)
	}
	var c mat.Cholesky
	if !c.Factorize(s) {
		return nil, errors.New("the covariance of the noisy values is singular")
	}
	var w mat.Dense // [n, width]
	if err := c.SolveTo(&w, mat.NewDense(j.width, j.n, j.cross).T()); err != nil {
		return nil, err
	}
	h := dense("head", j.n, j.width)
	for y := range j.width {
		bias := j.answer[y]
		for k := range j.n {
			h.Weight.Data[y*j.n+k] = float32(w.At(k, y))
			bias -= w.At(k, y) * j.mean[k]
		}
		h.Bias.Data[y] = float32(bias)
	}
	return h, nil
}

// Erased returns the layer of the directions in which features vary most, once those that tell the classes of attributes apart are
// taken out: no linear function of the features is then correlated with a class (Belrose et al., LEACE). all are the moments of the
// features by each attribute. Let LLᵀ be the covariance of the features, and U an
// orthonormal basis of the columns L⁻¹(m − μ), over the means m of the classes. What is left is x − LUUᵀL⁻¹(x − μ).
func Erased(all []*Moments, keep int) (*nn.Dense, error) {
	n, total := all[0].N, all[0].Covariance()
	variance := mat.Trace(total) / float64(n)
	rest := n
	for i := range n {
		total.SetSym(i, i, total.At(i, i)+1e-6*variance)
	}
	var c mat.Cholesky
	if !(variance > 0) || !c.Factorize(total) {
		return nil, errors.New("the features do not vary")
	}
	l := new(mat.TriDense)
	c.LTo(l)
	var columns []float64
	for _, m := range all {
		for y := range m.Classes {
			column := append([]float64(nil), m.Means[y*n:(y+1)*n]...)
			simd.Axpy(-1, m.Mean, column)
			columns = append(columns, column...)
		}
		rest -= m.Classes - 1
	}
	if keep > rest {
		return nil, fmt.Errorf("%d numbers are kept of %d features: without the directions of the attributes there are %d", keep, n, rest)
	}
	var white, left, out mat.Dense
	if err := white.Solve(l, mat.NewDense(len(columns)/n, n, columns).T()); err != nil {
		return nil, err
	}
	var svd mat.SVD
	if !svd.Factorize(&white, mat.SVDThin) {
		return nil, errors.New("the singular values of the classes' means did not converge")
	}
	svd.UTo(&left)
	u := left.Slice(0, n, 0, n-rest)
	out.Mul(u, u.T()) // L·UUᵀL⁻¹
	out.Mul(l, &out)
	var inverse mat.Dense
	if err := inverse.Inverse(l); err != nil {
		return nil, err
	}
	out.Mul(&out, &inverse)
	keeps := mat.NewDense(n, n, nil)
	for i := range n {
		keeps.Set(i, i, 1)
	}
	keeps.Sub(keeps, &out)
	var half, full mat.Dense
	half.Mul(keeps, total)
	full.Mul(&half, keeps.T())
	of := mat.NewSymDense(n, nil)
	for i := range n {
		for k := i; k < n; k++ {
			of.SetSym(i, k, (full.At(i, k)+full.At(k, i))/2)
		}
	}
	w, err := Principal(of, keep)
	if err != nil {
		return nil, err
	}
	var layer mat.Dense
	layer.Mul(mat.NewDense(keep, n, w), keeps)
	d := dense("release", n, keep)
	copy(d.Weight.Data, nn.Float32s(layer.RawMatrix().Data))
	center(d, all[0].Mean)
	return d, nil
}
