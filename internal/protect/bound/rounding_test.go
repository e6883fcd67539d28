package bound

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/math/simd"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// hazy is a net whose proved rounding is so much too large; in pairs it is
// wide times that of the net, and without bounds where wide is 0.
type hazy struct {
	*nn.Net
	grow float64
	wide float64
}

func (m hazy) ForwardError64(dst, bound, x, xerr []float64) {
	m.Net.ForwardError64(dst, bound, x, xerr)
	for i := range bound {
		if bound[i] *= m.grow; math.IsInf(m.grow, 1) {
			bound[i] = m.grow
		}
	}
}

func (m hazy) ForwardWide64(dst, bound, x, xerr []float64) {
	m.Net.ForwardError64(dst, bound, x, xerr)
	for i := range bound {
		if bound[i] *= m.wide; m.wide == 0 {
			bound[i] = math.Inf(1)
		}
	}
}

// The plain proof is taken where it is good, pairs where they help, the measurement
// where nothing else does, and never where a proof leaves nine tenths of a bound.
func TestRoundingIsChosen(t *testing.T) {
	m, data, e := small(t)
	for _, c := range []struct {
		grow, wide float64
		want       string
	}{
		{1, 0, RoundingProved}, {1, 1, RoundingProved},
		{1e14, 1, RoundingPairs}, {1e14, 0, RoundingMeasured}, {1e14, 1e14, RoundingMeasured},
		{math.Inf(1), 1, RoundingPairs}, {math.Inf(1), 0, RoundingMeasured},
	} {
		got, _ := must.Get2(e.resolve(lookAt(hazy{m, c.grow, c.wide}, data.X[:24]), nil))(t)
		if got.Rounding != c.want {
			t.Errorf("allowances ×%g, in pairs ×%g: %q, want %q", c.grow, c.wide, got.Rounding, c.want)
		}
	}
	// Some factor leaves between a thousandth and a tenth of the bound: still a proof.
	e.Sizes = []float64{DefaultSize}
	c := e.certifier(m)
	d := c.Divergences(t.Context(), data.X[:24], e.trial(m, data.X[:24]))[0]
	for _, part := range []float64{1e-2, 5e-2} {
		if got := e.rounding(lookAt(hazy{m, part * d.ZNorm / d.Allowance, 0}, data.X[:24])); got != RoundingProved {
			t.Errorf("an allowance of %g of ‖z‖: %q", part, got)
		}
	}
	if got := e.rounding(lookAt(hazy{m, .3 * d.ZNorm / d.Allowance, 0}, data.X[:24])); got != RoundingMeasured {
		t.Errorf("an allowance of 0.3 ‖z‖: %q", got)
	}
}

// Measured rounding is a figure of its own standing, is verified, and is above the
// true error: bounds come out below those that are proved of the same witnesses, and
// hardly so.
func TestMeasuredRounding(t *testing.T) {
	shared.Long(t, "measured rounding against the true error")
	m, data, e := small(t)
	for _, noise := range []release.Noise{release.Gaussian{Sigma: 1}, release.Laplace{Sigma: .7 * math.Sqrt2, Scale: .7}} {
		e.Noise = noise
		proved := mustRun(t, m, data, upTo(20), e)
		foggy := hazy{m, 1e14, 0}
		r := mustRun(t, foggy, data, upTo(20), e)
		if r.Experiment.Rounding != RoundingMeasured {
			t.Fatalf("rounding %q", r.Experiment.Rounding)
		}
		for _, s := range r.Summaries {
			if s.Status == StatusCertified {
				t.Errorf("%s is %s", s.Method, s.Status)
			}
		}
		for i, v := range r.Near()[0].Std {
			if w := proved.Kinds[0].Std[i]; v > w*(1+1e-12) || v < w*(1-1e-6) {
				t.Fatalf("%s noise: bound %d is %g by measured rounding, %g by proved", noise, i, v, w)
			}
		}
		unresolved := r.Experiment
		unresolved.Rounding = ""
		loaded := must.Get(Load(r.Path, unresolved))(t)
		for _, s := range loaded.Summaries {
			if s.Status == StatusCertified {
				t.Errorf("%s of arrays whose rounding is not said is %s", s.Method, s.Status)
			}
		}
		claims := Claims{r.Path, r.SHA256}
		if found, err := Verify(context.Background(), foggy, data, r.Experiment, claims, nil); err != nil || len(found) > 0 {
			t.Errorf("%v %v", found, err)
		}
		again := r.Experiment
		again.Rounding = RoundingProved
		if found, _ := Verify(context.Background(), foggy, data, again, claims, nil); len(found) == 0 {
			t.Error("measured rounding passes for proved")
		}
	}
}

// Proved or measured, the allowance is above the error of ‖z‖ against real arithmetic. At usual steps it is
// a small part of ‖z‖; at the tiniest steps z is nothing but rounding.
func TestAllowanceIsAboveTheError(t *testing.T) {
	m, data, e := small(t)
	e.Sizes = []float64{DefaultSize}
	hidden := 0
	for i := range 70 {
		theta := data.X[i*24 : (i+1)*24]
		usual := e.trial(m, theta)
		for _, size := range []float64{1, 1e-4, 1e-8, 1e-11, 1e-13, 1e-15, 0} {
			eps := slices.Clone(usual)
			simd.Scale(float32(size), eps)
			norm, _ := new(big.Float).Sqrt(exactStep(m, theta, eps)).Float64()
			for _, how := range []string{RoundingProved, RoundingMeasured} {
				c := e.certifier(m)
				c.Rounding = how
				d := c.Divergences(t.Context(), theta, eps)[0]
				if off := math.Abs(d.ZNorm - norm); !(off <= d.Allowance) || d.Allowance < 1e-15 || d.Allowance > 1e-6*DefaultSize {
					t.Errorf("example %d, %g of the usual step: ‖z‖ = %g is off by %g, %s allowance %g", i, size, norm, off, how, d.Allowance)
				}
				if d.Status == AllRounding {
					hidden++
				}
			}
		}
	}
	if hidden < 70 {
		t.Error("no step is tiny")
	}
}

