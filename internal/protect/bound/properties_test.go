package bound

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// proven is what witnesses of θ = 0 prove of every input, combined where the noise
// allows it.
func proven(t testing.TB, c *Certifier, eps []float32, w Coordinates) *Bounds {
	t.Helper()
	p := w.Inputs()
	s := &Bounds{Witnesses: len(eps) / p}
	if combines(c.Noise) {
		s.kind = BarankinOptions{}
	}
	s.columns(p, w.Len()).grow(1)
	copy(s.eps, eps)
	must.Do(t, s.certify(t.Context(), c, w, make([]float32, p)))
	return s
}

// k releases of one input say what one release of every feature k times over does.
func TestQueriesAreCopies(t *testing.T) {
	const p, n = 4, 6
	r := rand.New(rand.NewPCG(32, 32))
	m := tall(r, n, p)
	var eps []float32
	for i := range 6 * p { // near ones and far ones
		eps = append(eps, float32(r.NormFloat64()*math.Pow(10, float64(-(i/p)/2))))
	}
	for _, noise := range families(t, 1.7) {
		for _, k := range []int{2, 3, 10} {
			copies := affine{slices.Repeat(m.a, k), p, k * n}
			several := proven(t, &Certifier{Net: m, Noise: noise, Queries: k}, eps, Pixels(p))
			one := proven(t, &Certifier{Net: copies, Noise: noise}, eps, Pixels(p))
			less := proven(t, &Certifier{Net: m, Noise: noise, Queries: k - 1}, eps, Pixels(p))
			for i, v := range several.Std {
				if math.Abs(v/one.Std[i]-1) > 1e-6 || v >= less.Std[i] {
					t.Errorf("%s, %d queries: %.9g, copies of features give %.9g, one query fewer %.9g", noise, k, v, one.Std[i], less.Std[i])
				}
			}
			if math.Abs(several.MeanSquare[0]/one.MeanSquare[0]-1) > 1e-6 {
				t.Errorf("%s, %d queries: mean square %g, copies of features give %g", noise, k, several.MeanSquare[0], one.MeanSquare[0])
			}
		}
	}
}

// Gaussian noise is the same in every direction: turning the features changes
// nothing, nor does turning the inputs change the mean square.
func TestTurningChangesNothing(t *testing.T) {
	const p, n = 5, 8
	r := rand.New(rand.NewPCG(33, 33))
	m := tall(r, n, p)
	q, u := tall(r, n, n).factors(t).V, tall(r, p, p).factors(t).V // orthonormal rows
	turned, inside := affine{make([]float64, n*p), p, n}, affine{make([]float64, n*p), p, n}
	simd.Gemm(false, false, n, p, n, 1, q, n, m.a, p, 0, turned.a, p) // Q A
	simd.Gemm(false, true, n, p, p, 1, m.a, p, u, p, 0, inside.a, p)  // A Uᵀ
	eps, other := normals(r, 7*p, .3), make([]float64, 7*p)
	simd.Gemm(false, true, 7, p, p, 1, nn.Float64s(eps), p, u, p, 0, other, p)
	there := nn.Float32s(other)
	noise := release.Gaussian{Sigma: .9}
	a, b := proven(t, &Certifier{Net: m, Noise: noise}, eps, Pixels(p)), proven(t, &Certifier{Net: turned, Noise: noise}, eps, Pixels(p))
	for k, v := range a.Std {
		if math.Abs(v/b.Std[k]-1) > 1e-9 {
			t.Errorf("coordinate %d: %.12g, of turned features %.12g", k, v, b.Std[k])
		}
	}
	if c := proven(t, &Certifier{Net: inside, Noise: noise}, there, Pixels(p)); math.Abs(a.MeanSquare[0]/c.MeanSquare[0]-1) > 1e-5 {
		t.Errorf("mean square %g, of turned inputs %g", a.MeanSquare[0], c.MeanSquare[0])
	}
}

// A mean square hangs on rounding as far as the coordinates do that make it up, and
// overflows to no more than it is.
func TestMeanSquareOfExtremes(t *testing.T) {
	if got := squareSlackOf([]float64{1e200, 1, 0}, []float64{.25, math.Inf(1), math.Inf(1)}); math.Abs(got-.5) > 1e-9 {
		t.Errorf("the largest hangs by a quarter, the whole by %g", got)
	}
	if got := squareSlackOf([]float64{0, 0}, []float64{1, 1}); got != 0 {
		t.Errorf("nothing hangs by %g", got)
	}
	std := slices.Repeat([]float64{.9 * math.Sqrt(math.MaxFloat64)}, 100)
	if got := meanSquareOf(std); got > .82*math.MaxFloat64 || got == 0 {
		t.Errorf("a sum of squares that overflows has mean %g", got)
	}
}
