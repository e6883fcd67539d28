package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
	"tattle/internal/shared"
)

// The test itself finds the excess that the audit states for shuffling with PowerProbability, in
// strata of every size, and finds a smaller excess less often. Of 80 samples, less 4.5 standard errors and
// two points for the normal approximation.
func TestShufflingFindsWhatItSays(t *testing.T) {
	shared.Long(t, "the power of shuffling")
	r := rand.New(rand.NewPCG(36, 2))
	for _, c := range []struct {
		n, classes, values int
		lean               float64
	}{{500, 1, 2, 0}, {500, 100, 2, 0}, {500, 35, 3, 0}, {500, 10, 2, .8}} {
		s, g, b := shuffledSample(r, c.n, c.classes, c.values, c.lean)
		o := Options{Seed: 1, Confidence: .95}
		x := shuffling(g, b, o)
		if x.Smallest == nil {
			t.Errorf("%+v: nothing is found in %d examples that can move", c, x.Movable)
			continue
		}
		found := func(excess float64) (n int) {
			for range 80 {
				guess := make([]int, c.n)
				for i, l := range s.Sensitive[0].Labels {
					if guess[i] = r.IntN(c.values); r.Float64() < excess/(1-b.Accuracy.Value) {
						guess[i] = l
					}
				}
				if stat.PermuteWithin(guess, s.Sensitive[0].Labels, g.in.strata, crossFitStretch, 199, r).P <= .05/3 {
					n++
				}
			}
			return n
		}
		if n := found(*x.Smallest); float64(n) < 80*.88-4.5*math.Sqrt(80*.09) {
			t.Errorf("%+v: an excess of %.3f is found in %d of 80 (%d examples can move)", c, *x.Smallest, n, x.Movable)
		}
		if n := found(*x.Smallest / 2); n > 60 {
			t.Errorf("%+v: half of %.3f is found in %d of 80, too", c, *x.Smallest, n)
		}
	}
}

// shuffledSample draws y, s that follows y with probability lean, folds and guesses of nothing.
func shuffledSample(r *rand.Rand, n, classes, values int, lean float64) (*Sample, *guesses, *Baseline) {
	s := &Sample{Sensitive: []Attribute{{Name: "s", Values: make([]string, values)}}}
	x := &folded{Sample: s}
	g := &guesses{in: x, goal: &goal{at: &s.Sensitive[0]}}
	for range n {
		y, l := r.IntN(classes), r.IntN(values)
		if r.Float64() < lean {
			l = y % values
		}
		s.Y, x.fold, g.best = append(s.Y, y), append(x.fold, r.IntN(5)), append(g.best, r.IntN(values))
		s.Sensitive[0].Labels = append(s.Sensitive[0].Labels, l)
	}
	x.strata = groupsOf(x.fold, s.Y)
	most := int(float64(n) * (lean + (1-lean)/float64(values)))
	return s, g, &Baseline{Accuracy: new(classify.ProportionOf(most, n))}
}

// What is expected of a leak is the mean of leaks that are drawn: how far right guesses are above their mean over
// permutations, and the variance of that.
func TestLeakOfClasses(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 3))
	at := &Attribute{Values: make([]string, 3), Labels: []int{0, 1, 2, 0, 0, 1, 2, 2, 1, 0}}
	guess, rows := []int{0, 0, 2, 1, 0, 1, 2, 0, 1, 1}, span(0, 10)
	var drawn []float64
	for range 100_000 {
		n := 0.
		for i, k := range r.Perm(10) {
			if guess[i] == at.Labels[k] {
				n++
			}
		}
		drawn = append(drawn, n)
	}
	mean, sd := stat.MeanStd(drawn)
	leak := leakOfClasses(guess, at, [][]int{rows})
	above, spread, variance := leak(0)
	if above != -crossFitStretch || math.Abs(math.Sqrt(variance)-sd) > .02 || spread != math.Sqrt(variance) {
		t.Errorf("nothing leaks: %v above, ± %v, over permutations ± %v, want 0 and twice %v", above, spread, math.Sqrt(variance), sd)
	}
	if above, spread, _ = leak(1); math.Abs(above+crossFitStretch-(10-(16.+9+9)/10)) > 1e-12 || spread != 0 {
		t.Errorf("all leak: %v above the mean, ± %v", above, spread)
	}
	drawn = drawn[:0]
	for range 50_000 { // half leak, of labels that have nothing to do with the guesses
		n, perm := 0., r.Perm(10)
		for i, k := range perm {
			l, g := at.Labels[k], guess[i]
			if r.Float64() < .5 {
				g = l
			}
			if n -= []float64{.4, .3, .3}[g]; g == l {
				n++
			}
		}
		drawn = append(drawn, n)
	}
	half, deviation := stat.MeanStd(drawn)
	if above, spread, _ = leak(.5); math.Abs(above+crossFitStretch-half) > .05 || math.Abs(spread/deviation-1) > .1 {
		t.Errorf("half leak: %v above the mean, ± %v, want %v ± %v", above+crossFitStretch, spread, half, deviation)
	}
	if mean < 3 || mean > 4 {
		t.Errorf("%v of 10 guesses are right by chance", mean)
	}
}

