package classify

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The components of rows are uncorrelated and of variance 1, and as many as the rows have independent columns.
func TestWhitening(t *testing.T) {
	const n, rank = 400, 20
	for _, d := range []int{40, 130} {
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
		w := newWhitened(NewTable(x, d))
		if w.r != rank {
			t.Errorf("%d columns of rank %d: %d components", d, rank, w.r)
			continue
		}
		for a := range rank {
			for b := range rank {
				sum, want := 0., 0.
				for i := range n {
					sum += float64(w.z[i*(rank+1)+a]) * float64(w.z[i*(rank+1)+b]) / n
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
