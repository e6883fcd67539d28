package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/combin"
)

// The test refuses a margin just where the interval does not reach it.
func TestPairedTestInvertsPairedDifference(t *testing.T) {
	for _, c := range [][3]int{{1, 0, 44}, {12, 9, 100}, {9, 12, 100}, {300, 20, 1000}, {5, 5, 10}, {10, 0, 10}, {0, 10, 10}, {7, 3, 10}, {4000, 3000, 100000}, {0, 0, 50}} {
		for _, p := range []float64{.0005, .005, .025, .05, .2, .45} {
			low := PairedDifference(c[0], c[1], c[2], 1-2*p).Low
			if low == -1 {
				continue
			}
			// A bisection to neighbouring numbers leaves the score's own rounding.
			if got := PairedTest(c[0], c[1], c[2], low); math.Abs(got-p) > 1e-8*p {
				t.Errorf("%v at the lower end %v of %v: p is %v, not %v", c, low, 1-2*p, got, p)
			}
			if PairedTest(c[0], c[1], c[2], low-1e-6) > p || PairedTest(c[0], c[1], c[2], low+1e-6) < p {
				t.Errorf("%v: p does not rise through %v at %v", c, p, low)
			}
		}
	}
	if got := PairedTest(0, 0, 10, 0); got != .5 {
		t.Errorf("none differs: p is %v", got)
	}
	if got, want := PairedTest(30, 10, 100, 0), upperNormal(20/math.Sqrt(40)); !near(got, want, 1e-12) { // McNemar's without correction
		t.Errorf("beyond 0: p is %v, want %v", got, want)
	}
}

// trinomial calls f with every outcome of n examples, and its probability.
func trinomial(n int, first, second float64, f func(b, c int, p float64)) {
	for b := 0; b <= n; b++ {
		for c := 0; b+c <= n; c++ {
			f(b, c, math.Exp(combin.LogGeneralizedBinomial(float64(n), float64(b))+combin.LogGeneralizedBinomial(float64(n-b), float64(c))+
				float64(b)*math.Log(first)+float64(c)*math.Log(second)+float64(n-b-c)*math.Log(1-first-second)))
		}
	}
}

// The test's level, summed over all outcomes.
func TestPairedTestKeepsItsLevel(t *testing.T) {
	const n = 100
	for _, c := range []struct{ discordant, margin float64 }{{.1, 0}, {.3, 0}, {.1, .02}, {.3, .02}, {.5, .05}, {.3, -.05}} {
		var refused float64
		trinomial(n, (c.discordant+c.margin)/2, (c.discordant-c.margin)/2, func(b, d int, p float64) {
			if PairedTest(b, d, n, c.margin) <= .05 {
				refused += p
			}
		})
		if refused > .065 || refused < .035 {
			t.Errorf("%+v: refused with probability %v, not about .05", c, refused)
		}
	}
}

// At the smallest difference the test refuses with the power that was asked for: the
// probability is simulated with 4,000 samples, of which the standard error is .0047,
// and the approximation may be off by .02.
func TestSmallestDifferenceIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, c := range []struct {
		n                     int
		discordant, margin, p float64
	}{{500, .3, .02, .05}, {2000, .5, .02, .05}, {2000, .1, .02, .01}, {500, 0, .02, .05}} {
		d := SmallestDifference(c.margin, func(d float64) bool { return PairedPower(c.n, c.discordant, d, c.margin, c.p) >= .9 })
		psi, found := max(c.discordant, d), 0
		const samples = 4000
		for range samples {
			b, s := 0, 0
			for range c.n {
				switch u := r.Float64(); {
				case u < (psi+d)/2:
					b++
				case u < psi:
					s++
				}
			}
			if PairedTest(b, s, c.n, c.margin) <= c.p {
				found++
			}
		}
		if got := float64(found) / samples; math.Abs(got-.9) > .0047*4.5+.02 {
			t.Errorf("%+v: a difference of %v is found with probability %v", c, d, got)
		}
	}
	if d := SmallestDifference(.02, func(d float64) bool { return PairedPower(3, .5, d, .02, .001) >= .9 }); d != 1 {
		t.Errorf("three examples find %v", d)
	}
}

// Closed forms of 1 and 2 degrees of freedom, and the .95 quantile of 4 that tables print.
func TestStudent(t *testing.T) {
	for _, c := range []struct{ t, df, want float64 }{{0, 4, .5}, {1, 1, .25}, {math.Sqrt2, 2, .5 * (1 - math.Sqrt2/2)}, {-1, 1, .75}} {
		if got := StudentUpper(c.t, c.df); !near(got, c.want, 1e-12) {
			t.Errorf("beyond %v with %v degrees: %v, want %v", c.t, c.df, got, c.want)
		}
	}
	for _, df := range []float64{1, 2, 4, 30, 1000} {
		for _, p := range []float64{1e-9, .01, .3, .5, .9, .95, .999} {
			if got := StudentUpper(-StudentQuantile(p, df), df); !near(got, p, 1e-9) {
				t.Errorf("quantile at %v with %v degrees: back at %v", p, df, got)
			}
		}
	}
	if got := StudentQuantile(.95, 4); !near(got, 2.131846786326649, 1e-9) {
		t.Errorf("t at .95 of 4 degrees is %v", got)
	}
}

// One more of the same kind is refused with probability α: of 20,000 within 4.5
// standard deviations (7e-6, both sides).
func TestOneMoreIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	const n = 20000
	below := [2]int{}
	for range n {
		others := make([]float64, 5)
		for i := range others {
			others[i] = 3 + 2*r.NormFloat64()
		}
		_, p := OneMore(3+2*r.NormFloat64(), others, 0)
		for k, a := range []float64{.05, .5} {
			if p <= a {
				below[k]++
			}
		}
	}
	for k, a := range []float64{.05, .5} {
		if math.Abs(float64(below[k])-n*a) > 4.5*math.Sqrt(n*a*(1-a)) {
			t.Errorf("%d of %d are at most %v", below[k], n, a)
		}
	}
	for _, c := range []struct {
		x      float64
		others []float64
		extra  float64
		want   float64 // of Student's t with 1 degree of freedom, 1 is exceeded with probability ¼
	}{
		{1, []float64{1}, 0, 1}, {1, nil, 0, 1}, {2, []float64{1, 1}, 0, 0}, {0, []float64{1, 1}, 0, 1}, {1, []float64{1, 1}, 0, .5},
		{1 + math.Sqrt(3), []float64{0, 2}, 0, .25}, {4, []float64{0, 2}, 6, .25},
	} {
		if _, p := OneMore(c.x, c.others, c.extra); math.Abs(p-c.want) > 1e-12 {
			t.Errorf("%v beside %v, variance %v: p is %v, want %v", c.x, c.others, c.extra, p, c.want)
		}
	}
	if StudentAbove(1, 0, 3) != 0 || StudentAbove(0, 0, 3) != 1 {
		t.Error("a difference without a standard error is above 0 or not")
	}
	got := MeanTest([]float64{0, 4}, 0, .75)
	for i, d := range []float64{got.Mean - 2, got.StandardError - 2, got.Low, got.High - 4, got.P - .25} {
		if math.Abs(d) > 1e-9 {
			t.Errorf("number %d of %+v is %v off", i, got, d)
		}
	}
}
