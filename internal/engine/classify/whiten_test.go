package classify

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

// The components of rows are uncorrelated and of variance 1, by either way to decompose the
// covariance, and as many as the rows have independent columns.
func TestWhitening(t *testing.T) {
	const n, rank = 400, 20
	for _, d := range []int{manyColumns - 1, manyColumns} {
		r := rand.New(rand.NewPCG(uint64(d), 1))
		mix, x := make([]float64, rank*d), make([]float32, n*d)
		for i := range mix {
			mix[i] = r.NormFloat64()
		}
		for i := range n {
			for k := range rank {
				v := r.NormFloat64()
				for j := range d {
					x[i*d+j] += float32(v * mix[k*d+j])
				}
			}
		}
		w := must.Get(newWhitening(t.Context(), x, d))(t)
		if w.r != rank {
			t.Errorf("%d columns of rank %d: %d components", d, rank, w.r)
			continue
		}
		y := make([]float32, n*rank)
		w.rows(y, rank, x)
		for a := range rank {
			for b := range rank {
				sum, want := 0., 0.
				for i := range n {
					sum += float64(y[i*rank+a]) * float64(y[i*rank+b]) / n
				}
				if a == b {
					want = 1
				}
				if math.Abs(sum-want) > 1e-4 {
					t.Errorf("%d columns: the covariance of components %d and %d is %g", d, a, b, sum)
				}
			}
		}
	}
}

// Fitting ends with the context while a wide covariance is decomposed.
func TestWhiteningStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := make([]float32, 2*manyColumns*manyColumns)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	if _, err := newWhitening(ctx, x, manyColumns); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
