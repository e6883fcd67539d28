package bound

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// affine is the model a(x) = A x as a certificate uses it, with the textbook bound on its rounding.
type affine struct {
	a    []float64 // [n, p]
	p, n int
}

func (m affine) Dims() (p, n int) { return m.p, m.n }

func (m affine) ForwardError64(dst, bound, x, xerr []float64) {
	for b := range len(x) / m.p {
		for j := range m.n {
			var s, abs, in float64
			for i := range m.p {
				w := m.a[j*m.p+i]
				s += w * x[b*m.p+i]
				abs += math.Abs(w * x[b*m.p+i])
				in += math.Abs(w) * xerr[b*m.p+i]
			}
			dst[b*m.n+j] = s
			bound[b*m.n+j] = (float64(m.p)*ulp*abs + in) * (1 + float64(2*m.p)*ulp)
		}
	}
}

func diag(d ...float64) affine {
	m := affine{make([]float64, len(d)*len(d)), len(d), len(d)}
	for i, v := range d {
		m.a[i*len(d)+i] = v
	}
	return m
}

// The known answer for a(θ) = Dθ, ε along an axis and k releases: Var ≥ ε²/expm1(k‖z‖²/σ²). Here ‖z‖ is d·ε, and twice
// √n times the error of a runtime if that is counted.
func TestCertificateClosedForm(t *testing.T) {
	const sigma = .7
	for _, runtime := range []float64{0, 1e-3} {
		for _, d := range []float64{1e-3, 1, 50} {
			for k, e := range []float32{1e-12, 1e-6, 1e-3, .5, 3} {
				c := Certifier{Net: diag(d, 2), Noise: release.Gaussian{Sigma: sigma}, Queries: k, Runtime: runtime, Counted: true}
				dv := c.Divergences(t.Context(), []float32{.25, .5}, []float32{e, 0})[0]
				got := dv.Std(float64(e), 0)
				q := (d*float64(e) + 2*runtime*math.Sqrt2) / sigma * math.Sqrt(float64(max(k, 1)))
				want := float64(e) / math.Sqrt(math.Expm1(q*q))
				if math.IsInf(math.Expm1(q*q), 0) {
					want = 0
				}
				if dv.Status == AllRounding && float64(e)*d > 1e-12+2*runtime*math.Sqrt2 {
					t.Errorf("d=%g ε=%g: all rounding", d, e)
				}
				if got > want || got < want*(1-1e-13-2*dv.Rounding/(q*sigma)*(1+q*q)) {
					t.Errorf("d=%g ε=%g, %g off: std %g, want %g and at most that (rounding %g of %g)", d, e, runtime, got, want, dv.Rounding, dv.ZNorm)
				}
			}
		}
	}
}

func TestCertificateAtTheEdges(t *testing.T) {
	far := Certifier{Net: diag(1, 1), Noise: release.Gaussian{Sigma: .01}}
	if d := far.Divergences(t.Context(), []float32{0, 0}, []float32{1, 0})[0]; d.Std(1, 0) != 0 || d.meanSquare([]float64{1, 0}) != 0 {
		t.Errorf("expm1 overflows: std %g, want 0", d.Std(1, 0))
	}
	none := far.Divergences(t.Context(), []float32{0, 0}, []float32{0, 0})[0]
	if none.Std(0, 0) != 0 || none.meanSquare([]float64{0, 0}) != 0 {
		t.Errorf("ε = 0 proves %g", none.Std(0, 0))
	}
	blind := Certifier{Net: diag(1, 0), Noise: release.Gaussian{Sigma: 1}}
	if d := blind.Divergences(t.Context(), []float32{.5, .5}, []float32{0, 1})[0]; d.Status != AllRounding || !math.IsInf(d.Std(1, 0), 1) || d.Std(0, 0) != 0 || d.Std(1e-20, 1e-19) != 0 {
		t.Errorf("features that do not move: %v, %g", d.Status, d.Std(1, 0))
	}
	blind.Runtime = 1e-6 // so that two features may move by 2√2 millionths
	if v := blind.Divergences(t.Context(), []float32{.5, .5}, []float32{0, 1})[0].Std(1, 0); v > 1/(2e-6*math.Sqrt2) || v < .99/(2e-6*math.Sqrt2) {
		t.Errorf("features that a runtime has 1e-6 off: %g", v)
	}
	// θ+ε moves the features by less than the rounding of a(θ): all rounding.
	near := Certifier{Net: affine{[]float64{1, 1e6, -1e6}, 3, 1}, Noise: release.Gaussian{Sigma: 1}}
	if d := near.Divergences(t.Context(), []float32{0, 1.1, 1.1}, []float32{1e-12, 0, 0})[0]; d.Status != AllRounding || d.Std(1e-12, 0) > 1 || !math.IsInf(d.Std(1, 0), 1) {
		t.Errorf("a shift of 1e-12 under rounding of 1e-10: %v, ‖z‖ %g, allowance %g, std %g", d.Status, d.ZNorm, d.Allowance, d.Std(1e-12, 0))
	}
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), math.MaxFloat32} {
		if d := (&Certifier{Net: diag(1e300, 1), Noise: release.Gaussian{Sigma: 1}}).Divergences(t.Context(), []float32{0, 0}, []float32{bad, 0})[0]; d.Std(1, 0) != 0 || d.Share != 0 || d.Pair(1, 0) != 0 {
			t.Errorf("ε = %g proves %g and a share of %g", bad, d.Std(1, 0), d.Share)
		}
	}
	if d := (&Certifier{Net: diag(1, 1), Noise: release.None{}}).Divergences(t.Context(), []float32{0, 0}, []float32{1, 0})[0]; d.Std(1, 0) != 0 || d.Share != 0 {
		t.Errorf("without noise: %g and a share of %g", d.Std(1, 0), d.Share)
	}
	// Errors whose squares are below all numbers count as well.
	if d := far.diverge([]float64{0}, []float64{1e-170}, []float64{1e-3}, []float64{0}, 0); !(d.Rounding > 1e-170 && d.Root < 1) {
		t.Errorf("an error of 1e-170: %+v", d)
	}
}

