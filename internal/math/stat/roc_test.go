package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"tattle/internal/must"
)

// slowArea compares every pair, and takes the variance of each example's placement.
func slowArea(score []float64, positive []bool) (area, deviation float64) {
	var pos, neg []float64
	for i, s := range score {
		if positive[i] {
			pos = append(pos, s)
		} else {
			neg = append(neg, s)
		}
	}
	ofPos, ofNeg := make([]float64, len(pos)), make([]float64, len(neg))
	for i, a := range pos {
		for j, b := range neg {
			order := .5
			if a != b {
				order = 0
				if a > b {
					order = 1
				}
			}
			ofPos[i] += order / float64(len(neg))
			ofNeg[j] += order / float64(len(pos))
		}
	}
	area, p := MeanStd(ofPos)
	_, q := MeanStd(ofNeg)
	return area, math.Sqrt(p*p/float64(len(pos)) + q*q/float64(len(neg)))
}

func polylineArea(p []Point) float64 {
	var a float64
	for i := 1; i < len(p); i++ {
		a += (p[i].False - p[i-1].False) * (p[i].True + p[i-1].True) / 2
	}
	return a
}

// binormal draws scores whose area is Φ(shift/√2), rounded down to a grid, if one
// is given, so that there are ties.
func binormal(rng *rand.Rand, n int, prevalence, shift, grid float64) (score []float64, positive []bool) {
	for i := range n {
		yes := float64(i) < prevalence*float64(n)
		s := rng.NormFloat64()
		if yes {
			s += shift
		}
		if grid > 0 {
			s = math.Floor(s/grid) * grid
		}
		score, positive = append(score, s), append(positive, yes)
	}
	return score, positive
}

func TestROCAgainstAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, grid := range []float64{0, .5, 2} {
		for range 20 {
			score, positive := binormal(rng, 60, .3, 1, grid)
			r := NewROC(score, positive, .95)
			area, deviation := slowArea(score, positive)
			whole, _ := NewStratifiedArea(score, positive, upTo(60), 60, [][]int{upTo(60)})
			logit := math.Log(area / (1 - area))
			half := 1.959963984540054 * deviation / (area * (1 - area))
			want := Interval{1 / (1 + math.Exp(half-logit)), 1 / (1 + math.Exp(-half-logit))}
			got := logitInterval(r.Area, whole.StandardError, .95)
			if !near(r.Area, area, 1e-13) || !near(got.Low, want.Low, 1e-12) || !near(got.High, want.High, 1e-12) {
				t.Errorf("grid %v: %v in %v, want %v in %v", grid, r.Area, got, area, want)
			}
			if r.Interval.Low > got.Low+1e-12 || r.Interval.High < got.High-1e-12 {
				t.Errorf("grid %v: %v does not hold DeLong's %v", grid, r.Interval, got)
			}
			if got := polylineArea(r.Points); !near(got, area, 1e-13) {
				t.Errorf("grid %v: the curve's area is %v, not %v", grid, got, area)
			}
			if r.Positives != 18 || r.Negatives != 42 {
				t.Errorf("%d and %d examples", r.Positives, r.Negatives)
			}
		}
	}
}

func TestROCCurves(t *testing.T) {
	for name, c := range map[string]struct {
		score    []float64
		positive []bool
		area     float64
		points   []Point
		interval Interval // zero if it is DeLong's, see TestROCAgainstAllPairs
	}{
		"apart":         {[]float64{3, 2, 1, 0}, []bool{true, true, false, false}, 1, []Point{{0, 0}, {0, 1}, {1, 1}}, Interval{math.Sqrt(.025), 1}},
		"turned":        {[]float64{3, 2, 1, 0}, []bool{false, false, true, true}, 0, []Point{{0, 0}, {1, 0}, {1, 1}}, Interval{0, 1 - math.Sqrt(.025)}},
		"all equal":     {[]float64{1, 1, 1, 1}, []bool{false, true, false, true}, .5, []Point{{0, 0}, {1, 1}}, Interval{math.Sqrt(.025) / 2, 1 - math.Sqrt(.025)/2}},
		"infinities":    {[]float64{inf, inf, -inf, -inf}, []bool{true, false, true, false}, .5, []Point{{0, 0}, {1, 1}}, Interval{}},
		"one positive":  {[]float64{1, 2, 0}, []bool{true, false, false}, .5, []Point{{0, 0}, {.5, 0}, {.5, 1}, {1, 1}}, Interval{0, 1}},
		"three in line": {[]float64{2, 2, 1, 1, 0, 0}, []bool{true, false, true, false, false, true}, .5, []Point{{0, 0}, {1, 1}}, Interval{}},
	} {
		r := NewROC(c.score, c.positive, .95)
		if r.Area != c.area || !slices.Equal(r.Points, c.points) {
			t.Errorf("%s: %+v, want %+v", name, r, c)
		}
		if c.interval != (Interval{}) && (!near(r.Interval.Low, c.interval.Low, 1e-12) || !near(r.Interval.High, c.interval.High, 1e-12)) {
			t.Errorf("%s: %v, want %v", name, r.Interval, c.interval)
		}
	}
}

