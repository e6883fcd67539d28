package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/simd"
	"tattle/release"
)

// families is noise of every family in closed form, of that strength.
func families(t testing.TB, sigma float64) []release.Noise {
	t.Helper()
	laplace, err := release.NewLaplace(sigma)
	if err != nil {
		t.Fatal(err)
	}
	logistic, err := release.NewLogistic(sigma)
	if err != nil {
		t.Fatal(err)
	}
	return []release.Noise{release.Gaussian{Sigma: sigma}, laplace, logistic}
}

// proven is what witnesses of θ = 0 prove of every input, combined where the noise
// allows it.
func proven(t testing.TB, c *Certifier, eps []float32, w Coordinates) *certified {
	t.Helper()
	p := w.Inputs()
	s := &certified{each: len(eps) / p, joint: combines(c.Noise)}
	s.grow(1, p, w.Len())
	copy(s.eps, eps)
	if err := s.certify(t.Context(), c, w, make([]float32, p), 0, 1); err != nil {
		t.Fatal(err)
	}
	return s
}

// The known answer on every rung of a run: of k releases X = Aθ + Z with A of full
// rank the estimator A⁺X̄ is unbiased everywhere, with variance
// σ²wᵀ(AᵀA)⁻¹w/k. No rung proves more, and the combination proves that.
func TestRungsOfLinearModel(t *testing.T) {
	const p, n = 6, 12
	m, data := linearNet(t, rand.New(rand.NewPCG(31, 31)), p, n), noise(p, 20)
	box := Domain{slices.Repeat([]float64{-5}, p), slices.Repeat([]float64{5}, p)}
	for _, queries := range []int{1, 4} {
		e := Experiment{Noise: release.Gaussian{Sigma: .8}, Queries: queries, Coordinates: DCT([]int{2, 3}), Search: SearchOptions{Restarts: 5, Repeats: 3},
			Far: FarOptions{Starts: 4, Domain: box}, Barankin: BarankinOptions{Witnesses: 12}, Twins: TwinOptions{Examples: 2, Domain: box}}
		r := mustRun(t, m, data, upTo(20), e)
		full := r.CramerRao.Full
		rungs := map[string][]float64{"search": r.Sizes[0].Std, "far": r.Far.Std, "combined": r.Barankin.Std}
		if r.Twins != nil {
			rungs["twins"] = r.Twins.Std
		}
		for name, std := range rungs {
			for k, v := range std {
				if v > full[k]*(1+1e-9) || name == "combined" && v < full[k]*(1-1e-6) {
					t.Errorf("%d queries, %s: %.9g of coordinate %d, which an estimator knows to %.9g", queries, name, v, k, full[k])
				}
			}
		}
		var want float64
		for _, v := range full[:p] {
			want += v * v / p
		}
		for i, v := range r.Barankin.MeanSquare {
			if v > want*(1+1e-9) || v < want*(1-1e-6) || max(r.Far.MeanSquare[i], r.Sizes[0].MeanSquare[i]) > want {
				t.Errorf("example %d: mean square %.9g, want %.9g", i, v, want)
			}
		}
	}
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
			for i, v := range several.std {
				if math.Abs(v/one.std[i]-1) > 1e-6 || v >= less.std[i] {
					t.Errorf("%s, %d queries: %.9g, copies of features give %.9g, one query fewer %.9g", noise, k, v, one.std[i], less.std[i])
				}
			}
			if math.Abs(several.meanSquare[0]/one.meanSquare[0]-1) > 1e-6 {
				t.Errorf("%s, %d queries: mean square %g, copies of features give %g", noise, k, several.meanSquare[0], one.meanSquare[0])
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
	eps, wide, other := make([]float32, 7*p), make([]float64, 7*p), make([]float64, 7*p)
	for i := range eps {
		eps[i] = float32(.3 * r.NormFloat64())
		wide[i] = float64(eps[i])
	}
	simd.Gemm(false, true, 7, p, p, 1, wide, p, u, p, 0, other, p)
	there := make([]float32, 7*p)
	for i, v := range other {
		there[i] = float32(v)
	}
	noise := release.Gaussian{Sigma: .9}
	a, b := proven(t, &Certifier{Net: m, Noise: noise}, eps, Pixels(p)), proven(t, &Certifier{Net: turned, Noise: noise}, eps, Pixels(p))
	for k, v := range a.std {
		if math.Abs(v/b.std[k]-1) > 1e-9 {
			t.Errorf("coordinate %d: %.12g, of turned features %.12g", k, v, b.std[k])
		}
	}
	if c := proven(t, &Certifier{Net: inside, Noise: noise}, there, Pixels(p)); math.Abs(a.meanSquare[0]/c.meanSquare[0]-1) > 1e-5 {
		t.Errorf("mean square %g, of turned inputs %g", a.meanSquare[0], c.meanSquare[0])
	}
}

// Of one input seen in n features the mean of k releases has variance σ²/nk under
// noise of any family: nothing proves more, whatever the coefficients.
func TestMeanOfAnyNoiseBeatsNoBound(t *testing.T) {
	const n, sigma = 9, 1.5
	r := rand.New(rand.NewPCG(34, 34))
	m := affine{slices.Repeat([]float64{1}, n), 1, n}
	for _, noise := range families(t, sigma) {
		for _, queries := range []int{1, 5} {
			c, most := &Certifier{Net: m, Noise: noise, Queries: queries}, 0.
			truth := sigma / math.Sqrt(float64(n*queries))
			for range 300 {
				eps := make([]float32, 1+r.IntN(5))
				for i := range eps {
					eps[i] = float32(truth * r.NormFloat64() * math.Exp(2*r.NormFloat64()))
				}
				s := proven(t, c, eps, Pixels(1))
				for i := range s.solve {
					s.solve[i] *= 1 + .2*r.NormFloat64()
				}
				s.prove(c, Pixels(1), []float32{0}, 0, 1, false, func(_ int, p *proof) { most = max(most, slices.Max(p.bounds)) })
				most = max(most, s.std[0])
			}
			if most > truth || most < .6*truth { // of Laplace noise Cramér-Rao's is 1/√2 of it
				t.Errorf("%s, %d queries: %g is proved, the mean has %g", noise, queries, most, truth)
			}
		}
	}
}

// A bound grows with the noise, of every family.
func TestMonotoneInEveryFamily(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 35))
	m := tall(r, 7, 4)
	eps := make([]float32, 5*4)
	for i := range eps {
		eps[i] = float32(.3 * r.NormFloat64())
	}
	for family := range families(t, 1) {
		last := make([]float64, 4)
		for sigma := .1; sigma < 60; sigma *= 1.5 {
			noise := families(t, sigma)[family]
			for k, v := range proven(t, &Certifier{Net: m, Noise: noise}, eps, Pixels(4)).std {
				if v < last[k] || v == 0 {
					t.Errorf("%s, σ=%g: %g, with less noise %g", noise, sigma, v, last[k])
				}
				last[k] = v
			}
		}
	}
}

