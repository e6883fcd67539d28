package release

import (
	"math"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// density is noise with a density.
type density interface {
	Noise
	LogDensity(z []float64) float64
}

// densities is noise of every family with a density, of standard deviation 1 on one feature.
func densities(t *testing.T) map[string]density {
	t.Helper()
	out := map[string]density{}
	for _, spec := range Families {
		if z, err := ParseNoise(spec, 1, 1); err == nil {
			if d, ok := z.(density); ok {
				out[spec] = d
			}
		}
	}
	z := must.Get(NewTable([]float64{-3, -1, 0, 2, 4}, []float64{.1, .5, 1, .4, .05}, 1))(t)
	out["table"] = z
	return out
}

// slowShare is h by a fine sum, of noise on one feature.
func slowShare(noise density, z float64) float64 {
	const step = 1e-3
	var total, h float64
	for y := -60.; y < 60; y += step {
		f0, f1 := math.Exp(noise.LogDensity([]float64{y})), math.Exp(noise.LogDensity([]float64{y - z}))
		total += f0 * step
		if f0+f1 > 0 {
			h += f0 * f1 / (f0 + f1) * step / 2
		}
	}
	return h / total
}

func TestPairShare(t *testing.T) {
	shared.Long(t, "integrates shares of pairs")
	for name, noise := range densities(t) {
		for _, d := range []float64{0, 1e-6, .1, .5, 1, 2, 4, 8} {
			got, want := PairShare(noise, []float64{d}, []float64{0}, 1), slowShare(noise, d)
			if got > want*(1+1e-6) || got < 0 {
				t.Errorf("%s: h(%v) ≥ %v, and it is %v", name, d, got, want)
			}
			least := .7 // of the truth, for small changes
			if name == "gaussian" {
				least = 1 - 1e-6
			}
			if d <= .5 && got < least*want {
				t.Errorf("%s: h(%v) ≥ %v is weak, it is %v", name, d, got, want)
			}
			if wider := PairShare(noise, []float64{d}, []float64{.1}, 1); wider > got {
				t.Errorf("%s: allowing for an error raises h(%v) from %v to %v", name, d, got, wider)
			}
		}
	}
}

// The figures of √h in MATH are .5, .446, .335, .131 at 0, 1, 2, 4; far apart h stays between
// ½Φ(−d/2) and Φ(−d/2).
func TestGaussianShare(t *testing.T) {
	for d, want := range map[float64]float64{0: .5, 1: .446, 2: .335, 4: .131} {
		if got := math.Sqrt(GaussianPairShare(d)); math.Abs(got-want) > 6e-4 {
			t.Errorf("√h(%v) = %v, want %v", d, got, want)
		}
	}
	last := .25
	for d := 0.; d < 80; d += .25 {
		h, tail := GaussianPairShare(d), math.Erfc(d/2/math.Sqrt2)/2
		if four := PairShare(Gaussian{1}, []float64{d}, []float64{0}, 4); math.Abs(four-GaussianPairShare(2*d)) > 1e-9*four {
			t.Errorf("h of four releases at %v is %v", d, four)
		}
		if h > last || h > tail || h < tail/2*(1-1e-9) || math.IsNaN(h) {
			t.Errorf("h(%v) = %v after %v, Φ(−d/2) = %v", d, h, last, tail)
		}
		last = h
	}
	// The trapezoidal sum of steps of 1/100 errs by less than 1e-15 for d ≤ 30: the integrand is analytic up to π/d.
	for _, d := range []float64{0, .3, 1, 1.3, 2, 5, 8, 20, 30} {
		mean := 0.
		for k := -1200; k <= 1200; k++ {
			x := float64(k) / 100
			mean += math.Exp(-x*x/2) / math.Cosh(d*x/2) / 100 / math.Sqrt(2*math.Pi)
		}
		want := math.Exp(-d*d/8) / 4 * mean
		if h := GaussianPairShare(d); !(h <= want*(1-1e-13) && h >= want*(1-1e-11)) {
			t.Errorf("h(%v) = %v, want %v", d, h, want)
		}
		if h, wider := PairShare(Gaussian{2}, []float64{-2 * d}, []float64{.2}, 1), GaussianPairShare(d+.1); math.Abs(h-wider) > 1e-9*wider {
			t.Errorf("h within .1 of %v is %v, want %v", -d, h, wider)
		}
	}
	if h := GaussianPairShare(math.Inf(1)); h != 0 {
		t.Errorf("h(∞) = %v", h)
	}
}
