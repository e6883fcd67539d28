package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/combin"

	"tattle/internal/must"
)

func near(got, want, tol float64) bool {
	return got == want || math.Abs(got-want) <= tol*math.Abs(want)
}

var inf = math.Inf(1)

// The reference is numpy.quantile 1.24.
func TestQuantile(t *testing.T) {
	x := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}
	before := slices.Clone(x)
	got := Quantiles(x, 0, .05, .25, .5, .75, .95, 1)
	if want := []float64{1, 1, 2.5, 4, 5, 7.5, 9}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Quantile(x, .333); !near(got, 3, 1e-15) {
		t.Errorf("%v, want 3", got)
	}
	if low, high := Quantile([]float64{1, 3}, .25), Quantile([]float64{1, 3}, .75); low != 1.5 || high != 2.5 {
		t.Errorf("%v and %v, want 1.5 and 2.5", low, high)
	}
	for _, mean := range []float64{-.1, 1.1, math.NaN()} {
		must.Panic(t, func() { ChernoffLow(mean, 10, .1) })
		must.Panic(t, func() { StudentQuantile(mean, 3) })
	}
	if !slices.Equal(x, before) {
		t.Error("x was changed")
	}
	if got := Quantile([]float64{7}, .3); got != 7 {
		t.Errorf("of one value: %v", got)
	}
}

// TestQuantilesAgainstSorted compares with a whole sort: few and many equal values, infinities, and an
// order that is bad for the pivots.
func TestQuantilesAgainstSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draws := []func(i int) float64{
		func(int) float64 { return r.NormFloat64() },
		func(int) float64 { return float64(r.IntN(3)) },
		func(i int) float64 { return float64(i) },
		func(i int) float64 { return math.Abs(float64(i%400) - 200) },
		func(int) float64 { return []float64{math.Inf(1), math.Inf(-1), 0, 1}[r.IntN(4)] },
	}
	ps := []float64{.95, 0, .5, .05, 1, .5, .333}
	for _, n := range []int{1, 2, 63, 64, 65, 1000, 4097} {
		for d, draw := range draws {
			x := make([]float64, n)
			for i := range x {
				x[i] = draw(i)
			}
			sorted := slices.Sorted(slices.Values(x))
			before := slices.Clone(x)
			got := Quantiles(x, ps...)
			if !slices.Equal(x, before) {
				t.Fatal("the sample was changed")
			}
			for i, p := range ps {
				at := p * float64(n-1)
				below := int(at)
				if want := between(sorted[below], sorted[min(below+1, n-1)], at-float64(below)); got[i] != want && !(math.IsNaN(got[i]) && math.IsNaN(want)) {
					t.Errorf("%d values of kind %d: the quantile at %v is %v, want %v", n, d, p, got[i], want)
				}
			}
		}
	}
}

func TestQuantileOfInfinities(t *testing.T) {
	x := []float64{inf, .7, .2, .1, inf}
	for p, want := range map[float64]float64{0: .1, .25: .2, .5: .7, .6: inf, .7: inf, .75: inf, .9: inf, 1: inf} {
		if got := Quantile(x, p); got != want {
			t.Errorf("at %v: %v, want %v", p, got, want)
		}
	}
	for _, p := range []float64{.2, .5, .8} {
		if got := Quantile([]float64{-inf, 1}, p); got != -inf {
			t.Errorf("at %v: %v, want -Inf", p, got)
		}
		if got := Quantile([]float64{1, inf}, p); got != inf {
			t.Errorf("at %v: %v, want Inf", p, got)
		}
	}
	if got := Quantile([]float64{1, math.NaN(), 2}, 1); !math.IsNaN(got) {
		t.Errorf("with a NaN: %v", got)
	}
}

func TestHistogram(t *testing.T) {
	h := NewHistogram([]float64{0, 1, 2})
	h.Add(0, .5, 1, 1.5, 2, 2.5, -1, 3, inf, -inf, math.NaN(), math.Nextafter(1, 0))
	if !slices.Equal(h.Counts, []int{3, 3}) || h.Below != 2 || h.Above != 3 || h.NaN != 1 {
		t.Errorf("%+v", h)
	}
	if h.Counts[1]++; h.Mode() != 1.5 {
		t.Errorf("mode %v", h.Mode())
	}
	if got := Edges(-1, 1, 4); !slices.Equal(got, []float64{-1, -.5, 0, .5, 1}) {
		t.Errorf("edges %v", got)
	}
	if e := Edges(0, .7, 7); e[7] != .7 {
		t.Errorf("last edge %v", e[7])
	}
}

func TestMoments(t *testing.T) {
	if got := RMS([]float32{3, -4}); got != math.Sqrt(12.5) {
		t.Errorf("RMS %v", got)
	}
	if got := RMS([]float64(nil)); got != 0 {
		t.Errorf("RMS of nothing %v", got)
	}
	mean, std := MeanStd([]float64{1, 2, 4, 8})
	if mean != 3.75 || !near(std, 3.095695936834452, 1e-15) {
		t.Errorf("%v ± %v", mean, std)
	}
	// A large mean must not drown the deviation.
	if _, std := MeanStd([]float64{1e9 + 1, 1e9 + 2, 1e9 + 4, 1e9 + 8}); !near(std, 3.095695936834452, 1e-9) {
		t.Errorf("std %v beside a large mean", std)
	}
}

