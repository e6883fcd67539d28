package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/math/simd"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// tall is a(θ) = Aθ with more features than inputs.
func tall(r *rand.Rand, n, p int) affine {
	m := affine{make([]float64, n*p), p, n}
	for i := range m.a {
		m.a[i] = r.NormFloat64()
	}
	return m
}

// factors of an affine model.
func (m affine) factors(t testing.TB) *Factors {
	t.Helper()
	j := Jacobian{P: m.p, Rows: append([]float64(nil), m.a...)}
	for i := range m.n {
		j.Active = append(j.Active, i)
	}
	return must.Get(j.complete(t.Context()))(t)
}

// joint is the combination of near witnesses, scaled, for all coordinates.
func joint(t testing.TB, c *Certifier, f *Factors, w Coordinates, theta []float32, count int, scale float32) []float64 {
	t.Helper()
	s := &Bounds{name: "barankin", Witnesses: count, domain: c.Domain, kind: BarankinOptions{}}
	s.columns(f.P, w.Len()).grow(1)
	f.near(s.eps, theta, c.Domain, nearSize, c.Noise.Std())
	simd.Scale(scale, s.eps)
	must.Do(t, s.certify(t.Context(), c, w, theta))
	return s.Std
}

// The known answer: of X = Aθ + Z the estimator A⁺X is unbiased with variance
// σ²wᵀ(AᵀA)⁻¹w, and none has less. The combination approaches that from below as
// witnesses shrink: its defect is of the order of (‖z‖/σ)².
func TestCombinationOfLinearModel(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 22))
	m := tall(r, 12, 7)
	f, w, theta := m.factors(t), Pixels(7), []float32{.1, -.2, .3, .4, -.5, .6, .7}
	c := &Certifier{Net: m, Noise: release.Gaussian{Sigma: .8}}
	want := f.CramerRao(w, .8).Full
	for _, v := range []struct {
		scale  float32
		defect float64
	}{{2e4, .7}, {4e3, .05}, {1e3, 3e-3}, {1, 1e-7}} {
		for k, got := range joint(t, c, f, w, theta, 7, v.scale) {
			if got > want[k]*(1+1e-12) || got < want[k]*(1-v.defect) {
				t.Errorf("scale %g, coordinate %d: %.12g, want %.12g and at most that", v.scale, k, got, want[k])
			}
		}
	}
}

// Forged coefficients, not numbers among them, prove nothing false.
func TestForgedCoefficients(t *testing.T) {
	m := diag(1, 2)
	c := &Certifier{Net: m, Noise: release.Gaussian{Sigma: 1}}
	ms := c.moments(c.Divergences(t.Context(), []float32{0, 0}, []float32{.1, 0, 0, .1, float32(math.NaN()), 1, 0, 0}), 4)
	for _, v := range []float64{math.NaN(), math.Inf(1), 0, 1e300, 1e-300} {
		solve := make([]float64, 16)
		for i := range solve {
			solve[i] = v
		}
		std := make([]float64, 2)
		ms[0].std(std, nil, []float64{.1, 0, 0, .1, math.NaN(), 1, 0, 0}, make([]float64, 4), solve)
		if !(std[0] >= 0 && std[0] <= 1 && std[1] >= 0 && std[1] <= .5) {
			t.Errorf("coefficients %g prove %v", v, std)
		}
	}
}

// In a box, witnesses stay inside and still prove something of every coordinate.
func TestCombinationInABox(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 28))
	m := tall(r, 12, 4)
	box := must.Get(Legal([]float64{0, 0, 0, 0}, []float64{1, 1, 1, 1}))(t)
	f, theta := m.factors(t), []float32{0, 1, .5, 0}
	c := &Certifier{Net: m, Noise: release.Gaussian{Sigma: 1}, Domain: box}
	want := f.CramerRao(Pixels(4), 1).Full
	for k, got := range joint(t, c, f, Pixels(4), theta, 8, 1) {
		if got > want[k]*(1+1e-12) || got < .5*want[k] {
			t.Errorf("coordinate %d: %g, Cramér-Rao %g", k, got, want[k])
		}
	}
}