// For numbers, too, the test itself finds the stated correlation with PowerProbability, also where
// few of them can move. Of 120 tests on six samples, less 4.5 standard errors and two points for
// what is found being drawn itself.
func TestShufflingNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 6))
	for _, classes := range []int{1000, 400, 1} {
		if testing.Short() && classes < 1000 {
			break
		}
		found, of := 0, 0
		for of < 120 {
			s, g, _ := shuffledSample(r, 500, classes, 2, 0)
			s.Sensitive[0] = Attribute{Name: "s"}
			for range s.Y {
				s.Sensitive[0].Numbers = append(s.Sensitive[0].Numbers, r.NormFloat64())
			}
			within := g.in.strata
			none, half := shuffling(g, &Baseline{R2: new(-1.)}, Options{Confidence: .95}), shuffling(g, &Baseline{R2: new(.5)}, Options{Confidence: .95})
			if none.Smallest != nil && *none.Smallest != 2**half.Smallest {
				t.Errorf("%v of what is left of nothing, %v of a half", *none.Smallest, *half.Smallest)
			}
			x := shuffling(g, &Baseline{R2: new(0.)}, Options{Confidence: .95})
			if x.Smallest == nil {
				continue
			}
			for range 20 {
				signal := make([]float64, len(s.Y))
				for i, v := range s.Sensitive[0].Numbers {
					signal[i] = math.Sqrt(*x.Smallest)*v + math.Sqrt(1-*x.Smallest)*r.NormFloat64()
				}
				if of++; stat.PermuteProducts(signal, s.Sensitive[0].Numbers, within, crossFitStretch, 499, r).P <= .05/3 {
					found++
				}
			}
		}
		if found < 84 {
			t.Errorf("%d classes: the stated excess is found in %d of %d", classes, found, of)
		}
	}
	numbers, eight := make([]float64, 60), make([]float64, 60)
	for i := range numbers {
		numbers[i] = r.NormFloat64()
		eight[i] = 8 * numbers[i]
	}
	mixed := [][]int{span(0, 20), span(20, 60)}
	above, spread, variance := leakOfNumbers(numbers, mixed)(.3)
	if a, s, v := leakOfNumbers(eight, mixed)(.3); math.Abs(a-8*above) > 1e-9 || math.Abs(s-8*spread) > 1e-9 || math.Abs(v-64*variance) > 1e-9 {
		t.Errorf("%v above, ± %v, variance %v; in another unit %v, %v, %v", above, spread, variance, a, s, v)
	}
	// Of one stratum of 1 to 5, whose squares add up to 10, the variance over permutations is that sum, whatever leaks. A leak of a quarter adds half of the squares, in units of √2.5.
	if a, s, v := leakOfNumbers([]float64{1, 2, 3, 4, 5}, [][]int{span(0, 5)})(.25); math.Abs(a-5/math.Sqrt(2.5)) > 1e-12 || math.Abs(s-math.Sqrt(7.5)) > 1e-12 || math.Abs(v-10) > 1e-12 {
		t.Errorf("one stratum: %v above, ± %v, variance %v", a, s, v)
	}
	// A stratum of twice the deviation holds four times the variance, of the leak and of what is left.
	two := leakOfNumbers([]float64{1, 2, 3, 4, 5, 2, 4, 6, 8, 10}, [][]int{span(0, 5), span(5, 10)})
	if a, s, v := two(.25); math.Abs(a-25/math.Sqrt(6.25)) > 1e-12 || math.Abs(s-math.Sqrt(37.5)) > 1e-12 || math.Abs(v-10*(.25*2.5/6.25+.75)-40*(.25*10/6.25+.75)) > 1e-12 {
		t.Errorf("two strata: %v above, ± %v, variance %v", a, s, v)
	}
	s, g, _ := shuffledSample(r, 500, 1, 2, 0)
	s.Sensitive[0] = Attribute{Name: "s", Numbers: make([]float64, 500)}
	for i := range s.Y {
		s.Y[i], s.Sensitive[0].Numbers[i] = i, r.NormFloat64()
	}
	g.in.strata = groupsOf(g.in.fold, s.Y)
	if x := shuffling(g, &Baseline{R2: new(0.)}, Options{Confidence: .95}); x.Smallest != nil || x.Movable != 0 {
		t.Errorf("no two examples share y: %+v", x)
	}
}

// Where hardly an example shares its class and fold with one of another s, finding nothing is
// inconclusive, and the reason says so, whatever attacks reached.
func TestFewExamplesCanMove(t *testing.T) {
	m := made{n: 400, classes: 300, values: []int{2}, shift: .05, seed: 8}
	s := m.sample()
	r := examined(t, s, quick)
	f := r.Findings[0]
	if r.Verdict.ExceedsTarget() || r.Verdict == NoEvidence || f.Power.Smallest != nil {
		t.Errorf("verdict %s, %d of 400 can move, an excess of %v is found", r.Verdict, f.Shuffling.Movable, f.Power.Smallest)
	}
	if f.Verdict == Inconclusive && f.Undecided.Why != ByShuffling {
		t.Error(f.Undecided)
	}
	one := made{n: 400, classes: 4, values: []int{2}, seed: 8}.sample()
	if x := examined(t, one, quick).Findings[0].Shuffling; x.Movable != 400 || x.Smallest == nil || *x.Smallest > .25 {
		t.Errorf("with four classes %+v", x)
	}
}
