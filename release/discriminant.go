package release

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/simd"
	"tattle/nn"
)

// withinRidge is added to the within-class variances, as a share of their mean: it keeps
// features that vary with the class alone, or never, from getting unlimited weights.
const withinRidge = 1e-3

// Discriminant returns the map onto Fisher's linear discriminants: the keep directions in
// which the means of the classes of train lie farthest apart, measured in standard deviations
// within the classes. They are the generalised eigenvectors of the between-class and the
// within-class covariance of the features that front gives. Within the classes, the numbers
// have variance 1 each and no correlation. The way back is the linear regression of the
// features on them, so a head for the features fits behind it.
//
// The classes are 0 to classes−1, and every example is read once. It returns an error unless
// keep is from 1 to classes−1, every example has a label and every class an example.
func Discriminant(ctx context.Context, front nn.Model, classes, keep int, train nn.Source) (*Map, error) {
	_, n := front.Dims()
	if most := min(classes-1, n); keep < 1 || keep > most {
		return nil, fmt.Errorf("%d classes and %d features have at most %d discriminant directions: keep at most that many, not %d", classes, n, max(0, most), keep)
	}
	counts, means := make([]float64, classes), make([]float64, classes*n) // sums, first
	mean, total, err := featureCovariance(ctx, front, train, func(i int, features []float64) error {
		switch y := train.Label(i); {
		case y < 0:
			return errors.New("discriminant directions need the labels of the training data, and they have none")
		case y >= classes:
			return fmt.Errorf("a training example has label %d, but the model gives %d answers", y, classes)
		default:
			counts[y]++
			simd.Axpy(1, features, means[y*n:(y+1)*n])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for y, count := range counts {
		if count == 0 {
			return nil, fmt.Errorf("class %d has no training example, so its discriminant directions are unknown", y)
		}
		simd.Scale(1/count, means[y*n:(y+1)*n])
	}
	weight, err := discriminants(keep, n, counts, means, mean, total)
	if err != nil {
		return nil, err
	}
	m := &Map{In: n, Out: keep, Weight: weight, Mean: mean}
	return m, m.regress(total)
}

// discriminants returns the directions, [keep, n]. With the between-class covariance
// B = Σ p(m − μ)(m − μ)ᵀ over the classes' shares p and means m, and the within-class
// covariance A = total − B = LLᵀ, they are the rows of UᵀL⁻¹, U being the largest left
// singular vectors of the matrix of columns √p·L⁻¹(m − μ).
func discriminants(keep, n int, counts, means, mean, total []float64) ([]float64, error) {
	apart := mat.NewDense(len(counts), n, nil) // rows √p(m − μ)
	all := simd.Sum(counts)
	for y, count := range counts {
		row := apart.RawRowView(y)
		copy(row, means[y*n:(y+1)*n])
		simd.Axpy(-1, mean, row)
		simd.Scale(math.Sqrt(count/all), row)
	}
	within := append([]float64(nil), total...)
	rows := apart.RawMatrix().Data
	simd.Gemm(true, false, n, n, len(counts), -1, rows, n, rows, n, 1, within, n)
	var trace float64
	for i := range n {
		trace += within[i*n+i]
	}
	for i := range n {
		within[i*n+i] += withinRidge * trace / float64(n)
	}
	var factor mat.Cholesky
	if !(trace > 0) || !factor.Factorize(mat.NewSymDense(n, within)) {
		return nil, errors.New("the features do not vary within the classes, so there are no discriminant directions: choose the projection " + ProjectionPrincipal)
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	var white mat.Dense
	if err := white.Solve(&lower, apart.T()); err != nil && !isCondition(err) {
		return nil, err
	}
	var svd mat.SVD
	if !svd.Factorize(&white, mat.SVDThin) {
		return nil, errors.New("the singular vectors of the class means did not converge: choose the projection " + ProjectionPrincipal)
	}
	var u, w mat.Dense
	svd.UTo(&u)
	if err := w.Solve(lower.T(), u.Slice(0, n, 0, keep)); err != nil && !isCondition(err) {
		return nil, err
	}
	weight := make([]float64, keep*n)
	for i := range keep {
		mat.Col(weight[i*n:(i+1)*n], i, &w)
	}
	return weight, nil
}

// isCondition reports that a system was solved although its matrix is ill-conditioned.
func isCondition(err error) bool { return errors.As(err, new(mat.Condition)) }

// regress sets the way back to the regression of the features, of the given covariance, on
// the map's numbers: B = CWᵀ(WCWᵀ)⁻¹. Then WB is the identity.
func (m *Map) regress(covariance []float64) error {
	k, n := m.Out, m.In
	across, own := make([]float64, k*n), make([]float64, k*k) // WC and WCWᵀ
	simd.Gemm(false, false, k, n, n, 1, m.Weight, n, covariance, n, 0, across, n)
	simd.Gemm(false, true, k, k, n, 1, across, n, m.Weight, n, 0, own, k)
	var back mat.Dense
	if err := back.Solve(mat.NewDense(k, k, own), mat.NewDense(k, n, across)); err != nil && !isCondition(err) {
		return fmt.Errorf("the features cannot be regressed on their discriminant directions: %w", err)
	}
	m.Back = make([]float64, n*k)
	for i := range k {
		for j := range n {
			m.Back[j*k+i] = back.At(i, j)
		}
	}
	return nil
}
