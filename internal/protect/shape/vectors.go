package shape

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/math/gram"
	"tattle/internal/math/simd"
)

// Joint are the second moments of values and of what is to be computed from them.
type Joint struct{ *gram.Moments }

// NewJoint computes the moments of values [examples, n] and answers [examples, width] of some examples.
func NewJoint(values, answers []float32, n, width int, indices []int) *Joint {
	s := gram.NewSums(n, width)
	for some := range slices.Chunk(indices, 500) {
		x, y := make([]float32, 0, len(some)*n), make([]float32, 0, len(some)*width)
		for _, i := range some {
			x, y = append(x, values[i*n:(i+1)*n]...), append(y, answers[i*width:(i+1)*width]...)
		}
		s.Add(x, y)
	}
	return &Joint{s.Central()}
}

// Head returns the affine map that errs least in squares, if noise of standard deviation sigma is added to the values:
// y = E[y] + Cov(y, x)(Cov(x) + σ²)⁻¹(x − E[x]).
func (j *Joint) Head(sigma float64) (*nn.Dense, error) {
	w, b, err := j.Regress(context.Background(), sigma*sigma+1e-9*j.Scale())
	if err != nil {
		return nil, errors.New("the covariance of the noisy values is singular")
	}
	h := nn.NewDense("head", j.N, j.P)
	copy(h.Weight.Data, nn.Float32s(w))
	copy(h.Bias.Data, nn.Float32s(b))
	return h, nil
}

// Erased returns the layer of the directions in which features vary most, once those that tell the classes of attributes apart are
// taken out: no linear function of the features is then correlated with a class (Belrose et al., LEACE). all are the moments of the
// features by each attribute. Let Σ = LLᵀ be the covariance of the features, and U an orthonormal basis of the columns L⁻¹(m − μ),
// over the means m of the classes. What is left is x − LUUᵀL⁻¹(x − μ), and its covariance Σ − LU(LU)ᵀ.
func Erased(all []*Moments, keep int) (*nn.Dense, error) {
	n, total := all[0].N, all[0].Covariance()
	variance, rest := mat.Trace(total)/float64(n), n
	for i := range n {
		total.SetSym(i, i, total.At(i, i)+1e-6*variance)
	}
	covariance := mat.DenseCopyOf(total).RawMatrix().Data
	f, err := factorOf(covariance, n, 0)
	if err != nil || !(variance > 0) {
		return nil, errors.New("the features do not vary")
	}
	var between []float64
	for _, m := range all {
		between = append(between, m.between()...)
		rest -= m.Classes - 1
	}
	if keep > rest {
		return nil, fmt.Errorf("%d numbers are kept of %d features: without the directions of the attributes there are %d", keep, n, rest)
	}
	taken := n - rest
	u, err := basis(f, between, taken) // Uᵀ
	if err != nil {
		return nil, err
	}
	lu := make([]float64, len(u)) // (LU)ᵀ
	simd.Gemm(false, true, taken, n, n, 1, u, n, f.Lower(), n, 0, lu, n)
	simd.Gemm(true, false, n, n, taken, -1, lu, n, lu, n, 1, covariance, n)
	w, err := Principal(mat.NewSymDense(n, covariance), keep)
	if err != nil {
		return nil, err
	}
	across := make([]float64, keep*taken) // of w(x − LUUᵀL⁻¹x)
	simd.Gemm(false, true, keep, taken, n, 1, w, n, lu, n, 0, across, taken)
	_ = f.Backward(context.Background(), u) // does not end
	simd.Gemm(false, false, keep, n, taken, -1, across, taken, u, n, 1, w, n)
	d := nn.NewDense("release", n, keep)
	copy(d.Weight.Data, nn.Float32s(w))
	center(d, all[0].Mean)
	return d, nil
}
