package bayes

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
)

// ErrNotGaussian is the error of BitsAbove for other noise.
var ErrNotGaussian = errors.New("the bound on bits is for Gaussian noise, and for lattice noise of sigma at least twice delta")

// BitsAbove returns an upper bound on the information, in bits, about the index of the true
// input in k releases of its features with Gaussian noise:
//
//	I ≤ ½ log₂ det(1 + k·C/σ²),
//
// where C is the covariance of the features over the list. The right side is the mean over the
// list of the Kullback-Leibler divergence from N(a_j, σ²/k) to N(μ, C + σ²/k). That mean bounds
// the information for any μ and C, and is smallest for the mean and covariance of the list. It
// is also the capacity bound of a Gaussian channel. It is computed over the whole list, without
// sampling. Memory grows with the square of the number of features.
//
// Lattice noise on integers is, up to factors 1 ± t of its probabilities D, Gaussian noise of a
// smaller σ that is rounded at random (Lattice.Rounded), P. Rounding N(μ, C + σ²/k) in the same
// way gives a Q with KL(P‖Q) no larger than before, and KL(D‖Q) ≤ ln(1+t) + KL(P‖Q) + t·Σ P|ln(P/Q)|, where
// the last sum is at most KL(P‖Q) + 2/e.
//
// The error is ErrNotGaussian for other noise; other errors are those of ctx and of reading the
// features.
func BitsAbove(ctx context.Context, list Candidates, density Density, queries int) (float64, error) {
	g, t, ok := release.RoundedOf(density, queries)
	if !ok {
		return 0, ErrNotGaussian
	}
	count, dim := list.Len(), list.Dim()
	scale := float64(max(queries, 1)) / g.Sigma / g.Sigma
	mean, gram := make([]float64, dim), make([]float64, dim*dim)
	centre := make([]float64, dim) // of the first block, so that less cancels
	err := eachBlock(ctx, list, blockOf(dim), func(indices []int, block []float64) error {
		n := len(indices)
		for j := range n {
			if indices[0] == 0 {
				simd.Axpy(1/float64(n), block[j*dim:(j+1)*dim], centre)
			}
		}
		for j := range n {
			row := block[j*dim : (j+1)*dim]
			simd.Axpy(-1, centre, row)
			simd.Axpy(1/float64(count), row, mean)
		}
		simd.Gram(true, dim, n, scale/float64(count), block, dim, 1, gram, dim)
		return nil
	})
	if err != nil {
		return 0, err
	}
	simd.Mirror(dim, gram, dim)
	for i := range dim {
		simd.Axpy(-scale*mean[i], mean, gram[i*dim:(i+1)*dim])
		gram[i*dim+i]++
	}
	var c mat.Cholesky
	if !c.Factorize(mat.NewSymDense(dim, gram)) {
		return 0, errors.New("the covariance of the features is not positive: are they finite, and not far larger than the noise?")
	}
	bits := c.LogDet() / 2 / math.Ln2
	if math.IsNaN(bits) || math.IsInf(bits, 0) {
		return 0, fmt.Errorf("the covariance of %d features has no finite determinant", dim)
	}
	return min(bits*(1+1e-9)*(1+t)+3*t, math.Log2(float64(count))), nil
}

// Fano returns a lower bound on the probability that an adversary who receives this many bits
// picks the wrong one of m equally likely inputs: 1 − (bits + 1)/log₂m, or 0 if that is negative.
func Fano(bits float64, m int) float64 {
	return max(0, 1-(bits+1)/math.Log2(float64(m)))
}
