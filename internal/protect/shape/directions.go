package shape

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/math/gram"
	"tattle/internal/math/simd"
)

// ridge is added to the variances within classes, as a part of their mean: features that do
// not vary, such as those of units that are never active, would make the covariance singular.
const ridge = 1e-2

// Discriminant returns the layer y = W(a − μ) of Fisher's linear discriminant: the keep
// directions in which the means of the classes differ most, measured by the covariance within
// the classes, which is whitened. μ is the mean of all features. Among linear maps to so few
// numbers it keeps the classes apart best when noise is added, if the classes are Gaussian of
// equal covariance.
//
// With the covariance within the classes LLᵀ and the shares p and means m of the classes, the
// rows of W are those of UᵀL⁻¹, U being the right singular vectors of the largest singular
// values of the matrix of rows √p·(m − μ)ᵀL⁻ᵀ.
//
// keep is at most Classes − 1. It returns an error if the features do not vary within the
// classes.
func (m *Moments) Discriminant(keep int) (*nn.Dense, error) {
	if keep < 1 || keep > m.Classes-1 || keep > m.N {
		return nil, fmt.Errorf("%d discriminant directions of %d features for %d classes: give a number from 1 to %d", keep, m.N, m.Classes, min(m.Classes-1, m.N))
	}
	f, err := m.factor()
	if err != nil {
		return nil, err
	}
	between := m.between()
	for y, share := range m.Share {
		simd.Scale(math.Sqrt(share), between[y*m.N:(y+1)*m.N])
	}
	w, err := basis(f, between, keep)
	if err != nil {
		return nil, fmt.Errorf("discriminant: %w", err)
	}
	d := nn.NewDense("release", m.N, keep)
	_ = f.Backward(context.Background(), w) // the only error is that of a context that ends
	copy(d.Weight.Data, nn.Float32s(w))
	center(d, m.Mean)
	return d, nil
}

// between returns the means of the classes less that of all, [Classes, N].
func (m *Moments) between() []float64 {
	rows := slices.Clone(m.Means)
	for y := range m.Classes {
		simd.Axpy(-1, m.Mean, rows[y*m.N:(y+1)*m.N])
	}
	return rows
}

// factor returns the Cholesky factor of the covariance within classes, with the ridge.
func (m *Moments) factor() (*gram.Factor, error) {
	variance := 0.
	for i := range m.N {
		variance += m.Within[i*m.N+i] / float64(m.N)
	}
	f, err := factorOf(m.Within, m.N, ridge*variance)
	if err != nil || !(variance > 0) {
		return nil, errors.New("the features do not vary within the classes, so there are no discriminant directions")
	}
	return f, nil
}

// factorOf returns the Cholesky factor of a covariance, [n, n], with something added to the variances.
func factorOf(covariance []float64, n int, added float64) (*gram.Factor, error) {
	a := slices.Clone(covariance)
	for i := range n {
		a[i*n+i] += added
	}
	return gram.Factorize(context.Background(), a, n)
}

// basis overwrites the rows of x with those of x L⁻ᵀ, and returns an orthonormal basis, [count, n],
// of the directions in which these are largest.
func basis(f *gram.Factor, x []float64, count int) ([]float64, error) {
	_ = f.Forward(context.Background(), x) // the only error is that of a context that ends
	var svd mat.SVD
	var right mat.Dense
	n := f.Len()
	if !svd.Factorize(mat.NewDense(len(x)/n, n, x), mat.SVDThin) {
		return nil, errors.New("the singular values of the classes' means did not converge")
	}
	svd.VTo(&right)
	return mat.DenseCopyOf(right.Slice(0, n, 0, count).T()).RawMatrix().Data, nil
}

// Principal returns the directions, [keep, n], in which n numbers of the covariance vary most:
// its eigenvectors of the largest eigenvalues, orthonormal.
func Principal(covariance *mat.SymDense, keep int) ([]float64, error) {
	var e mat.EigenSym
	if !e.Factorize(covariance, true) {
		return nil, errors.New("the eigenvectors of the features' covariance did not converge")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	n := covariance.SymmetricDim()
	w := make([]float64, keep*n)
	for i := range keep {
		mat.Col(w[i*n:(i+1)*n], n-1-i, &v)
	}
	return w, nil
}

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
	h.Weight.Data, h.Bias.Data = w, b
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
	_ = f.Backward(context.Background(), u) // the only error is that of a context that ends
	simd.Gemm(false, false, keep, n, taken, -1, across, taken, u, n, 1, w, n)
	d := nn.NewDense("release", n, keep)
	copy(d.Weight.Data, nn.Float32s(w))
	center(d, all[0].Mean)
	return d, nil
}
