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
				if simd.MaxAbs(s.solve) > 0 {
					t.Errorf("%s: witnesses are combined", fmt.Sprint(noise))
				}
			}
		}
	}
}
