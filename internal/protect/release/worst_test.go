package release

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/lattice"
)

// TestWorst compares the limits with figures of MATH, and with adversaries who run.
func TestWorst(t *testing.T) {
	near := func(what string, got, want, relative float64) {
		t.Helper()
		if math.Abs(got-want) > relative*want {
			t.Errorf("%s = %v, expected %v", what, got, want)
		}
	}
	w, ok := WorstOf(Gaussian{1}, 1.82, 1)
	if !ok {
		t.Fatal("no limits")
	}
	near("success among 60,000", w.Success(1./60000), .01, .02)
	near("people above 10 %", w.Exposed(.1), 1038, .002)
	near("an even attribute", w.Success(.5), .5*math.Erfc(-1.82/math.Sqrt2), 1e-8)
	near("ρ", w.ZCDP(), 2*1.82*1.82, 1e-12)
	near("limit of what it leaves", w.Success(w.Without(.3)), .3, 1e-7)
	near("radius", RadiusFor(1./60000, .01), 1.82, .01)
	// The Gaussian mechanism of μ = 1 is (ε, δ) private with δ = Φ(1/2 − ε) − exp(ε)Φ(−1/2 − ε): ε = 4.3772 at 1e-5 by bisection
	// of that in 40 digits.
	half, _ := WorstOf(Gaussian{2}, 1, 1)
	near("ε", half.Epsilon(1e-5), 4.3772, 1e-4)
	big, _ := WorstOf(Gaussian{1}, 100, 1)
	near("ε of μ = 200", big.Epsilon(1e-5), 200*200/2+200*4.2649, 1e-3) // Φ(μ/2 − ε/μ) alone is 1e-5 at Φ⁻¹(1e-5) = −4.2649
	if w.Success(0) != 0 || w.Success(1) != 1 || !math.IsInf(w.Epsilon(0), 1) {
		t.Errorf("at the ends: %v, %v, ε = %v", w.Success(0), w.Success(1), w.Epsilon(0))
	}
	four, _ := WorstOf(Gaussian{2}, 1.82, 4)
	near("four releases", four.R, w.R, 1e-12)

	l := must.Get(NewLattice(lattice.Lattice{Delta: 1. / 64, Sigma: 1, Clip: 1.82, Ball: true, Dim: 5}))(t)
	on, ok := WorstOf(l, 3, 1) // its own clip counts
	if !ok || on.R < w.R || on.R > w.R*1.0004 || on.Success(1./60000) < w.Success(1./60000) {
		t.Errorf("on the lattice r = %v, %v, expected a little more than %v", on.R, ok, w.R)
	}
	for _, bad := range []Noise{None{}, Lattice{Lattice: lattice.Lattice{Delta: 1, Sigma: 64, Clip: 64, Dim: 5}}, Lattice{Lattice: lattice.Lattice{Delta: 1, Sigma: 1.5, Clip: 64, Ball: true, Dim: 5}}} {
		if _, ok := WorstOf(bad, 1, 1); ok {
			t.Errorf("%v has limits", bad)
		}
	}
	if _, ok := WorstOf(Gaussian{1}, 0, 1); ok {
		t.Error("there are limits without a clip")
	}
}

