package shape

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
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
// rows of W are those of UᵀL⁻¹, U being the left singular vectors of the largest singular
// values of the matrix of columns √p·L⁻¹(m − μ).
//
// keep is at most Classes − 1. It returns an error if the features do not vary within the
// classes.
func (m *Moments) Discriminant(keep int) (*nn.Dense, error) {
	if keep < 1 || keep > m.Classes-1 || keep > m.N {
		return nil, fmt.Errorf("%d discriminant directions of %d features for %d classes: give a number from 1 to %d", keep, m.N, m.Classes, min(m.Classes-1, m.N))
	}
	l, err := m.factor()
	if err != nil {
		return nil, err
	}
	between := mat.NewDense(m.N, m.Classes, nil) // columns √share·(mean of the class − mean)
	for y := range m.Classes {
		for j := range m.N {
			between.Set(j, y, (m.Means[y*m.N+j]-m.Mean[j])*math.Sqrt(m.Share[y]))
		}
	}
	var white, left mat.Dense
	if err := white.Solve(l, between); err != nil {
		return nil, fmt.Errorf("discriminant: %w", err)
	}
	var svd mat.SVD
	if !svd.Factorize(&white, mat.SVDThin) {
		return nil, errors.New("discriminant: the singular values of the classes' means did not converge")
	}
	svd.UTo(&left)
	var w mat.Dense // [N, keep]: L⁻ᵀU
	if err := w.Solve(l.T(), left.Slice(0, m.N, 0, keep)); err != nil {
		return nil, fmt.Errorf("discriminant: %w", err)
	}
	d := dense("release", m.N, keep)
	for i := range keep {
		for j := range m.N {
			d.Weight.Data[i*m.N+j] = float32(w.At(j, i))
		}
	}
	center(d, m.Mean)
	return d, nil
}

// factor returns the Cholesky factor of the covariance within classes, with the ridge.
func (m *Moments) factor() (*mat.TriDense, error) {
	s := mat.NewSymDense(m.N, append([]float64(nil), m.Within...))
	variance := mat.Trace(s) / float64(m.N)
	for i := range m.N {
		s.SetSym(i, i, s.At(i, i)+ridge*variance)
	}
	var c mat.Cholesky
	if !(variance > 0) || !c.Factorize(s) {
		return nil, errors.New("the features do not vary within the classes, so there are no discriminant directions")
	}
	l := new(mat.TriDense)
	c.LTo(l)
	return l, nil
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
