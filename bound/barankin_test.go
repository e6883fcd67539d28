package bound

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/simd"
	"tattle/release"
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
	f, err := j.Factor()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// joint is the combination of near witnesses, scaled, for all coordinates.
func joint(t testing.TB, c *Certifier, f *Factors, w Coordinates, theta []float32, count int, scale float32) []float64 {
	t.Helper()
	s := &certified{name: barankinName, each: count, domain: c.Domain, joint: true}
	s.grow(1, f.P, w.Len())
	f.near(s.eps, theta, c.Domain, c.Noise.Std())
	simd.Scale(scale, s.eps)
	if err := s.certify(t.Context(), c, w, theta, 0, 1); err != nil {
		t.Fatal(err)
	}
	return s.std
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

// Fewer witnesses than directions prove less, never more.
func TestFewerWitnessesProveLess(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 23))
	m := tall(r, 12, 7)
	f, w, theta := m.factors(t), Pixels(7), make([]float32, 7)
	c := &Certifier{Net: m, Noise: release.Gaussian{Sigma: 1}}
	last := make([]float64, 7)
	for count := 1; count <= 9; count++ {
		for k, got := range joint(t, c, f, w, theta, count, 1) {
			if got < last[k]*(1-1e-7) {
				t.Errorf("%d witnesses: coordinate %d has %g, less than %g with one fewer", count, k, got, last[k])
			}
			last[k] = got
		}
	}
}

// A bound grows with the noise, and k queries are noise of σ/√k.
func TestCombinationOverNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 24))
	m := tall(r, 9, 5)
	f, w, theta := m.factors(t), Pixels(5), make([]float32, 5)
	eps := make([]float32, 5*5)
	f.near(eps, theta, Free, 1e3) // half a σ and more: not the limit of Cramér-Rao
	of := func(noise release.Noise, queries int) []float64 {
		s := &certified{each: 5, joint: true}
		s.grow(1, 5, 5)
		copy(s.eps, eps)
		if err := s.certify(t.Context(), &Certifier{Net: m, Noise: noise, Queries: queries}, w, theta, 0, 1); err != nil {
			t.Fatal(err)
		}
		return s.std
	}
	last := make([]float64, 5)
	for sigma := .02; sigma < 50; sigma *= 1.7 {
		now := of(release.Gaussian{Sigma: sigma}, 1)
		for k := range now {
			if now[k] < last[k] {
				t.Errorf("σ=%g: %g, less than %g with less noise", sigma, now[k], last[k])
			}
		}
		last = now
		for _, k := range []int{2, 5, 64} {
			one, several := of(release.Gaussian{Sigma: sigma / math.Sqrt(float64(k))}, 1), of(release.Gaussian{Sigma: sigma}, k)
			other := of(overlapping{opaque{release.Gaussian{Sigma: sigma}}}, k)
			for i := range one {
				if math.Abs(several[i]-one[i]) > 1e-10*one[i] || math.Abs(other[i]-one[i]) > 1e-8*one[i] {
					t.Errorf("σ=%g: %d queries give %g, by the general way %g, σ/√k gives %g", sigma, k, several[i], other[i], one[i])
				}
			}
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
			want := (&Certifier{Net: m, Noise: g, Queries: queries}).Divergences(theta, eps)[0]
			got := (&Certifier{Net: m, Noise: opaque{g}, Queries: queries}).Divergences(theta, eps)[0]
			if math.Abs(got.Root/want.Root-1) > 1e-10 {
				t.Errorf("%d queries: root %g, want %g", queries, got.Root, want.Root)
			}
		}
	}
}

// Turning inputs by an orthogonal matrix, with witnesses and coordinates, turns
// nothing of the bounds.
func TestCombinationIsInvariant(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 26))
	const p, n = 6, 10
	m := tall(r, n, p)
	q := tall(r, p, p).factors(t).V // orthonormal rows
	turned := affine{make([]float64, n*p), p, n}
	simd.Gemm(false, true, n, p, p, 1, m.a, p, q, p, 0, turned.a, p) // A Qᵀ
	same := make([]float64, p*p)                                     // rows w_k become Q w_k
	for k := range p {
		for i := range p {
			same[k*p+i] = q[i*p+k]
		}
	}
	w, err := Vectors("turned", same, p)
	if err != nil {
		t.Fatal(err)
	}
	noise := release.Gaussian{Sigma: 1.3}
	a := joint(t, &Certifier{Net: m, Noise: noise}, m.factors(t), Pixels(p), make([]float32, p), p, 1e4)
	b := joint(t, &Certifier{Net: turned, Noise: noise}, turned.factors(t), w, make([]float32, p), p, 1e4)
	for k := range a {
		if math.Abs(a[k]-b[k]) > 1e-6*a[k] { // witnesses are rounded to float32
			t.Errorf("coordinate %d: %g, turned %g", k, a[k], b[k])
		}
	}
}

// ramp is a(x) = 1/2 + clip(slope·x, ±1/2) of one input: flat but for a steep
// middle.
type ramp float64

func (ramp) Dims() (p, n int) { return 1, 1 }
func (m ramp) ForwardError64(dst, bound, x, xerr []float64) {
	for i, v := range x {
		dst[i] = .5 + max(-.5, min(.5, float64(m)*v))
		bound[i] = float64(m)*xerr[i] + 4*ulp
	}
}