// The mean-square bound of a linear model is σ²·tr(AᵀA)⁻¹/p, whatever coordinates are
// bounded.
func TestMeanSquareOfCombination(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 29))
	m := tall(r, 12, 6)
	f, theta := m.factors(t), make([]float32, 6)
	var want float64
	for _, s := range f.S {
		want += 1 / (s * s * 6)
	}
	one := must.Get(Vectors("one", []float64{1, 2, 3, 4, 5, 6}, 6))(t)
	for _, w := range []Coordinates{Pixels(6), DCT([]int{2, 3}), one} {
		s := &Bounds{Witnesses: 9, kind: BarankinOptions{}}
		s.columns(6, w.Len()).grow(1)
		f.near(s.eps, theta, Free, nearSize, 1)
		must.Do(t, s.certify(t.Context(), &Certifier{Net: m, Noise: release.Gaussian{Sigma: 1}}, w, theta))
		if got := s.MeanSquare[0]; got > want*(1+1e-12) || got < want*(1-1e-6) {
			t.Errorf("%s: %.12g, want %.12g and at most that", w.Name(), got, want)
		}
	}
}

// opaque is Gaussian noise that the certificate does not know as such.
type opaque struct{ release.Gaussian }

// overlapping knows its overlaps too.
type overlapping struct{ opaque }

func (o overlapping) Overlap(a, ea, b, eb []float64) (value, err float64) {
	var q, δ float64
	for j := range a {
		q += a[j] * b[j]
		δ += math.Abs(a[j])*eb[j] + ea[j]*math.Abs(b[j]) + ea[j]*eb[j] + 100*ulp*math.Abs(a[j]*b[j])
	}
	s := o.Sigma * o.Sigma
	value = math.Expm1(q / s)
	return value, math.Exp(q/s)*math.Expm1((δ+0x1p-900)/s)*(1+100*ulp) + 4*ulp*math.Abs(value)
}

// Noise by its Bound alone proves what the closed form does, up to how the errors of
// features are counted: elementwise, not in norm.
func TestSingleWitnessUnderAnyNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 25))
	m := tall(r, 9, 5)
	theta, eps := make([]float32, 5), make([]float32, 5)
	for range 200 {
		for i := range eps {
			theta[i], eps[i] = float32(r.NormFloat64()), float32(r.NormFloat64()*math.Exp(6*r.Float64()-6))
		}
		for _, queries := range []int{0, 1, 3} {
			g := release.Gaussian{Sigma: 2}
			want := (&Certifier{Net: m, Noise: g, Queries: queries}).Divergences(t.Context(), theta, eps)[0]
			got := (&Certifier{Net: m, Noise: opaque{g}, Queries: queries}).Divergences(t.Context(), theta, eps)[0]
			if math.Abs(got.Root/want.Root-1) > 1e-10 {
				t.Errorf("%d queries: root %g, want %g", queries, got.Root, want.Root)
			}
		}
	}
}

// Laplace noise says as much about small changes as Gaussian noise of σ/√2 does; its
// overlaps differ from that by a relative O(‖z‖/σ).
func TestCombinationUnderLaplace(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 30))
	m := tall(r, 12, 6)
	noise := must.Get(release.NewLaplace(1.5))(t)
	want := m.factors(t).CramerRao(Pixels(6), Experiment{Noise: noise}.Scale()).Full
	if gauss := m.factors(t).CramerRao(Pixels(6), 1.5/math.Sqrt2).Full; math.Abs(want[0]/gauss[0]-1) > 1e-12 {
		t.Errorf("effective scale: Cramér-Rao %g, want %g", want[0], gauss[0])
	}
	for k, got := range joint(t, &Certifier{Net: m, Noise: noise}, m.factors(t), Pixels(6), make([]float32, 6), 6, 1) {
		if math.Abs(got/want[k]-1) > 1e-4 { // above it too: g(t) − 1 = τ² − τ³/3 + …, τ = |t|/b
			t.Errorf("coordinate %d: %g, Cramér-Rao %g", k, got, want[k])
		}
	}
}

// families is noise of every family in closed form, of that strength.
func families(t testing.TB, sigma float64) []release.Noise {
	t.Helper()
	laplace := must.Get(release.NewLaplace(sigma))(t)
	return []release.Noise{release.Gaussian{Sigma: sigma}, laplace}
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
				if simd.MaxAbs(s.solve) > 0 {
					t.Errorf("%s: witnesses are combined", fmt.Sprint(noise))
				}
			}
		}
	}
}