// The power of an uncertain number, in real arithmetic, lies where it is said to;
// what is not a number proves nothing.
func TestPowerOfUncertainMoment(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 36))
	for range 20000 {
		x := math.Expm1(2*r.NormFloat64()) * math.Exp(-30*r.Float64())
		e, k := math.Abs(x)*math.Exp(-40*r.Float64()), 2+r.IntN(6)
		value, err := power(x, e, k)
		for _, at := range []float64{x, x - e, x + e} {
			one := exact(1)
			one.Add(one, exact(at))
			if one.Sign() < 0 {
				one = exact(0)
			}
			all := exact(1)
			for range k {
				all = exactProduct(all, one)
			}
			all.Sub(all, exact(1)).Sub(all, exact(value))
			if off, _ := all.Float64(); math.Abs(off) > err {
				t.Errorf("(1 + %g ± %g)^%d − 1: %g ± %g, off by %g", x, e, k, value, err, off)
			}
		}
		if exactly, off := power(x, 0, k); off > 100*float64(k)*ulp*math.Abs(exactly)+40*ulp*math.Abs(x) {
			t.Errorf("(1 + %g)^%d − 1 = %g is said to be off by %g", x, k, exactly, off)
		}
	}
	for _, v := range [][2]float64{{math.NaN(), 0}, {1, math.NaN()}, {math.Inf(1), 1}, {1, math.Inf(1)}, {math.Inf(1), math.Inf(1)}} {
		for _, k := range []int{1, 3} {
			if value, err := power(v[0], v[1], k); math.Abs(value)+err <= mostMoment {
				t.Errorf("(1 + %g ± %g)^%d − 1 = %g ± %g", v[0], v[1], k, value, err)
			}
		}
	}
}

// broken noise knows nothing of overlaps.
type broken struct {
	opaque
	value, err float64
}

func (b broken) Overlap(a, ea, c, ec []float64) (value, err float64) { return b.value, b.err }

// Moments that are no numbers combine to nothing.
func TestBrokenMomentsProveNothing(t *testing.T) {
	m, eps := diag(1, 2), []float32{.1, 0, 0, .1}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.MaxFloat64} {
		for _, noise := range []release.Noise{broken{opaque{release.Gaussian{Sigma: 1}}, v, 0}, broken{opaque{release.Gaussian{Sigma: 1}}, 1, v}} {
			for _, queries := range []int{1, 2} {
				s := proven(t, &Certifier{Net: m, Noise: noise, Queries: queries}, eps, Pixels(2))
				if slices.Contains(s.winner, combined) {
					t.Errorf("%s: a combination wins", fmt.Sprint(noise))
				}
			}
		}
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