// The score interval's ends solve their equation, and its variance is that of exponential scores.
// The sample variance of 20000 areas of 4 and 7 scores has a relative standard deviation below .02;
// the test allows six times that.
func TestScoreEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, theta := range []float64{.5, .8} {
		areas := make([]float64, 20000)
		for k := range areas {
			score, positive := make([]float64, 11), make([]bool, 11)
			for i := range score {
				score[i], positive[i] = rng.ExpFloat64(), i < 4
				if positive[i] {
					score[i] *= theta / (1 - theta)
				}
			}
			areas[k], _ = slowArea(score, positive)
		}
		mean, std := MeanStd(areas)
		if want := exponentialVariance(theta, 4, 7); math.Abs(std*std/want-1) > .12 || math.Abs(mean-theta) > 6*std/math.Sqrt(20000) {
			t.Errorf("area %v: mean %v, variance %v, want %v", theta, mean, std*std, want)
		}
	}
	for _, area := range []float64{0, .3, .9, 1} {
		for _, end := range []float64{0, 1} {
			at := scoreEnd(area, end, 2, 10, 30)
			v := max(exponentialVariance(at, 10, 30), exponentialVariance(at, 30, 10))
			if off := math.Abs(at - area); at != area && math.Abs(off-2*math.Sqrt(v)) > 1e-9 || at == area && area != end {
				t.Errorf("from %v to %v: %v, where the standard deviation is %v", area, end, at, math.Sqrt(v))
			}
		}
	}
}

// A thinned curve must look like the whole one and have the same area.
func TestThin(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, shift := range []float64{0, .3, 1, 2.5} {
		score, positive := binormal(rng, 20000, .4, shift, 0)
		r := NewROC(score, positive, .95)
		thin := r.Thin(200)
		if len(thin) != 200 || thin[0] != (Point{0, 0}) || thin[199] != (Point{1, 1}) {
			t.Fatalf("%d points from %v to %v", len(thin), thin[0], thin[len(thin)-1])
		}
		if d := polylineArea(thin) - r.Area; math.Abs(d) > 5e-4 {
			t.Errorf("shift %v: the area moves by %v", shift, d)
		}
		k := 0
		for _, p := range r.Points { // both curves rise: the chord over p is between two kept points
			for thin[k+1].False < p.False || thin[k+1].True < p.True {
				k++
			}
			dx, dy := thin[k+1].False-thin[k].False, thin[k+1].True-thin[k].True
			if d := math.Abs(dx*(p.True-thin[k].True)-dy*(p.False-thin[k].False)) / math.Hypot(dx, dy); d > 2e-3 {
				t.Fatalf("shift %v: %v is %v off", shift, p, d)
			}
		}
	}
	if r := NewROC([]float64{2, 1}, []bool{true, false}, .95); len(r.Thin(2)) != 2 || len(r.Thin(200)) != 3 {
		t.Error("a curve of few points is left as it is")
	}
}

// The interval covers the truth as often as one whose coverage is .94 to .98, as
// coverageFloor says.
func TestAreaIntervalCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const samples = 1500
	for _, c := range []struct{ shift, prevalence float64 }{{0, .4}, {1, .4}, {1.8, .4}, {2, .04}, {2, .96}} {
		shift := c.shift
		truth := distuv.UnitNormal.CDF(shift / math.Sqrt2)
		covered := 0
		for range samples {
			score, positive := binormal(rng, 120, c.prevalence, shift, 0)
			if in := NewROC(score, positive, .95).Interval; in.Low <= truth && truth <= in.High {
				covered++
			}
		}
		if floor := coverageFloor(samples, .94); covered < floor {
			t.Errorf("area %.3f is covered %d times of %d, want %d", truth, covered, samples, floor)
		}
		if missed := samples - covered; missed < coverageFloor(samples, .02) {
			t.Errorf("area %.3f is covered %d times of %d: the interval is too long", truth, covered, samples)
		}
	}
}

// coverageFloor returns the number of n trials that trials of probability p or more
// fall below with probability 1e-6 at most, by the exact binomial tail.
func coverageFloor(n int, p float64) int {
	b := distuv.Binomial{N: float64(n), P: p}
	k := int(float64(n) * p)
	for k > 0 && b.CDF(float64(k-1)) > 1e-6 {
		k--
	}
	return k
}

func TestPanicsOfPairsAndTables(t *testing.T) {
	for name, f := range map[string]func(){
		"no positives":       func() { NewROC([]float64{1, 2}, []bool{false, false}, .95) },
		"no negatives":       func() { NewROC([]float64{1, 2}, []bool{true, true}, .95) },
		"a NaN":              func() { NewROC([]float64{1, math.NaN()}, []bool{true, false}, .95) },
		"a label short":      func() { NewROC([]float64{1, 2}, []bool{true}, .95) },
		"one point":          func() { NewROC([]float64{1, 2}, []bool{true, false}, .95).Thin(1) },
		"certain area":       func() { NewROC([]float64{1, 2}, []bool{true, false}, 1) },
		"no degrees":         func() { StudentUpper(1, 0) },
		"no draws":           func() { Independence([][]int{{1, 1}, {1, 1}}, 0, rand.New(rand.NewPCG(1, 1))) },
		"negative, tested":   func() { PairedTest(1, -1, 5, 0) },
		"beyond −1":          func() { PairedTest(1, 1, 5, -1) },
		"more than all":      func() { PairedDifference(3, 3, 5, .95) },
		"negative":           func() { PairedDifference(-1, 3, 5, .95) },
		"fewer than none":    func() { McNemar(2, -1) },
		"empty table":        func() { MutualInformation(nil, .95) },
		"no examples":        func() { MutualInformation([][]int{{0, 0}}, .95) },
		"crooked table":      func() { MutualInformation([][]int{{1, 0}, {1}}, .95) },
		"negative count":     func() { MutualInformation([][]int{{1, -1}}, .95) },
		"certain difference": func() { PairedDifference(1, 1, 5, 1) },
		"of none":            func() { PairedDifference(0, 0, 0, .95) },
		"no confidence":      func() { ClopperPearson(1, 2, 0) },
		"a bet beyond 1":     func() { BetTest([]float64{.5}, 0, 1) },
		"a bet from above":   func() { BetTest([]float64{.5}, .5, .5) },
	} {
		must.Panic(t, f, name)
	}
}
