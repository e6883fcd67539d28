package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
	"tattle/internal/shared"
)

// A model whose excess over the honest mean is what the references' spread hides, as
// they tell it, is found with PowerProbability over all draws of references.
func TestPowerWithReferencesIsKept(t *testing.T) {
	shared.Long(t, "the power over draws of references")
	r := rand.New(rand.NewPCG(12, 12))
	set := Options{Confidence: .95, Margin: new(.001)}
	const samples, n, sd = 4000, 5, .02
	found := 0
	for range samples {
		figures := make([]float64, n)
		for i := range figures {
			figures[i] = .4 + sd*r.NormFloat64()
		}
		mean, spread := stat.MeanStd(figures)
		excess := hidden(&ReferenceTest{Figures: figures, Mean: mean, SD: spread}, .05, set)
		own := .4 + excess + sd*r.NormFloat64()
		if _, p := stat.OneMore(own, figures, 0); p <= .05 && own-mean >= *set.Margin {
			found++
		}
	}
	if least := samples*.9 - 4.5*math.Sqrt(samples*.09); float64(found) < least {
		t.Errorf("found in %d of %d", found, samples)
	}
	f := &Finding{Examples: 2000, Best: Majority, Baselines: []Baseline{{Name: Majority, Accuracy: new(classify.ProportionOf(600, 2000))}}}
	alone := power(f, 1, Options{Confidence: .95, Margin: new(.02)})
	f.Reference = &ReferenceTest{Figures: []float64{.3, .3, .3}, Mean: .3}
	if with := power(f, 1, Options{Confidence: .95, Margin: new(.02)}); math.Abs(*with.Smallest-*alone.Smallest) > 1e-9 {
		t.Errorf("references that leak nothing and never vary change %v to %v", *alone.Smallest, *with.Smallest)
	}
	f.Reference.Mean = .5 // the score test is then no hurdle
	if with := power(f, 1, Options{Confidence: .95, Margin: new(.02)}); *with.Smallest != .02 {
		t.Errorf("over references that leak much: %v", *with.Smallest)
	}
}

func TestPowerOfNumbersIsKept(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	o := Options{}.withDefaults()
	const n, samples = 500, 600
	f := &Finding{Numeric: true, Examples: n, Best: Majority, Baselines: []Baseline{{Name: Majority, R2: new(float64), MeanEstimate: stat.MeanEstimate{StandardError: .001}}}}
	p := power(f, 1, Options{Confidence: .95, Margin: new(DefaultMargin)})
	z := 2.128045234184984 + 1.2815515655446 // for a third of .05, and the power
	if d := *p.Smallest; math.Abs(d-DefaultMargin-z*math.Sqrt((4*d-2*d*d)/n)) > 1e-8 {
		t.Errorf("a gain of %v is not as far above the margin as its standard error says", d)
	}
	found := 0
	for range samples {
		truth, value, base := predicted(r, n, *p.Smallest)
		var b Baseline
		if b.compare(guessedNumbers(truth, value), baselineGuess{value: base}, 1, o, nil); b.P <= .05 {
			found++
		}
	}
	if least := samples*.88 - 4.5*math.Sqrt(samples*.09); float64(found) < least {
		t.Errorf("a gain of %v is found in %d of %d", *p.Smallest, found, samples)
	}
}

// The smallest excess is where the power of the score test reaches that wanted. Of 1,000 the baseline is right on a fifth. It differs
// from the guess as an independent one does: on .2·(.8 − e) + .8·(.2 + e).
func TestSmallestOver(t *testing.T) {
	x := excessTest{n: 1000, margin: .02, alpha: .01}
	b := &Baseline{Accuracy: new(classify.ProportionOf(200, 1000))}
	smallest, se := x.smallestOver(b)
	foundWith := func(e float64) float64 { return stat.PairedPower(1000, .32+.6*e, e, .02, .01) }
	if !(foundWith(smallest) >= PowerProbability && foundWith(.999*smallest) < PowerProbability) || math.Abs(se-math.Sqrt(.32/1000)) > 1e-12 {
		t.Errorf("an excess of %v is found with %v, standard error %v", smallest, foundWith(smallest), se)
	}
	f := &Finding{Examples: 1000, Best: Majority, Baselines: []Baseline{*b}}
	f.Baselines[0].Name = Majority
	if p := power(f, 3, Options{Confidence: .91, Margin: new(.02)}); math.Abs(*p.Smallest-smallest) > 1e-12 { // nine tests share the level
		t.Errorf("one of three attributes: an excess of %v is found, want %v", *p.Smallest, smallest)
	}
	b.AttackAlone, b.BaselineAlone = 300, 200 // seen on half of all
	if _, se = x.smallestOver(b); math.Abs(se-math.Sqrt(.5/1000)) > 1e-12 {
		t.Errorf("standard error %v of a half that differs", se)
	}
}

// The variance of the mean gain over people is 4e − 2e², e being the share that is explained, or what was seen if that is larger.
func TestSmallestOverOfPeople(t *testing.T) {
	x := excessTest{n: 400, margin: .02, alpha: .01, grouped: true}
	for seen, deviation := range map[float64]float64{0: math.Sqrt(.08 - .0008), .5: .5} {
		b := &Baseline{R2: new(0.), MeanEstimate: stat.MeanEstimate{StandardError: seen / 20}}
		smallest, se := x.smallestOver(b)
		power := func(e float64) float64 { return stat.PeoplePower(400, e, max(seen, math.Sqrt(4*e-2*e*e)), .02, .01) }
		if !(power(smallest) >= PowerProbability && power(.999*smallest) < PowerProbability) || math.Abs(se-deviation/20) > 1e-12 {
			t.Errorf("seen ± %v: an excess of %v is found with %v, standard error %v", seen, smallest, power(smallest), se)
		}
	}
}

// Three references whose figures vary by .01 hide Student's quantiles at .9 and .95 with two degrees of freedom, 1.886 and 2.920,
// times .01·√(4/3); where they have other examples, times what is left of their limits if that is more.
func TestHidden(t *testing.T) {
	set := Options{Confidence: .95, Margin: new(.001)}
	const power, level = 1.8856180831641267, 2.919985580353725
	for low, spread := range map[float64]float64{.19: .01 * math.Sqrt(4./3), .1: .1 / level} {
		r := &ReferenceTest{Figures: []float64{.1, .11, .12}, SD: .01, Difference: .2, Low: low, Unpaired: true}
		if got := hidden(r, .05, set); math.Abs(got-(power+level)*spread) > 1e-9 {
			t.Errorf("limits from %v on: %v is hidden, want %v", low, got, (power+level)*spread)
		}
	}
	if got := hidden(&ReferenceTest{Figures: []float64{.1, .11, .12}, SD: .01}, .05, Options{Confidence: .95, Margin: new(.3)}); math.Abs(got-.3-power*.01*math.Sqrt(4./3)) > 1e-9 {
		t.Errorf("%v is hidden, at a margin of .3", got)
	}
}

func TestPowerOfNothing(t *testing.T) {
	if p := power(&Finding{Unusable: "It has one class."}, 1, Options{Confidence: .95, Margin: new(0.)}); p.Smallest != nil {
		t.Errorf("%+v", p)
	}
	f := &Finding{Examples: 10, Best: Majority, Baselines: []Baseline{{Name: Majority, Accuracy: new(classify.ProportionOf(5, 10))}}}
	p := power(f, 1, Options{Confidence: .95, Margin: new(.02)})
	if p.lose(.1, 0); *p.Smallest != 1 && *p.Smallest < .5 {
		t.Errorf("ten examples: %v", *p.Smallest)
	}
}