// TestWorstIsRoundedOutward compares limits with the formulas, beyond which they are by less than 1e-7.
func TestWorstIsRoundedOutward(t *testing.T) {
	above := func(what string, got, want float64) {
		t.Helper()
		if !(got >= want && got <= want*(1+1e-7)) {
			t.Errorf("%s = %v, expected at least %v", what, got, want)
		}
	}
	Φ := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, q := range []float64{-6, -3, -1, 0, 1} {
		for _, r := range []float64{.01, 1, 4} {
			for _, t := range []float64{0, .01} {
				w := Worst{R: r, t: t}
				above("success", w.Success(Φ(q)), min(1, Φ(q+r)*(1+t)))
				above("success after what it leaves, below the limit", Φ(q), Φ(normal.Quantile(w.Without(Φ(q)))+r)*(1+t))
			}
			if got := RadiusFor(Φ(q), Φ(q+r)); !(got > r-1e-4 && got < r) {
				t.Errorf("radius %v, expected a little less than %v", got, r)
			}
		}
	}
	for _, share := range []float64{.3, .26, .07} { // fewer than 1/share people can have Q > share
		if got, want := (Worst{R: 1}).Exposed(Φ(normal.Quantile(share)+1)), math.Floor(1/share); got != want {
			t.Errorf("%v people are exposed, expected %v", got, want)
		}
	}
	if got := (Worst{R: 1}).Without(1); got != 1 {
		t.Errorf("before certain success, guessing reaches %v", got)
	}
	if got := RadiusFor(.5, .2); got != 0 {
		t.Errorf("radius %v for less than guessing reaches", got)
	}
	for clip := .1; clip < 10; clip *= 1.3 {
		for _, sigma := range []float64{.7, 3} {
			w, _ := WorstOf(Gaussian{sigma}, clip, 3)
			r := div(exact(clip), exact(sigma))
			square, rho := mul(exact(3), r, r), 2*3*clip*clip/sigma/sigma
			if mul(exact(w.R), exact(w.R)).Cmp(square) < 0 || mul(exact(2), square).Cmp(exact(w.ZCDP())) > 0 || w.ZCDP() > rho*(1+1e-13) {
				t.Errorf("r = %v and ρ = %v, less than %v or more than exact", w.R, w.ZCDP(), rho)
			}
		}
	}
	// δ of an ε, in which Φ(−x) = φ(x)·(1/x − 1/x³ + 3/x⁵ − 15/x⁷ + …) where exp(ε) overflows.
	for _, μ := range []float64{.3, 2.3, 20, 26.5, 200} {
		for _, δ := range []float64{1e-3, 1e-9} {
			w := Worst{R: μ / 2}
			ε := w.Epsilon(δ)
			delta := func(ε float64) float64 {
				a, x := μ/2-ε/μ, μ/2+ε/μ
				second := math.Exp(ε) * Φ(-x)
				if x > 25 {
					second = normal.Prob(a) * (1 - (1-(3-15/x/x)/x/x)/x/x) / x
				}
				return Φ(a) - second
			}
			if got := delta(ε); !(got <= δ*(1+1e-8)) || !(delta(ε*(1-1e-5)) > δ*(1-1e-5)) {
				t.Errorf("μ = %v: δ = %v at ε = %v, expected at most %v", μ, got, ε, δ)
			}
			if got := (Worst{R: μ / 2, t: .5}).Epsilon(δ); math.Abs(got-ε-2) > 1e-9*got {
				t.Errorf("ε = %v with probabilities of a difference of a half, without %v", got, ε)
			}
		}
	}
}

// TestWorstAdversary has the likeliest of inputs on a sphere named, which comes near the limit and not above. A count of 40,000 is
// within 5σ < .0125 of its mean but for a probability of 6e-7.
func TestWorstAdversary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n     int // inputs ±R along n/2 axes
		sigma float64
		slack float64 // by which the best rule may be below
	}{{2, 1, .0125}, {8, 1.5, .12}, {64, .6, .12}} {
		for _, on := range []bool{false, true} {
			noise := Noise(Gaussian{c.sigma})
			if on {
				noise = must.Get(NewLattice(lattice.Lattice{Delta: 1. / 8, Sigma: c.sigma, Clip: 1, Ball: true, Dim: c.n / 2}))(t)
			}
			w, ok := WorstOf(noise, 1, 1)
			if !ok {
				t.Fatal("no limits")
			}
			hits, draws := 0, 40000
			y := make([]float64, c.n/2)
			for range draws {
				noise.Sample(y, r)
				x := r.IntN(c.n)
				y[x/2] += float64(1 - x%2*2)
				best, at := math.Inf(-1), 0
				for i := range c.n {
					if v := y[i/2] * float64(1-i%2*2); v > best {
						best, at = v, i
					}
				}
				if at == x {
					hits++
				}
			}
			share, limit := float64(hits)/float64(draws), w.Success(1/float64(c.n))
			if share > limit+.0125 || share < limit-c.slack {
				t.Errorf("%d inputs, σ = %v, on a lattice: %v: named in %v of releases, limit %v", c.n, c.sigma, on, share, limit)
			}
		}
	}
}

// TestClipOfManyFeatures adds squares one after the other, as the plainest runtime does: of 100,000 equal features, 0.1 % are lost,
// and the norm is below that of the clip nevertheless.
func TestClipOfManyFeatures(t *testing.T) {
	const n = 100352
	g := &nn.Graph{Input: "x", InputShape: []int{n}, Output: "y", Nodes: []*nn.Node{{Name: "y", Op: &nn.Identity{}, Inputs: []string{"x"}, Output: "y"}}}
	front, _ := must.Get2((Spec{ClipNorm: 1}).clip(g, g, nil))(t)
	inverse := front.Nodes[3].Op.(*nn.Binary).Constant.Data[0]
	for _, x := range []float32{1, 1.3, 1 + 0x1p-10 + 0x1p-23, 1.4999999} {
		square := float32(0)
		for range n {
			square += float32(x * x)
		}
		y := float64(x / float32(math.Sqrt(float64(max(1, square*inverse)))))
		if norm := y * math.Sqrt(n); !(norm <= 1 && norm > .99) {
			t.Errorf("features %v: norm %v", x, norm)
		}
	}
}
