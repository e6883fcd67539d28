package shape

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// Moments are the first and second moments of features in classes.
type Moments struct {
	N       int       // features
	Classes int       // of the label
	Share   []float64 // of the examples in each class
	Means   []float64 // of each class, [Classes, N]
	Mean    []float64 // of all, [N]
	Within  []float64 // covariance within the classes, [N, N]
}

// MostFeatures is the largest number of features for Moments: their covariance takes
// 0.5 GB.
const MostFeatures = 8192

// NewMoments computes the moments of labelled features. Each example of data is one row of
// features. It returns an error for too many features, for a class without examples, for
// features that are not finite, and if ctx ends.
func NewMoments(ctx context.Context, data nn.Source, n, classes int) (*Moments, error) {
	if n > MostFeatures {
		return nil, fmt.Errorf("%d features are too many for their covariance: at most %d", n, MostFeatures)
	}
	m := &Moments{N: n, Classes: classes, Share: make([]float64, classes), Means: make([]float64, classes*n), Mean: make([]float64, n), Within: make([]float64, n*n)}
	err := forEachBlock(ctx, data, n, func(first int, x []float64) error {
		for i := range len(x) / n {
			y := data.Label(first + i)
			if y < 0 {
				return fmt.Errorf("example %d has no label", first+i)
			}
			if y >= classes {
				return fmt.Errorf("example %d has label %d of %d classes", first+i, y, classes)
			}
			m.Share[y]++
			simd.Axpy(1, x[i*n:(i+1)*n], m.Means[y*n:(y+1)*n])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	count := float64(data.Len())
	for y, k := range m.Share {
		if k == 0 {
			return nil, fmt.Errorf("class %d has no examples", y)
		}
		mean := m.Means[y*n : (y+1)*n]
		simd.Axpy(1/count, mean, m.Mean)
		simd.Scale(1/k, mean)
		m.Share[y] = k / count
	}
	err = forEachBlock(ctx, data, n, func(first int, x []float64) error {
		for i := range len(x) / n {
			y := data.Label(first + i)
			simd.Axpy(-1, m.Means[y*n:(y+1)*n], x[i*n:(i+1)*n])
		}
		simd.Gram(true, n, len(x)/n, 1/count, x, n, 1, m.Within, n)
		return nil
	})
	simd.Mirror(n, m.Within, n)
	return m, err
}

// Covariance returns the covariance of all features: that within the classes, and
// Σ share·(m − μ)(m − μ)ᵀ over the means m of the classes.
func (m *Moments) Covariance() *mat.SymDense {
	total := mat.NewSymDense(m.N, slices.Clone(m.Within))
	between := m.between()
	for y, share := range m.Share {
		total.SymRankOne(total, share, mat.NewVecDense(m.N, between[y*m.N:(y+1)*m.N]))
	}
	return total
}

// forEachBlock calls f with consecutive features in float64, [examples, n].
func forEachBlock(ctx context.Context, data nn.Source, n int, f func(first int, x []float64) error) error {
	if data.Len() == 0 {
		return errors.New("no examples")
	}
	const block = 500
	wide := make([]float64, block*n)
	return nn.EachBatch(ctx, data, n, nn.Indices(data.Len()), block, func(indices []int, x []float32) error {
		for i, v := range x {
			if v-v != 0 {
				return fmt.Errorf("example %d: feature %d is %v", indices[i/n], i%n, v)
			}
			wide[i] = float64(v)
		}
		return f(indices[0], wide[:len(x)])
	})
}

// center sets the bias of d so that it maps mean to zero.
func center(d *nn.Dense, mean []float64) {
	for i := range d.Out {
		var sum float64
		for j, v := range mean {
			sum += float64(d.Weight.Data[i*d.In+j]) * v
		}
		d.Bias.Data[i] = float32(-sum)
	}
}

// Head returns the linear head that answers best from these numbers plus noise of standard
// deviation sigma, if the classes are Gaussian of equal covariance S: logits
// μ_yᵀ(S + σ²)⁻¹x − ½μ_yᵀ(S + σ²)⁻¹μ_y + ln share_y.
func (m *Moments) Head(sigma float64) (*nn.Dense, error) {
	f, err := factorOf(m.Within, m.N, sigma*sigma)
	if err != nil {
		return nil, errors.New("the covariance of the noisy values is singular")
	}
	w, h := slices.Clone(m.Means), nn.NewDense("head", m.N, m.Classes)
	_ = f.Solve(context.Background(), w) // the only error is that of a context that ends
	copy(h.Weight.Data, nn.Float32s(w))
	for y, share := range m.Share {
		h.Bias.Data[y] = float32(math.Log(share) - simd.Dot(m.Means[y*m.N:(y+1)*m.N], w[y*m.N:(y+1)*m.N])/2)
	}
	return h, nil
}
