package shape

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
)

// bitsOf is the information limit by its definition, from the covariance of the values.
func bitsOf(values []float64, n int, sigma float64) float64 {
	b := len(values) / n
	c := mat.NewSymDense(n, nil)
	for j := range n {
		for k := range j + 1 {
			var sj, sk, sjk float64
			for i := range b {
				sj, sk, sjk = sj+values[i*n+j], sk+values[i*n+k], sjk+values[i*n+j]*values[i*n+k]
			}
			v := (sjk/float64(b) - sj/float64(b)*sk/float64(b)) / (sigma * sigma)
			if j == k {
				v++
			}
			c.SetSym(j, k, v)
		}
	}
	var chol mat.Cholesky
	chol.Factorize(c)
	return chol.LogDet() / 2 / math.Ln2
}

// TestBits compares the penalty with its definition, and its gradient with finite differences,
// for batches that are larger and smaller than a release, with a fixed sigma and one that
// follows the values.
func TestBits(t *testing.T) {
	for _, size := range [][2]int{{12, 4}, {5, 9}, {2, 3}, {7, 7}} {
		for _, scaled := range []bool{false, true} {
			b, n := size[0], size[1]
			values, _, indices := batchOf(b, n, 1)
			for i := range values {
				values[i] = float64(float32(values[i] + 3)) // far from centered
			}
			sigma := func(v []float64) float64 {
				if !scaled {
					return .7
				}
				var squares float64
				for _, x := range v {
					squares += x * x
				}
				return .4 * math.Sqrt(squares/float64(len(v)))
			}
			f := func(v []float64) float64 { return 2.5 * bitsOf(v, n, sigma(v)) }
			p := &Bits{Weight: 2.5, Scaled: scaled}
			grad := make([]float32, b*n)
			got := p.Penalty(grad, train.Released{Values: nn.Float32s(values), Sigma: sigma(values), Indices: indices})
			near(t, "penalty", []float64{got}, []float64{f(values)}, 1e-9)
			const h = 1e-5
			for i := range values {
				up, down := append([]float64(nil), values...), append([]float64(nil), values...)
				up[i] += h
				down[i] -= h
				near(t, "gradient", []float64{float64(grad[i])}, []float64{(f(up) - f(down)) / (2 * h)}, 2e-6)
			}
		}
	}
}

// TestBitsOfEqualValues holds that values that do not vary carry nothing, and that values without
// noise carry any number of bits.
func TestBitsOfEqualValues(t *testing.T) {
	p, grad := &Bits{Weight: 1}, make([]float32, 6)
	same := train.Released{Values: []float32{1, 2, 1, 2, 1, 2}, Sigma: 1, Indices: []int{0, 1, 2}}
	if v := p.Penalty(grad, same); math.Abs(v)+math.Abs(float64(grad[0])) > 1e-12 {
		t.Errorf("penalty %v, gradient %v", v, grad)
	}
	same.Sigma, same.Values = 0, make([]float32, 6)
	if v := p.Penalty(grad, same); v != 0 {
		t.Errorf("penalty %v of zeros without noise", v)
	}
	same.Values = []float32{1, 2, 3, 4, 5, 7}
	if v := p.Penalty(grad, same); v-v == 0 {
		t.Errorf("penalty %v without noise", v)
	}
}
