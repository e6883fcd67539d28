package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

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

// joint is the combination of near witnesses, scaled.
func joint(t testing.TB, c *Certifier, f *Factors, w Coordinates, theta []float32, count int, scale float32) *Bounds {
	t.Helper()
	s := &Bounds{name: "barankin", Witnesses: count, domain: c.Domain, kind: BarankinOptions{}}
	s.columns(f.P, w.Len()).grow(1)
	f.near(s.eps, theta, c.Domain, nearSize, c.Noise.Std())
	simd.Scale(scale, s.eps)
	must.Do(t, s.certify(t.Context(), c, w, theta))
	return s
}

// The known answer: of X = Aθ + Z the estimator A⁺X is unbiased with variance
// σ²wᵀ(AᵀA)⁻¹w, and none has less. The combination approaches that from below as
// witnesses shrink: its defect is of the order of (‖z‖/σ)². Its mean square approaches
// σ²·tr(AᵀA)⁻¹/p, whatever coordinates are bounded.
func TestCombinationOfLinearModel(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 22))
	m := tall(r, 12, 6)
	f, theta, square := m.factors(t), []float32{.1, -.2, .3, .4, -.5, .6}, 0.
	for _, s := range f.S {
		square += .8 * .8 / (s * s * 6)
	}
	c := &Certifier{Net: m, Noise: release.Gaussian{Sigma: .8}}
	one := must.Get(Vectors("one", []float64{1, 2, 3, 4, 5, 6}, 6))(t)
	for _, w := range []Coordinates{Pixels(6), DCT([]int{2, 3}), one} {
		want := f.CramerRao(w, .8).Full
		for _, v := range []struct {
			scale  float32
			defect float64
		}{{2e4, .7}, {4e3, .05}, {1e3, 3e-3}, {1, 1e-7}} {
			s := joint(t, c, f, w, theta, 7, v.scale)
			for k, got := range s.Std {
				if got > want[k]*(1+1e-12) || got < want[k]*(1-v.defect) {
					t.Errorf("scale %g, coordinate %d of %s: %.12g, want %.12g and at most that", v.scale, k, w.Name(), got, want[k])
				}
			}
			if got := s.MeanSquare[0]; got > square*(1+1e-12) || got < square*(1-2*v.defect) {
				t.Errorf("scale %g, %s: mean square %.12g, want %.12g and at most that", v.scale, w.Name(), got, square)
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
	for _, noise := range families(t, 1) { // features that move too far to be squared
		c, v := &Certifier{Net: wide{n: 1}, Noise: noise, a: []float64{0, 1e200}, b: make([]float64, 2)}, newMoments(1)
		c.fill(&v, 0, 0)
		if v.erase(); !v.void[0] {
			t.Errorf("%v: a witness beyond all numbers has the moment %v ± %v", noise, v.value, v.err)
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
	for k, got := range joint(t, c, f, Pixels(4), theta, 8, 1).Std {
		if got > want[k]*(1+1e-12) || got < .5*want[k] {
			t.Errorf("coordinate %d: %g, Cramér-Rao %g", k, got, want[k])
		}
	}
}

// The coefficients are the inverse of the moments, with the row sums of their errors on the diagonal and in units of the
// diagonal. Only witnesses that move the features by more than rounding have any. What a bound depends on is the rounding
// of the certificate itself.
func TestCoefficients(t *testing.T) {
	v := newMoments(5)
	for i, own := range []float64{4, 1, 1e-3, 1, 1} {
		v.value[i*6] = own
	}
	v.err[1], v.err[5], v.err[2*6] = .2, .2, 1 // of the first with the second, and of the third
	v.void[4] = true
	b, want := v.coefficients([]Divergence{{}, {}, {}, {Status: AllRounding}, {}}), make([]float64, 25)
	want[0], want[6] = 1/4.4, 1/1.1
	if floats.Distance(b, want, math.Inf(1)) > 1e-12 {
		t.Errorf("coefficients %v, want %v", b, want)
	}
	// The moment is 1 with an error of .1, so the std is 1/√1.1. Of the error, .02 is rounding of the certificate itself. Another
	// processor may round otherwise, so the tolerance of the std is 4·.02/1.02, and that of the mean square twice as large.
	p, ms := proof{ds: make([]Divergence, 1), bounds: newLimits(1)}, moments{1, []float64{1}, []float64{.1}, make([]bool, 1), []float64{.02}}
	p.jointly(&ms, Pixels(1), []float64{1}, []float64{1}, []float64{0}, []float64{1})
	part := 2 * .02 / 1.02
	if got := []float64{p.bounds.std[0], p.bounds.square, p.bounds.slack[0], p.bounds.squareSlack}; floats.Distance(got, []float64{1 / math.Sqrt(1.1), 1 / 1.1, 2 * part, 4 * part}, math.Inf(1)) > 1e-8 {
		t.Errorf("bounds and tolerances %v", got)
	}
	ms = moments{1, []float64{1}, []float64{2}, make([]bool, 1), nil} // all rounding: a large bound is called unbounded
	for g, want := range map[float64]float64{1e3: 1e6 / 3, 1e7: math.Inf(1)} {
		p.bounds = newLimits(1)
		p.jointly(&ms, Pixels(1), []float64{g}, []float64{g}, []float64{0}, []float64{1})
		if b := p.bounds; !(math.Abs(b.square/want-1) < 1e-6 || b.square == want) || !(math.Abs(b.std[0]/math.Sqrt(want)-1) < 1e-6 || b.std[0] == want) {
			t.Errorf("a step of %g that rounding decides proves %v and %v", g, b.std, b.square)
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
