package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// Of n equal values v the capital is (1 − b + b·v/m)ⁿ, b = mostBet, which reaches
// 1/alpha at m = v·b/(alpha^(−1/n) − 1 + b). With a variance that is guessed as large as ¼, it is (1 + λ(v − m))ⁿ.
func TestBoundedMeanLowOfEqualValues(t *testing.T) {
	for _, v := range []float64{0, 1e-3, .4, 1} {
		x := make([]float64, 200)
		for i := range x {
			x[i] = v
		}
		want := v * mostBet / (math.Pow(1e-6, -1./200) - 1 + mostBet)
		if got := BoundedMeanLow(x, 0, 1e-6); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: limit %v, want %v", v, got, want)
		}
		want = max(0, v-(math.Pow(1e-6, -1./200)-1)/math.Sqrt(2*math.Log(1e6)/(200*.25)))
		if got := BoundedMeanLow(x, .25, 1e-6); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v, variance guessed as ¼: limit %v, want %v", v, got, want)
		}
	}
}

// The limit is above the mean with a probability of at most alpha = .05, whatever is
// guessed of the variance and however skewed the values are: of 400 trials that are at
// most 20 on average, and 48 or more with a probability below 1e-7 (binomial). Where the
// guess is right the limit is near the mean: a normal limit would be 1.64 standard errors
// below, and this one is within 5 on average.
func TestBoundedMeanLowCovers(t *testing.T) {
	shared.Long(t, "coverage of limits on means")
	const n, trials, alpha = 150, 400, .05
	r := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		draw     func() float64
		mean, sd float64
	}{
		"rarely zero": {func() float64 {
			if r.Float64() < .03 {
				return 0
			}
			return .9
		}, .97 * .9, .9 * math.Sqrt(.97*.03)},
		"rarely one": {func() float64 {
			if r.Float64() < .03 {
				return 1
			}
			return 0
		}, .03, math.Sqrt(.97 * .03)},
		"uniform": {r.Float64, .5, math.Sqrt(1. / 12)},
	} {
		for _, guess := range []float64{c.sd * c.sd, 1e-9, 10} {
			above, sum := 0, 0.
			for range trials {
				x := make([]float64, n)
				for i := range x {
					x[i] = c.draw()
				}
				low := BoundedMeanLow(x, guess, alpha)
				sum += low / trials
				if low > c.mean {
					above++
				}
			}
			if above >= 48 {
				t.Errorf("%s, variance guessed as %g: the limit is above the mean in %d of %d trials", name, guess, above, trials)
			}
			if guess == c.sd*c.sd && sum < c.mean-5*c.sd/math.Sqrt(n) {
				t.Errorf("%s: the limit is %.3f on average, the mean %.3f", name, sum, c.mean)
			}
		}
	}
}

// With c = ln(1/alpha)/n, kl(1, r) = −ln r = c at r = exp(−c), and kl(½, r) = −½·ln(4r(1−r)) = c at 2r = 1 − √(1−exp(−2c)).
func TestChernoffLow(t *testing.T) {
	c := math.Log(1000.) / 50
	for mean, want := range map[float64]float64{0: 0, 1: math.Exp(-c), .5: .5 - .5*math.Sqrt(1-math.Exp(-2*c))} {
		if got := ChernoffLow(mean, 50, 1e-3); math.Abs(got-want) > 1e-12 {
			t.Errorf("mean %v: limit %v, want %v", mean, got, want)
		}
	}
}

func TestBoundedMeanLowPanics(t *testing.T) {
	for _, x := range [][]float64{nil, {.5, 1.1}, {-.1}, {math.NaN()}} {
		must.Panic(t, func() { BoundedMeanLow(x, 1, .5) }, x)
	}
}
