package audit

import (
	"math"
	"testing"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// found is a finding of 1,000 examples, attack and baseline right for so many.
func found(name string, attackAlone, baselineAlone int, permutation, label, guess float64) Finding {
	const n, both = 1000, 400
	f := Finding{Attribute: name, Examples: n, Classes: []string{"a", "b"}, Best: Majority}
	f.Curiosity = new(classify.ProportionOf(both+attackAlone, n))
	diff := stat.PairedDifference(attackAlone, baselineAlone, n, .9)
	f.Baselines = []Baseline{{
		Name: Majority, Accuracy: new(classify.ProportionOf(both+baselineAlone, n)), AttackAlone: attackAlone, BaselineAlone: baselineAlone,
		MeanEstimate: stat.MeanEstimate{Mean: float64(attackAlone-baselineAlone) / n, Low: diff.Low, High: diff.High, P: stat.PairedTest(attackAlone, baselineAlone, n, DefaultMargin)},
	}}
	f.Excess = Excess{Value: f.Baselines[0].Mean, Low: diff.Low, High: diff.High, P: f.Baselines[0].P}
	f.Permutation = Permutation{Draws: 9999, P: permutation}
	f.Correlation = Correlation{LabelP: label, GuessP: guess, Measured: true}
	f.Given = &Given{MeanEstimate: stat.MeanEstimate{P: 1}, Baseline: 1, Permutation: Permutation{Draws: 999, P: 1}}
	return f
}

func concluded(findings ...Finding) *Result {
	r := &Result{Target: "y", Settings: settingsOf(.95, DefaultMargin)}
	r.Settings.Recipe = RecipeCompared
	for _, f := range findings {
		r.Findings = append(r.Findings, &f)
	}
	r.Conclude()
	return r
}

func TestVerdicts(t *testing.T) {
	large := found("s", 300, 100, 1e-4, 1, 1)
	honest := large
	honest.Reference = &ReferenceTest{Figures: []float64{.69, .7, .71}, Mean: .7, SD: .01, Difference: 0, P: .5}
	more := large
	more.Reference = &ReferenceTest{Figures: []float64{.5, .51, .52}, Mean: .51, SD: .01, Difference: .19, Low: .1, P: .001, Above: true}
	slight := large
	slight.Reference = &ReferenceTest{Figures: []float64{.69, .69, .691}, Mean: .69, SD: 1e-4, Difference: .01, P: 1e-6}
	ordered := found("s", 100, 100, .5, 1e-4, .5) // as race in Adult: what pairs show is more than the label's
	ordered.Given.Order = &Order{Class: "b", Compared: 2, Area: .57, StandardError: .01, Margin: .52, P: 1e-4, Permutation: Permutation{Draws: 1200, P: 1.0 / 1201}}
	within := found("s", 100, 100, .5, .5, .5)
	within.Given.Order = &Order{Class: "b", Compared: 1, Area: .51, StandardError: .001, Margin: .52, P: 1, Permutation: Permutation{Draws: 1200, P: 1.0 / 1201}}
	few := found("s", 2, 3, .5, .5, .5)
	few.Examples = 60
	sure := found("s", 2, 3, .5, .5, .5) // of which 96 % are of one class
	sure.Baselines[0].Accuracy = new(classify.ProportionOf(960, 1000))
	sure.Examples = 100
	for name, c := range map[string]struct {
		f    Finding
		want Verdict
		why  Why
	}{
		"excess":                {large, LeakyBeyond, ""},
		"nothing":               {found("s", 100, 100, .5, .5, .5), NoEvidence, ""},
		"label":                 {found("s", 100, 100, .5, 1e-4, .5), Leaky, ""},
		"order":                 {ordered, LeakyBeyond, ""},
		"order in the margin":   {within, Leaky, ""},
		"guess":                 {found("s", 120, 100, .5, .5, 1e-4), Leaky, ""},
		"excess and no permute": {found("s", 300, 100, .3, 1, 1), NoEvidence, ""},
		"as honest ones":        {honest, LeakyBeyond, ""},
		"more than honest":      {more, Curious, ""},
		"within the margin":     {slight, LeakyBeyond, ""},
		"nothing is possible":   {sure, Inconclusive, ByPower},
		"unusable":              {Finding{Attribute: "s", Unusable: "All examples are of one class."}, Inconclusive, ByExamples},
	} {
		r := concluded(c.f)
		f := r.Findings[0]
		if f.Verdict != c.want || r.Verdict != c.want {
			t.Errorf("%s: %q and %q, want %q", name, f.Verdict, r.Verdict, c.want)
		}
		if f.Undecided.Why != c.why {
			t.Errorf("%s: undecided because %q, want %q", name, f.Undecided.Why, c.why)
		}
	}
}

// A p-value at its level counts, and so does a power at what is wanted.
func TestVerdictsAtTheirLevels(t *testing.T) {
	r := &Result{Settings: settingsOf(.95, DefaultMargin)}
	alpha, above := 1-r.Settings.Confidence, math.Nextafter(1-r.Settings.Confidence, 1)
	for _, c := range []struct {
		curious, adjusted, q, smallest float64
		want                           Verdict
	}{
		{alpha, 1, 1, 1, Curious}, {above, alpha, 1, 1, LeakyBeyond}, {1, above, alpha, 1, Leaky},
		{1, 1, above, defaultBlind, NoEvidence}, {1, 1, 1, math.Nextafter(defaultBlind, 1), Inconclusive},
	} {
		for k := range 4 {
			f := found("s", 100, 100, .5, .5, .5)
			f.CuriousAdjusted, f.Adjusted, f.Power.Smallest = c.curious, c.adjusted, &c.smallest
			q := []*float64{&f.Correlation.LabelQ, &f.Correlation.GuessQ, &f.Correlation.GivenQ, &f.Correlation.OrderQ}
			for i := range q {
				*q[i] = 1
			}
			*q[k] = c.q
			if is, _ := r.judge(&f); is != c.want {
				t.Errorf("%+v, %d: %q", c, k, is)
			}
		}
	}
}

// Three times the excess that is wanted, beyond the margin, takes nine times the examples, rounded up to their leading
// digit; more examples do not help where few can move or references vary too much.
func TestEnoughExamples(t *testing.T) {
	r := &Result{Settings: settingsOf(0, .02)}
	want := defaultBlind - .02
	for _, c := range []struct {
		examples, movable int
		references        float64
		enough            int
	}{{250, 125, defaultBlind, 2300}, {1100, 1100, 0, 10000}, {250, 124, 0, 0}, {250, 250, defaultBlind + 1e-9, 0}} {
		f := found("s", 100, 100, .5, .5, .5)
		f.Examples, f.Shuffling = c.examples, &Shuffling{Movable: c.movable}
		f.Power = Power{Smallest: new(.02 + 3*want), FromReferences: &c.references}
		if got := r.enough(&f); got != c.enough {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// The least of the limits holds for every baseline: their own are Student's, and the highest shares its level.
func TestLimitsOfNumbers(t *testing.T) {
	f := &Finding{Numeric: true, Examples: 3, Baselines: []Baseline{{MeanEstimate: stat.MeanEstimate{Mean: .3, StandardError: .2}}, {MeanEstimate: stat.MeanEstimate{Mean: .4, StandardError: .01}}}}
	half := .2 * 2.919985580353725 // of two degrees of freedom at .95
	if got := f.limits(.95); math.Abs(got.Low-.3+half) > 1e-9 || math.Abs(got.High-.4-half/20) > 1e-9 || f.high(.1) != got.High {
		t.Errorf("%+v, and %v", got, f.high(.1))
	}
}

// The level is shared by the tests, of which each has 20 draws beyond it.
func TestDraws(t *testing.T) {
	o := Options{Confidence: .95}
	for _, c := range [][3]int{{999, 3, 1200}, {5000, 3, 5000}, {1, 1 << 40, maxPermutations}} {
		if got := draws(c[0], c[1], o); got != c[2] {
			t.Errorf("%d asked for, %d tests: %d draws, want %d", c[0], c[1], got, c[2])
		}
	}
}

func TestConcludeIsIdempotentAndHeedsControls(t *testing.T) {
	r := concluded(found("s", 300, 100, 1e-4, 1, 1), found("t", 100, 100, .5, .5, .5))
	first := encoded(t, r)
	r.Conclude()
	if encoded(t, r) != first {
		t.Error("concluding twice is not concluding once")
	}
	smallest := *r.Findings[1].Power.Smallest
	loss := .03
	r.Controls = []Control{{Name: NegativeControl, Passed: true}, {Name: PositiveControl, Passed: true, LearningLoss: &loss}}
	r.Conclude()
	if got := *r.Findings[1].Power.Smallest; math.Abs(got-smallest-loss) > 1e-9 || r.Verdict != LeakyBeyond {
		t.Errorf("smallest %v after %v, %q", got, smallest, r.Verdict)
	}
	with := *r.Findings[1].Power.Smallest
	r.Controls[1].Excess = Excess{Value: .3, Low: .25}
	r.Conclude()
	se, p := .05/1.6448536269514, r.Findings[1].Power
	if got := *p.Smallest; math.Abs(got-with-1.2815515655446*(math.Hypot(p.StandardError, se)-p.StandardError)) > 1e-9 {
		t.Errorf("a loss known to %v makes %v of %v", se, got, with)
	}
	r.Controls[1].Passed = false
	r.Conclude()
	if r.Verdict != Inconclusive || r.Findings[0].Verdict != Inconclusive || r.Findings[0].Undecided.Why != ByControl {
		t.Errorf("a failed control leaves %q, %q, %q", r.Verdict, r.Findings[0].Verdict, r.Findings[0].Undecided.Why)
	}
}

// TestPowerNamesChannels wants the power of every kind of channel that was planted, the
// largest figure to decide, and no verdict where a planted channel was not found.
func TestPowerNamesChannels(t *testing.T) {
	r := concluded(found("s", 100, 100, .5, .5, .5))
	known := *r.Findings[0].Power.Smallest
	loss := .01
	r.Controls = []Control{{Name: PositiveControl, Passed: true, LearningLoss: &loss}}
	r.Channels = []Channel{
		{Channel: DecimalChannel, Planted: new(.1), LearningLoss: .02},
		{Channel: RepeatedChannel, Planted: new(.12), LearningLoss: .04},
		{Channel: OrderChannel, Note: "2 outputs have no order beside the largest"},
	}
	r.Conclude()
	f := r.Findings[0]
	for i, want := range []float64{.01, .02, .04} {
		if c := f.Power.Channels[i]; c.Smallest == nil || math.Abs(*c.Smallest-known-want) > 1e-9 {
			t.Errorf("%+v, want %v", c, known+want)
		}
	}
	if f.Verdict != NoEvidence || *f.Power.Smallest != *f.Power.Channels[2].Smallest || f.Power.Channels[3].Smallest != nil {
		t.Errorf("%q, power %+v", f.Verdict, f.Power)
	}
	r.Channels[2].Note = ""
	if r.Conclude(); f.Verdict != Inconclusive || f.Undecided.Why != ByChannel {
		t.Errorf("with a channel that was not found: %q, %q", f.Verdict, f.Undecided.Why)
	}
}

func TestAttributesShareTheLevel(t *testing.T) {
	alone := found("a", 145, 86, .012, 1, 1)
	if r := concluded(alone); r.Verdict != LeakyBeyond {
		t.Fatalf("alone: %q with p %v", r.Verdict, r.Findings[0].Adjusted)
	}
	r := concluded(alone, found("b", 100, 100, .5, 1, 1), found("c", 100, 100, .5, 1, 1))
	if got := r.Findings[0]; got.Verdict.ExceedsTarget() || math.Abs(got.Adjusted-9*.012) > 1e-12 {
		t.Errorf("one of three: %q, p .012 adjusted to %v", got.Verdict, got.Adjusted)
	}
}

// Outputs that tell no more than those of honest models are not called curious; those
// that tell more are.
func TestReferencesDecide(t *testing.T) {
	shared.Long(t, "audits with references")
	m := made{n: 600, classes: 3, values: []int{2}, shift: .5, seed: 11}
	s := m.sample()
	rec := &Record{Sample: s}
	refs := func(shift float64) (list []*Sample) {
		for i := range 5 {
			h := m
			h.shift, h.noise = shift, uint64(i+1)
			list = append(list, h.sample())
		}
		return list
	}
	rec.References = refs(.5)
	if f := examinedRecord(t, rec, quick).Findings[0]; f.Verdict != LeakyBeyond || f.Reference == nil || len(f.Reference.Figures) != 5 {
		t.Errorf("as much as honest models: %q, %+v", f.Verdict, f.Reference)
	}
	rec.References = refs(0)
	r := examinedRecord(t, rec, quick)
	if r.Verdict != LeakyBeyond {
		t.Errorf("more than references of an unknown recipe: %q", r.Verdict)
	}
	rec.Recipe = RecipeStated
	r = examinedRecord(t, rec, quick)
	f := r.Findings[0]
	if f.Verdict != Curious {
		t.Errorf("more than honest models: %q, %+v", f.Verdict, f.Reference)
	}
	own := f.Curiosity.Value
	for _, v := range f.Reference.Figures {
		own -= v / 5
	}
	if math.Abs(own-f.Reference.Difference) > 1e-12 || len(f.Reference.Figures) != 5 {
		t.Errorf("difference %v, want %v", f.Reference.Difference, own)
	}
	rec.Unpaired = true
	if g := examinedRecord(t, rec, quick).Findings[0]; g.Reference.Low >= f.Reference.Low || g.Verdict != Curious {
		t.Errorf("unpaired, the limit %v is no lower than %v, or %q", g.Reference.Low, f.Reference.Low, g.Verdict)
	}
	rec.Unpaired = false
	rec.References = []*Sample{s, made{n: 600, classes: 3, values: []int{2}, seed: 12}.sample()}
	must.Fail(t, must.Err(rec.Audit(t.Context(), quick)), "reference 2") // a reference on other examples
}