// In the middle of a steep ramp Cramér-Rao says σ/slope, and so do near witnesses;
// those on the plateaus tell the truth.
func TestOnlyFarWitnessesSeePlateaus(t *testing.T) {
	const slope, sigma = 1e4, .7
	c := &Certifier{Net: ramp(slope), Noise: release.Gaussian{Sigma: sigma}}
	prove := func(eps ...float32) (single, all float64) {
		s := &certified{each: len(eps), joint: true, eps: eps}
		s.proved(t, c, func(p *proof) {
			for _, b := range p.bounds[:len(eps)] {
				single = max(single, b)
			}
			all = p.bounds[len(eps)]
		})
		return single, all
	}
	if _, near := prove(1e-6, -1e-6); near > sigma/slope*(1+1e-9) || near < .99*sigma/slope {
		t.Errorf("near witnesses: %g, want %g", near, sigma/slope)
	}
	single, all := prove(1e-6, 2, -2)
	if truth := 2 / math.Sqrt(math.Expm1(.25/sigma/sigma)); math.Abs(single-truth) > 1e-9 {
		t.Errorf("a far witness: %g, want %g", single, truth)
	}
	if all < single*1.2 {
		t.Errorf("two far witnesses combined: %g, one of them %g", all, single)
	}
	// T = α(X−½) + β·σ³He₃((X−½)/σ) has mean αμ + βμ³ at ½ + μ: unbiased at θ and all
	// three witnesses for the right α and β, with variance α²σ² + 6β²σ⁶.
	z, e := slope*float64(float32(1e-6)), float64(float32(1e-6))
	β := (2 - .5*e/z) / (.125 - .5*z*z)
	α := e/z - β*z*z
	if truth := math.Sqrt(α*α*sigma*sigma + 6*β*β*math.Pow(sigma, 6)); all > truth || all < .95*truth {
		t.Errorf("combined %g, an unbiased estimator has %g", all, truth)
	}
	t.Logf("Cramér-Rao %g, near %g, one far %g, combined %g", sigma/slope, sigma/slope, single, all)
}

func (s *certified) proved(t *testing.T, c *Certifier, f func(p *proof)) {
	t.Helper()
	s.solve = make([]float64, s.each*s.each)
	s.prove(c, Pixels(1), []float32{0}, 0, 1, true, func(_ int, p *proof) { f(p) })
}

// The mean of n draws is unbiased with variance σ²/n: no combination of witnesses,
// and no coefficients, prove more.
func TestSampleMeanBeatsNoBound(t *testing.T) {
	const n, sigma = 16, 1.5
	r := rand.New(rand.NewPCG(27, 27))
	m := affine{make([]float64, n), 1, n}
	for i := range m.a {
		m.a[i] = 1
	}
	c := &Certifier{Net: m, Noise: release.Gaussian{Sigma: sigma}}
	truth, most := sigma/math.Sqrt(n), 0.
	for range 2000 {
		eps := make([]float32, 1+r.IntN(6))
		for i := range eps {
			eps[i] = float32(r.NormFloat64() * math.Exp(4*r.NormFloat64()))
		}
		ds, ms := c.together([]float32{.3}, eps)
		solve := ms[0].coefficients(ds)
		for range 3 {
			var std [1]float64
			ms[0].std(std[:], nil, widened64(eps), make([]float64, len(eps)), solve)
			most = max(most, std[0])
			for i := range solve {
				solve[i] *= 1 + .2*r.NormFloat64()
			}
		}
	}
	if most > truth || most < .999*truth {
		t.Errorf("the most that is proved is %.15g, the mean of the draws has %.15g", most, truth)
	}
}

// Forged coefficients, not numbers among them, prove nothing false.
func TestForgedCoefficients(t *testing.T) {
	m := diag(1, 2)
	c := &Certifier{Net: m, Noise: release.Gaussian{Sigma: 1}}
	_, ms := c.together([]float32{0, 0}, []float32{.1, 0, 0, .1, float32(math.NaN()), 1, 0, 0})
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
	box, err := Legal([]float64{0, 0, 0, 0}, []float64{1, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
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
	one, err := Vectors("one", []float64{1, 2, 3, 4, 5, 6}, 6)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []Coordinates{Pixels(6), DCT([]int{2, 3}), one} {
		s := &certified{each: 9, joint: true}
		s.grow(1, 6, w.Len())
		f.near(s.eps, theta, Free, 1)
		if err := s.certify(t.Context(), &Certifier{Net: m, Noise: release.Gaussian{Sigma: 1}}, w, theta, 0, 1); err != nil {
			t.Fatal(err)
		}
		if got := s.meanSquare[0]; got > want*(1+1e-12) || got < want*(1-1e-6) {
			t.Errorf("%s: %.12g, want %.12g and at most that", w.Name(), got, want)
		}
	}
}

// Laplace noise says as much about small changes as Gaussian noise of σ/√2 does; its
// overlaps differ from that by a relative O(‖z‖/σ).
func TestCombinationUnderLaplace(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 30))
	m := tall(r, 12, 6)
	noise, err := release.NewLaplace(1.5)
	if err != nil {
		t.Fatal(err)
	}
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