// The formulas of single numbers, by hand.
func TestFormulas(t *testing.T) {
	var both combination // 4 ± 1 over 1 ± 1, where sums err by a half of themselves
	both.add(1, 1, 1, .5, .5, .25)
	both.add(1.5, 1, 2, .5, 1./3, .75)
	bound, part := both.std(.5, 0)
	less, more := both.std(.5, .1) // .3 is lost to underflow
	zero, _ := (&combination{cg: 1}).std(0, 0)
	infinite, _ := (&combination{cg: 1, cmc: math.Inf(1)}).std(0, 0)
	h := release.GaussianPairShare(3)
	off := Divergence{ZNorm: 2, Allowance: .5, Rounding: .25, Root: 1, Share: h}
	alone := proof{ds: []Divergence{off}, bounds: newLimits(1)}
	alone.singly(Pixels(1), []float64{1})
	rms, most := apart([]float32{1, 2, 5}, []float64{2, 1, 5})
	_, rounded := apart([]float32{-4}, []float64{-4})
	for what, v := range map[string][2]float64{
		"combination": {bound, 2.5 / math.Sqrt(2.5)}, "part of rounding": {part, 2/2.5 + 2/2.5},
		"no moment": {zero, 0}, "an infinite moment": {infinite, 0},
		"underflow": {less, (4 - 1.3*1.5) / math.Sqrt(1+1.3*1.5)}, "part of rounding and underflow": {more, 2/(4-1.3*1.5) + 2/(1+1.3*1.5)},
		"tolerance": {off.tolerance(), certificateTolerance + .2}, "tolerance of a mean square": {alone.bounds.squareSlack, .2*2.2 + 2.4*certificateTolerance}, "a sum of squares that overflows": {meanSquareOf(slices.Repeat([]float64{.9 * math.Sqrt(math.MaxFloat64)}, 100)) / math.MaxFloat64, .01}, "least quotient": {atLeast(0x1p-960) * 0x1p960, 1}, "tolerance of rounding": {Divergence{ZNorm: 1, Allowance: 1, Rounding: 9}.tolerance(), mostTolerance},
		"slack": {Divergence{ZNorm: 2000, Allowance: 500, Rounding: .25, Share: h}.slack(), certificateTolerance - 4*math.Log(4*h)*(certificateTolerance+2e-4)}, "slack of rounding": {off.slack(), mostTolerance},
		"slack of twins": {Divergence{Share: .25}.slack(), certificateTolerance},
		"distance":       {rms, math.Sqrt(2. / 3)}, "largest distance": {most, 1}, "distance by chance": {rounded * 0x1p24, 4}, "rounded upward": {twoDigits(.01211), .013}, "two digits": {twoDigits(2300), 2300}, "no digits": {twoDigits(0), 0},
		"rows of files": {float64(jacobianSize{rows: 800, cols: 900}.gramOptions().Block), 128}, "most rows": {float64(jacobianSize{rows: 1 << 20, cols: 1 << 20}.gramOptions().Block), gramBlock},
		"power of two": {powerOfTwo(5), 8}, "no power": {powerOfTwo(0), 0}, "Laplace noise": {Experiment{Noise: release.Laplace{Sigma: 3 * math.Sqrt2, Scale: 3}}.Scale(), 3}, "queries": {scaleBelow(release.Gaussian{Sigma: 3}, 4), 1.5},
		"rows": {float64(certifyRowsOf(9, 1024)), certifyRows}, "rows of long inputs": {float64(certifyRowsOf(2048, 9)), 128}, "rows of longer features": {float64(certifyRowsOf(9, 1<<20)), 1},
		"the largest hangs by a quarter": {squareSlackOf([]float64{1e200, 1, 0}, []float64{.25, math.Inf(1), math.Inf(1)}), .5}, "nothing hangs": {squareSlackOf([]float64{0, 0}, []float64{1, 1}), 0},
		"half hangs by half": {squareSlackOf([]float64{2, 2, 0}, []float64{.5, 0, 1}), .5},
		"examples":           {float64(runtimeCount(1 << 14)), 8}, "few examples": {float64(runtimeCount(1 << 17)), 2}, "many examples": {float64(runtimeCount(9)), runtimeExamples},
	} {
		if !(math.Abs(v[0]-v[1]) <= 1e-9*(1+math.Abs(v[1]))) {
			t.Errorf("%s: %v, want %v", what, v[0], v[1])
		}
	}
}