// off is a net whose float32 pass is so much off, and proved to be.
type off struct {
	*nn.Net
	by float64
}

func (m off) Forward(dst, x []float32) {
	m.Net.Forward(dst, x)
	for i := range dst {
		dst[i] += float32(m.by)
	}
}

func (m off) ForwardError32(dst, bound, x []float64) {
	m.Net.ForwardError32(dst, bound, x)
	for i := range bound {
		bound[i] = m.by
	}
}

// Four features of 16 may be a sixteenth off for a float32 pass to say how float64 is rounded. That is by a thousand
// times 2⁻²⁹ as much. The error of a runtime is derived if it is up to a twentieth of σ, which is 2. For two inputs of
// as many features that is .025. A larger one is measured, sixteen times over.
func TestFloat32Passes(t *testing.T) {
	net := netOf(t, 1, weights(4, 1, 0, 0, 0, 0, 16, 16, 16, 16))
	for by, good := range map[float64]bool{.875: true, 1.125: false} {
		a, b := make([]float64, 4), make([]float64, 4)
		(&Certifier{Net: off{net, by}, Noise: release.Gaussian{Sigma: 1}}).measured(a, b, []float64{1})
		if want := by * 1000 / 0x1p29; math.IsInf(b[3], 1) == good || good && math.Abs(b[3]/want-1) > 1e-9 {
			t.Errorf("%v off: an error of %v", by, b[3])
		}
	}
	e := Experiment{Noise: release.Gaussian{Sigma: 2}}
	for by, want := range map[float64]Runtime{.024: {.024, RuntimeDerived}, .03125: {.5, RuntimeMeasured}} {
		if got := e.runtime(lookAt(off{net, by}, []float32{1})); got != want {
			t.Errorf("%v off: %v, want %v", by, got, want)
		}
	}
	// What is tried moves the features, here each by as much as the input, by a quarter of σ in all.
	e.Sizes = []float64{.25}
	if eps := e.trial(netOf(t, 1, weights(4, 1, 1, 1, 1, 1)), []float32{0}); math.Abs(math.Abs(float64(eps[0]))-.25) > 1e-6 {
		t.Errorf("a step of %v is tried", eps)
	}
}

// Of nets too deep for the plain proof one of affine layers is certified in pairs, by near and
// combined witnesses; the rounding of a transformer is measured, and nothing is certified. Verify
// agrees.
func TestDeepNets(t *testing.T) {
	shared.Long(t, "bounds of deep nets")
	r := rand.New(rand.NewPCG(31, 31))
	var layers []nn.Op
	for range 32 {
		layers = append(layers, weights(24, 24, normals(r, 24*24+24, math.Sqrt(2./24))...), &nn.ReLU{})
	}
	g := zoo.Swin(zoo.SwinOptions{Classes: 3, Channels: 1, Side: 16, Patch: 2, Embed: 12, Depths: []int{2, 2, 4}, Heads: []int{2, 2, 4}, Window: 4}, 1)
	front, _ := must.Get2(g.Cut("norm"))(t)
	for how, m := range map[string]*nn.Net{RoundingPairs: netOf(t, 24, layers...), RoundingMeasured: must.Get(nn.NewNet(front))(t)} {
		p, _ := m.Dims()
		data := noise(p, 3)
		e := Experiment{Noise: release.Gaussian{Sigma: .5}, Coordinates: Pixels(p), Settings: Settings{Search: SearchOptions{Restarts: 2, Repeats: 2, Seed: 3}, Barankin: BarankinOptions{Witnesses: 6}}}
		r := mustRun(t, m, data, upTo(2), e)
		if r.Experiment.Rounding != how {
			t.Fatalf("rounding %q, want %q", r.Experiment.Rounding, how)
		}
		for _, s := range r.Summaries {
			if near := strings.HasPrefix(s.Method, "hcr"); near && (s.Status == StatusCertified) != (how == RoundingPairs) {
				t.Errorf("%s: %s is %s", how, s.Method, s.Status)
			}
		}
		found, err := Verify(t.Context(), m, data, r.Experiment, Claims{r.Path, r.SHA256}, nil)
		if err != nil || len(found) > 0 {
			t.Errorf("%s: %v %v", how, found, err)
		}
		c := r.Experiment.certifier(m)
		eps := witnesses(t, r, DefaultSize)[:2*p]
		ours := c.Divergences(t.Context(), data.X[:p], eps)
		c.Rounding = RoundingProved
		for i, d := range c.Divergences(t.Context(), data.X[:p], eps) {
			if !(ours[i].Allowance <= roundingGood*ours[i].ZNorm) || d.Allowance <= roundingUseful*d.ZNorm {
				t.Errorf("%s: ‖z‖ = %v, allowance %v, %v in float64", how, ours[i].ZNorm, ours[i].Allowance, d.Allowance)
			}
		}
	}
}
