package eigen

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/math/simd"
)

// symmetricOf returns Q diag(values) Qᵀ for a random orthogonal Q, made of
// reflections.
func symmetricOf(r *rand.Rand, values []float64) []float64 {
	n := len(values)
	a := make([]float64, n*n)
	for i, v := range values {
		a[i*n+i] = v
	}
	for range 3 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		simd.Scale(math.Sqrt(2/simd.SumSquares(v)), v) // H = I − v vᵀ
		for range 2 {                                  // A ← A H, transposed: H A H
			for i := range n {
				row := rowOf(a, i, n)
				simd.Axpy(-simd.Dot(row, v), v, row)
			}
			for i := range n {
				for j := range i {
					a[i*n+j], a[j*n+i] = a[j*n+i], a[i*n+j]
				}
			}
		}
	}
	return a
}

// Spectra of every kind: spread, clustered, repeated, of low rank, graded, zero; and
// sizes around the panels and leaves. Eigenvalues are those of the QL iteration,
// vectors orthonormal and their residuals rounding.
func TestLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 1))
	kinds := map[string]func(i, n int) float64{
		"spread":    func(i, n int) float64 { return float64(i) },
		"random":    func(i, n int) float64 { return r.NormFloat64() },
		"clustered": func(i, n int) float64 { return float64(i%3) + 1e-15*float64(i) },
		"close":     func(i, n int) float64 { return 1 + 1e-9*float64(i) },
		"low rank":  func(i, n int) float64 { return max(0, float64(i-n+5)) },
		"graded":    func(i, n int) float64 { return math.Pow(10, -16*float64(i)/float64(n)) },
		"zero":      func(i, n int) float64 { return 0 },
		"identity":  func(i, n int) float64 { return 1 },
		"tiny":      func(i, n int) float64 { return 1e-12 * math.Pow(10, -8*float64(i)/float64(n)) },
		"huge":      func(i, n int) float64 { return 1e200 * r.NormFloat64() },
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		of := kinds[name]
		for _, n := range []int{1, 2, 3, 31, 33, 65, 150, 257} {
			values := make([]float64, n)
			for i := range values {
				values[i] = of(i, n)
			}
			a := symmetricOf(r, values)
			slices.Sort(values)
			slices.Reverse(values)
			got, x, ok := Large(context.Background(), slices.Clone(a), n, math.Inf(-1))
			if !ok || len(got) != n {
				t.Fatalf("%s, %d: %d values", name, n, len(got))
			}
			checkEigen(t, name, a, values, got, x)
		}
	}
}

func checkEigen(t *testing.T, name string, a, want, got, x []float64) {
	t.Helper()
	n := len(want)
	top := max(simd.MaxAbs(want), math.SmallestNonzeroFloat64)
	tol := (80 + float64(n)) * machineEps / 2
	for i, v := range got {
		if math.Abs(v-want[i]) > tol*top {
			t.Errorf("%s, %d: eigenvalue %d is %g, want %g", name, n, i, v, want[i])
			return
		}
	}
	ax, xx := make([]float64, n*n), make([]float64, n*n)
	simd.Gemm(false, false, n, n, n, 1, x, n, a, n, 0, ax, n)
	simd.Gemm(false, true, n, n, n, 1, x, n, x, n, 0, xx, n)
	for i, v := range got {
		simd.Axpy(-v, rowOf(x, i, n), rowOf(ax, i, n))
		xx[i*n+i]--
	}
	if r, o := simd.MaxAbs(ax)/top, simd.MaxAbs(xx); !(r <= tol && o <= tol) {
		t.Errorf("%s, %d: residual %g, orthogonal to %g", name, n, r, o)
	}
}

// Glued Wilkinson matrices have pairs of eigenvalues that agree to all digits.
func TestLargeWilkinson(t *testing.T) {
	const n = 21 * 12
	d, e := make([]float64, n), make([]float64, n-1)
	for i := range d {
		d[i] = math.Abs(float64(i%21 - 10))
		if i < n-1 {
			e[i] = 1
			if i%21 == 20 {
				e[i] = 1e-9
			}
		}
	}
	a := make([]float64, n*n)
	for i := range n {
		a[i*n+i] = d[i]
		if i < n-1 {
			a[i*n+i+1], a[(i+1)*n+i] = e[i], e[i]
		}
	}
	want, _, _ := Symmetric(slices.Clone(a), n, math.Inf(-1))
	got, x, ok := Large(context.Background(), slices.Clone(a), n, math.Inf(-1))
	if !ok {
		t.Fatal("not solved")
	}
	checkEigen(t, "Wilkinson", a, want, got, x)
}

func BenchmarkLarge(b *testing.B) {
	const n = 1548
	r := rand.New(rand.NewPCG(52, 1))
	j := make([]float64, n*3072)
	for i := range j {
		j[i] = r.NormFloat64()
	}
	gram := make([]float64, n*n)
	simd.Gemm(false, true, n, n, 3072, 1, j, 3072, j, 3072, 0, gram, n)
	for b.Loop() {
		if _, _, ok := Large(context.Background(), slices.Clone(gram), n, 0); !ok {
			b.Fatal("not solved")
		}
	}
}

// A floor above all eigenvalues leaves none, and no vectors, whatever the matrix and its size.
func TestNoEigenvalueIsKept(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 4))
	for _, n := range []int{0, 1, 2, 31, 32, 33, 65, 150} {
		for _, top := range []float64{0, 1e-12, 1} {
			values := make([]float64, n)
			for i := range values {
				values[i] = top * r.Float64()
			}
			a := symmetricOf(r, values)
			for _, floor := range []float64{2 * top, math.Inf(1)} {
				got, x, ok := Large(context.Background(), slices.Clone(a), n, floor)
				small, y, fine := Symmetric(slices.Clone(a), n, floor)
				if len(got)+len(x)+len(small)+len(y) > 0 && floor > 0 || !ok || !fine {
					t.Errorf("%d rows up to %g, floor %g: %d and %d values, %v and %v", n, top, floor, len(got), len(small), ok, fine)
				}
			}
		}
	}
}
