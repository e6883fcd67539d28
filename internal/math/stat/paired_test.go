package stat

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/combin"
)

// The reference is scipy 1.10: binomtest(b, b+c, .5, alternative="greater").
func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		first, second int
		want          float64
	}{{0, 0, 1}, {0, 7, 1}, {1, 0, .5}, {10, 3, 0.046142578125}, {3, 10, 0.98876953125}, {300, 200, 4.470033271126644e-06}} {
		if got := McNemar(c.first, c.second); !near(got, c.want, 1e-12) {
			t.Errorf("%d and %d: %v, want %v", c.first, c.second, got, c.want)
		}
	}
	for n := 1; n <= 60; n++ {
		var tail float64
		for k := n; k >= 0; k-- {
			tail += combin.GeneralizedBinomial(float64(n), float64(k)) * math.Pow(.5, float64(n))
			if got := McNemar(k, n-k); !near(got, tail, 1e-10) {
				t.Errorf("%d and %d: %v, want %v", k, n-k, got, tail)
			}
		}
	}
	if got := McNemar(3000, 1000); !(got > 0 && got < 1e-200) {
		t.Errorf("far out: %v", got)
	}
}

// slowAlone maximises the likelihood of q, in which it is concave.
func slowAlone(first, second, n int, d float64) float64 {
	f, s, rest := float64(first), float64(second), float64(n-first-second)
	likelihood := func(q float64) float64 {
		l := 0.0
		for _, term := range [][2]float64{{f, q + d}, {s, q}, {rest, 1 - 2*q - d}} {
			if term[0] > 0 {
				l += term[0] * math.Log(term[1])
			}
		}
		return l
	}
	low, high := max(0, -d), (1-d)/2
	for range 200 {
		a, b := low+(high-low)/3, high-(high-low)/3
		if likelihood(a) < likelihood(b) {
			low = a
		} else {
			high = b
		}
	}
	return (low + high) / 2
}

func TestPairedDifferenceSolvesItsEquation(t *testing.T) {
	z := 1.959963984540054
	for _, c := range [][3]int{{0, 0, 10}, {1, 0, 44}, {12, 9, 100}, {9, 12, 100}, {300, 20, 1000}, {5, 5, 10}, {10, 0, 10}, {7, 3, 10}} {
		in := PairedDifference(c[0], c[1], c[2], .95)
		n, difference := float64(c[2]), float64(c[0]-c[1])
		for _, d := range []float64{in.Low, in.High} {
			if d == 1 || d == -1 {
				continue
			}
			q := slowAlone(c[0], c[1], c[2], d)
			score := (difference - n*d) / math.Sqrt(n*(2*q+d*(1-d)))
			if math.Abs(math.Abs(score)-z) > 1e-5 {
				t.Errorf("%v: at %v the score is %v", c, d, score)
			}
		}
		if e := difference / n; !(in.Low <= e && e <= in.High) {
			t.Errorf("%v: %v does not hold %v", c, in, e)
		}
		if back := PairedDifference(c[1], c[0], c[2], .95); back.Low != -in.High || back.High != -in.Low {
			t.Errorf("%v: %v, turned round %v", c, in, back)
		}
	}
	// Without any example that differs, nΔ = z·√(n·Δ(1−Δ)).
	if in := PairedDifference(0, 0, 50, .95); !near(in.High, z*z/(50+z*z), 1e-12) {
		t.Errorf("none of 50: %v", in)
	}
}

// Coverage is summed over all outcomes, without simulation.
func TestPairedDifferenceCovers(t *testing.T) {
	const n = 30
	intervals := map[[2]int]Interval{}
	for b := 0; b <= n; b++ {
		for c := 0; b+c <= n; c++ {
			intervals[[2]int{b, c}] = PairedDifference(b, c, n, .95)
		}
	}
	var mean float64
	cases := [][2]float64{{.02, .02}, {.1, .1}, {.1, .05}, {.3, .1}, {.3, .3}, {.5, .02}, {.6, .3}}
	for _, p := range cases {
		var covered float64
		for b := 0; b <= n; b++ {
			for c := 0; b+c <= n; c++ {
				if in := intervals[[2]int{b, c}]; in.Low <= p[0]-p[1] && p[0]-p[1] <= in.High {
					covered += math.Exp(combin.LogGeneralizedBinomial(n, float64(b)) + combin.LogGeneralizedBinomial(float64(n-b), float64(c)) +
						float64(b)*math.Log(p[0]) + float64(c)*math.Log(p[1]) + float64(n-b-c)*math.Log(1-p[0]-p[1]))
				}
			}
		}
		mean += covered / float64(len(cases))
		if covered < .92 {
			t.Errorf("%v: covered with %v", p, covered)
		}
	}
	if math.Abs(mean-.95) > .02 {
		t.Errorf("covered with %v on average, not about .95", mean)
	}
}

func TestHolm(t *testing.T) {
	// Holm's step down: .01·4, .02·3, .03·2 raised to what came before, .5·1.
	got := Holm([]float64{.02, .5, .01, .03})
	for i, want := range []float64{.06, .5, .04, .06} {
		if !near(got[i], want, 1e-15) {
			t.Errorf("%v: value %d, want %v", got, i, want)
		}
	}
	if got := Holm([]float64{.9, .8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("large ones: %v", got)
	}
	if got := Holm(nil); len(got) != 0 {
		t.Errorf("of none: %v", got)
	}
}
