package bound

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/lattice"
	"tattle/internal/protect/release"
)

// latticeNoise is lattice noise on n features.
func latticeNoise(t testing.TB, delta, sigma, clip float64, n int) release.Lattice {
	t.Helper()
	return must.Get(release.NewLattice(lattice.Lattice{Delta: delta, Sigma: sigma, Clip: clip, Dim: n}))(t)
}

// ballNoise is latticeNoise that clips the norm.
func ballNoise(t testing.TB, delta, sigma, clip float64, n int) release.Lattice {
	t.Helper()
	return must.Get(release.NewLattice(lattice.Lattice{Delta: delta, Sigma: sigma, Clip: clip, Ball: true, Dim: n}))(t)
}

// device is what a device releases, without its noise: features that lie anywhere within drift of
// those of the net, on the lattice.
func device(m *nn.Net, l release.Lattice, x []float64, drift float64, r *rand.Rand) []int64 {
	_, n := m.Dims()
	a := make([]float64, n)
	m.Forward64(a, x)
	points, features := make([]int64, n), make([]float32, n)
	for j, v := range a {
		v += drift * (2*r.Float64() - 1)
		features[j], points[j] = float32(v), int64(l.Point(v)/l.Delta)
	}
	if l.Ball {
		if _, err := l.Round(points, features); err != nil {
			panic(err)
		}
	}
	return points
}

// No figure of a run under lattice noise is more than its witnesses prove for the integers of
// any device within the allowance, and verify finds the same figures again. A clip of the norm that the front has not done
// itself, for some inputs, proves nothing of them.
func TestLatticeRun(t *testing.T) {
	m, _, _ := small(t)
	_, n := m.Dims()
	latticeRun(t, latticeNoise(t, 1./16, 1, 2, n))
	latticeRun(t, ballNoise(t, 1./16, 1, 3, n))
}

func latticeRun(t *testing.T, l release.Lattice) {
	t.Helper()
	m, data, e := small(t)
	e.Noise, e.Queries = l, 3
	e.Far, e.Barankin = FarOptions{Starts: 2, Domain: box(data)}, BarankinOptions{Witnesses: 6}
	e.Pairs = PairOptions{Witnesses: 2, Domain: box(data)}
	e.Runtime = Runtime{Error: .004, From: RuntimeGiven}
	res := mustRun(t, m, data, upTo(12), e)
	if found := verified(t, m, data, res, res.claims()); len(found) != 0 {
		t.Errorf("verify: %v", found)
	}
	if res.CramerRao != nil {
		t.Error("there are Cramér-Rao figures of features that jump")
	}
	f, p := open(t, res.Path), 24
	r, w, flips := rand.New(rand.NewPCG(1, 9)), res.Experiment.Coordinates, 0
	for _, kind := range res.Kinds {
		name := kind.name
		eps, shape := must.Get2(f.Float32s(name + "_eps"))(t)
		each := shape[1]
		ds := divergences(t, m, res, kind)
		var std, share []float64
		if name != "pair" {
			std = array(t, f, name+"_std")
		}
		if name != "barankin" {
			share = array(t, f, strings.TrimPrefix(name+"_", "pair_")+"pair_share")
		}
		for i := range 12 {
			most := make([]float64, w.Len()) // the best bound of one witness
			for k := range each {
				at := i*each + k
				x, there, own := make([]float64, p), make([]float64, p), eps[at*p:(at+1)*p]
				for j := range x {
					x[j] = float64(data.X[i*p+j])
					there[j] = x[j] + float64(own[j])
				}
				a, b := device(m, l, x, .004, r), device(m, l, there, .004, r)
				square := 0.
				for j := range a {
					square += float64(b[j]-a[j]) * float64(b[j]-a[j])
				}
				z := math.Sqrt(square) * l.Delta
				d := ds[at]
				if z > (d.ZNorm+d.Allowance)*(1+1e-12) {
					t.Fatalf("%s, witness %d of example %d: the device moves by %v, the certificate says %v ± %v", name, k, i, z, d.ZNorm, d.Allowance)
				}
				if whole := d.ZNorm * d.ZNorm / l.Delta / l.Delta; math.Abs(whole-math.Round(whole)) > 1e-6 {
					t.Fatalf("%s: ‖z‖²/Δ² = %v is not a whole number", name, whole)
				}
				if z != d.ZNorm {
					flips++
				}
				if share != nil {
					if h := release.GaussianPairShare(z * math.Sqrt(3)); share[at] > h*(1+1e-12) {
						t.Errorf("%s, witness %d of example %d: h = %v, want at most %v", name, k, i, share[at], h)
					}
				}
				g := make([]float64, w.Len())
				w.Apply(g, nn.Float64s(own))
				for c, v := range g {
					most[c] = max(most[c], math.Abs(v)/math.Sqrt(math.Expm1(3*z*z)))
				}
			}
			for c := range most {
				if std != nil && name != "barankin" && std[i*w.Len()+c] > most[c]*(1+1e-9) {
					t.Errorf("%s, example %d, coordinate %d: bound %v, but %v for the device's integers", name, i, c, std[i*w.Len()+c], most[c])
				}
			}
		}
	}
	if flips == 0 {
		t.Error("no device has rounded otherwise than the certificate: the test is empty")
	}
}

