package gram

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/must"
)

// definite draws a symmetric positive definite matrix.
func definite(r *rand.Rand, n int) *mat.Dense {
	root := mat.NewDense(n, n+5, nil)
	for i := range n {
		for j := range n + 5 {
			root.Set(i, j, r.NormFloat64())
		}
	}
	var a mat.Dense
	a.Mul(root, root.T())
	return &a
}

// Sizes on both sides of blocks, against gonum. The upper triangle is not read.
func TestFactor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 5, panel + 1, denseBlock, 2*denseBlock + panel + 7} {
		a, rows := definite(r, n), 3+denseRows
		var want, of mat.Dense
		y := make([]float64, rows*n)
		for i := range y {
			y[i] = r.NormFloat64()
		}
		must.Do(t, want.Solve(a, mat.NewDense(rows, n, y).T()))
		lower := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				lower[i*n+j] = a.At(i, j)
			}
		}
		f := must.Get(Factorize(t.Context(), lower, n))(t)
		l := mat.NewDense(n, n, f.Lower())
		of.Mul(l, l.T())
		if of.Sub(&of, a); mat.Norm(&of, 2) > 1e-13*mat.Norm(a, 2) {
			t.Errorf("%d rows: LLᵀ is off by %v", n, mat.Norm(&of, 2))
		}
		must.Do(t, f.Solve(t.Context(), y))
		scale, limit := mat.Norm(&want, math.Inf(1)), 1e-13*mat.Cond(a, 2)
		for i, v := range y {
			if math.Abs(v-want.At(i%n, i/n)) > limit*scale {
				t.Fatalf("%d rows: entry %d is %v, want %v", n, i, v, want.At(i%n, i/n))
			}
		}
	}
	if _, err := Factorize(t.Context(), []float64{1, 0, 2, 1}, 2); err != ErrIndefinite {
		t.Errorf("eigenvalues 3 and −1: error %v", err)
	}
}

// The filter is C(C+λ)⁻¹, so that filter·(C+λ) = C, and regression with noise is that of the filtered values.
func TestMoments(t *testing.T) {
	const n, p, added = 7, 3, .3
	r, s := rand.New(rand.NewPCG(3, 4)), NewSums(n, p)
	for range 3 {
		x, y := make([]float32, 40*n), make([]float32, 40*p)
		for i := range x {
			x[i] = float32(1e3 + r.NormFloat64())
		}
		for i := range y {
			y[i] = x[i/p*n] - 2*x[i/p*n+i%p+1] + float32(i%p)
		}
		s.Add(x, y)
	}
	m := s.Central()
	f, c := must.Get(m.Filter(t.Context(), added))(t), func(i, j int) float64 { return m.XX[max(i, j)*n+min(i, j)] }
	w, b := must.Get2(m.Regress(t.Context(), added))(t)
	variance := 0.
	for i := range n {
		variance += c(i, i) / n
		for j := range n {
			sum := added * f[i*n+j]
			for k := range n {
				sum += f[i*n+k] * c(k, j)
			}
			if math.Abs(sum-c(i, j)) > 1e-10*m.Scale() {
				t.Errorf("entry %d, %d: %v, want %v", i, j, sum, c(i, j))
			}
		}
	}
	if math.Abs(m.Scale()-variance) > 1e-12 || NewSums(2, 1).sums.Scale() != 1 {
		t.Errorf("the mean variance is %v, want %v, and 1 of constants", m.Scale(), variance)
	}
	for k := range p {
		at, rounded := float64(b[k]), math.Abs(float64(b[k])) // the map gives the mean of the answers at that of the values
		for j := range n {
			term := float64(w[k*n+j]) * m.MeanX[j]
			at, rounded = at+term, rounded+math.Abs(term)
			if want := f[j*n] - 2*f[j*n+k+1]; math.Abs(float64(w[k*n+j])-want) > 1e-4 {
				t.Errorf("weight %d, %d: %v, want %v", k, j, w[k*n+j], want)
			}
		}
		if math.Abs(at-m.MeanY[k]) > 1e-9+rounded/(1<<24) || math.Abs(m.MeanY[k]-m.MeanX[0]+2*m.MeanX[k+1]-float64(k)) > 1e-3 {
			t.Errorf("answer %d: %v at the mean, want %v", k, at, m.MeanY[k])
		}
	}
}