// The reference is scipy 1.10: beta.ppf, and binomtest(k, n).proportion_ci.
func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		k, n       int
		confidence float64
		exact      Interval
	}{
		{0, 10, .95, Interval{0, 0.3084971078187608}},
		{5, 10, .95, Interval{0.18708602844739855, 0.8129139715526015}},
		{10, 10, .95, Interval{0.6915028921812392, 1}},
		{1, 3, .9, Interval{0.016952427508441496, 0.8646496378284161}},
		{9756, 10000, .95, Interval{0.9723839123930427, 0.978534838466118}},
		{9494, 10000, .99, Interval{0.9434868191692269, 0.9548805475194995}},
		{1, 1000000, .95, Interval{2.53178076637942e-08, 5.571630655166939e-06}},
		{999, 1000, .999, Interval{0.9900461856590492, 0.9999994998750834}},
		{949400, 1000000, .95, Interval{0.9489686127749378, 0.949828781810561}},
	} {
		got := ClopperPearson(c.k, c.n, c.confidence)
		if !near(got.Low, c.exact.Low, 1e-9) || !near(got.High, c.exact.High, 1e-9) {
			t.Errorf("%d of %d at %v: %v, want %v", c.k, c.n, c.confidence, got, c.exact)
		}
	}
}

// coverage returns the probability that the interval covers p, there being one
// for each outcome 0 … n.
func coverage(intervals []Interval, p float64) float64 {
	var sum float64
	n := len(intervals) - 1
	for k, in := range intervals {
		if in.Low <= p && p <= in.High {
			logp := combin.LogGeneralizedBinomial(float64(n), float64(k)) +
				float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p)
			sum += math.Exp(logp)
		}
	}
	return sum
}

func TestCoverageByEnumeration(t *testing.T) {
	for _, n := range []int{1, 2, 5, 20, 61} {
		for _, confidence := range []float64{.8, .95} {
			exact := make([]Interval, n+1) // of every outcome
			for k := range exact {
				exact[k] = ClopperPearson(k, n, confidence)
			}
			const points = 399
			for i := range points {
				p := float64(i+1) / (points + 1)
				if c := coverage(exact, p); c < confidence-1e-9 {
					t.Errorf("Clopper-Pearson at n = %d, p = %v covers with %v, not %v", n, p, c, confidence)
				}
			}
		}
	}
}

func TestPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"no values":     func() { Quantile(nil, .5) },
		"beyond 1":      func() { Quantile([]float64{1}, 1.1) },
		"NaN quantile":  func() { Quantile([]float64{1}, math.NaN()) },
		"one edge":      func() { NewHistogram([]float64{1}) },
		"descending":    func() { NewHistogram([]float64{1, 0}) },
		"infinite edge": func() { NewHistogram([]float64{0, inf}) },
		"no bins":       func() { Edges(0, 1, 0) },
		"more than all": func() { ClopperPearson(4, 3, .95) },
		"none":          func() { ClopperPearson(0, 0, .95) },
		"certain":       func() { ClopperPearson(1, 2, 1) },
	} {
		must.Panic(t, f, name)
	}
}

func ExampleClopperPearson() {
	in := ClopperPearson(9756, 10000, .95)
	fmt.Printf("97.56 %% correct, between %.2f %% and %.2f %%\n", 100*in.Low, 100*in.High)
	// Output: 97.56 % correct, between 97.24 % and 97.85 %
}

// Where nothing was seen the upper end solves (1 − x)ⁿ = (1 − confidence)/2.
func TestIntervalOfNone(t *testing.T) {
	for _, n := range []int{1, 10, 1000, 60000, 1000000, 10000000} {
		for _, confidence := range []float64{.5, .95, .99, 1 - 1e-6, 1 - 1e-12} {
			want := -math.Expm1(math.Log((1-confidence)/2) / float64(n))
			in, mirror := ClopperPearson(0, n, confidence), ClopperPearson(n, n, confidence)
			if in.Low != 0 || !(math.Abs(in.High-want) <= 1e-7*want) {
				t.Errorf("0 of %d at %v: %v, want up to %v", n, confidence, in, want)
			}
			if mirror.High != 1 || !(math.Abs(1-mirror.Low-want) <= 1e-7*want) {
				t.Errorf("%d of %d at %v: %v, want from 1 − %v", n, n, confidence, mirror, want)
			}
		}
	}
}

// Outliers are numbers beyond three interquartile ranges of the quartiles, if they hold most of the squared distances.
func TestOutliers(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 1e300, -9999}
	if low, high, out := Outliers(x, nil); low != 2.25-3*4.5 || high != 6.75+3*4.5 || len(out) != 2 {
		t.Errorf("fences %v and %v, beyond them %v", low, high, out)
	}
	for _, none := range [][]float64{nil, append(slices.Repeat([]float64{1, 2, 3, 4, 5, 6, 7}, 20), 19), {0, 0, 0, 0, 0, 1e9}} {
		if _, _, out := Outliers(none, nil); out != nil {
			t.Errorf("%v: beyond the fences are %v", none, out)
		}
	}
}