func TestDomainIsExact(t *testing.T) {
	lo, hi := float64(float32(-.4242)), float64(float32(2.8215))
	d := must.Get(Legal([]float64{lo, lo}, []float64{hi, hi}))(t)
	c := Certifier{Net: diag(1, 1), Noise: release.Gaussian{Sigma: 1}, Domain: d}
	theta := []float32{float32(lo), .1}
	for _, v := range []struct {
		eps   [2]float32
		legal bool
	}{{[2]float32{.5, .5}, true}, {[2]float32{0, 0}, true}, {[2]float32{-1e-20, 0}, false}, {[2]float32{0, 3}, false}, {[2]float32{float32(math.NaN()), 0}, false}} {
		got := c.Divergences(t.Context(), theta, v.eps[:])[0]
		if (got.Status != Illegal) != v.legal {
			t.Errorf("θ+ε = %v + %v: %v", theta, v.eps, got.Status)
		}
		if !v.legal && got.Std(1, 0) != 0 {
			t.Errorf("an illegal witness proves %g", got.Std(1, 0))
		}
	}
	if got := c.Divergences(t.Context(), []float32{float32(hi), .1}, []float32{1e-20, 0})[0]; got.Status != Illegal {
		t.Errorf("θ+ε just above the range: %v", got.Status)
	}
	// An estimator need not be unbiased at a θ outside, wherever θ+ε is.
	if got := c.Divergences(t.Context(), []float32{-.5, .1}, []float32{.5, .1})[0]; got.Status != Illegal {
		t.Errorf("θ is outside, θ+ε inside: %v", got.Status)
	}
	c.Divergences(t.Context(), []float32{1, 1}, []float32{0x1p-60, -0x1p-60})
	if want := []float64{0, 0, 0x1p-60, 0x1p-60}; !slices.Equal(c.xerr, want) {
		t.Errorf("the sums are %v off, want %v", c.xerr, want)
	}
	// What the search projects, the certificate accepts.
	r := rand.New(rand.NewPCG(4, 4))
	theta, eps := make([]float32, 4), make([]float32, 12) // three of each of two inputs
	for range 2000 {
		for i := range theta {
			theta[i] = float32(min(max(r.NormFloat64(), lo), hi))
		}
		for i := range eps {
			eps[i] = float32(3 * r.NormFloat64() * math.Exp(-40*r.Float64()))
		}
		d.project(eps, theta)
		for i, v := range c.Divergences(t.Context(), theta, eps) {
			if v.Status == Illegal {
				t.Fatalf("θ = %v, projected ε = %v: %d is illegal", theta, eps, i)
			}
		}
	}
	must.Fail(t, must.Err(Legal([]float64{1}, []float64{0}))) // a range from 1 to 0
	must.Get(Legal([]float64{1}, []float64{1}))(t)            // a constant
}

var _ Net = (*nn.Net)(nil)