// A feature that its error may take out of the ball can be any point of the ball. Another has its own error.
func TestLatticeAtTheEdgeOfTheBall(t *testing.T) {
	l := ballNoise(t, .25, 1, 8, 2)
	edge := &Certifier{Net: wide{n: 2}, Noise: l, a: []float64{l.Inside(), 0}, b: make([]float64, 2), illegal: make([]bool, 1)}
	if edge.round(l); !(edge.b[0] > 15) {
		t.Errorf("at the edge itself the error is %v", edge.b[0])
	}
	for b, want := range map[float64]float64{.6: .75, 2.5: 13} {
		for _, a := range []float64{5, -5} {
			c := &Certifier{Net: wide{n: 2}, Noise: l, a: []float64{a, 3}, b: []float64{b, 0}, illegal: make([]bool, 1)}
			c.round(l)
			if c.a[0] != a || c.b[0] != want {
				t.Errorf("%v ± %v becomes %v ± %v, want an error of %v", a, b, c.a[0], c.b[0], want)
			}
		}
	}
}

// Where features are exact and on the lattice already, the certificate is that of Gaussian noise
// of the same σ for the exact change, and of nearly the same pair share.
func TestLatticeIsGaussianOnIntegers(t *testing.T) {
	net := netOf(t, 3, weights(3, 3, 2, 0, 0, 0, 2, 0, 0, 0, 2))
	theta := []float32{1, -2, .5}
	for _, eps := range [][]float32{{.5, 0, 0}, {1, -1, 2}, {4, 0, -3}, {40, 0, 0}} {
		l := latticeNoise(t, .0625, 4, 64, 3)
		got := (&Certifier{Net: net, Noise: l, Queries: 2, Counted: true}).Divergences(t.Context(), theta, eps)[0]
		want := (&Certifier{Net: net, Noise: release.Gaussian{Sigma: 4}, Queries: 2, Counted: true}).Divergences(t.Context(), theta, eps)[0]
		if eps[0] == 40 { // 82 is clipped to 64, so the feature moves by 62
			want = (&Certifier{Net: net, Noise: release.Gaussian{Sigma: 4}, Queries: 2, Counted: true}).Divergences(t.Context(), theta, []float32{31, 0, 0})[0]
		}
		if math.Abs(got.Root-want.Root) > 1e-9*want.Root || got.ZNorm != want.ZNorm {
			t.Errorf("%v: root %v, norm %v; want %v and %v", eps, got.Root, got.ZNorm, want.Root, want.ZNorm)
		}
		if !(got.Share <= want.Share*(1+1e-12)) || want.Share > 1e-3 && got.Share < .99*want.Share {
			t.Errorf("%v: h = %v, for Gaussian noise %v", eps, got.Share, want.Share)
		}
	}
}
