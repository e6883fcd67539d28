package audit

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/classify"
	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/stat"
)

// found is a finding of 1,000 examples, attack and baseline right for so many.
func found(name string, attackAlone, baselineAlone int, permutation, label, guess float64) Finding {
	const n, both = 1000, 400
	f := Finding{Attribute: name, Examples: n, Classes: []string{"a", "b"}, Counts: []int{500, 500}, Best: Majority}
	f.Curiosity = new(classify.ProportionOf(both+attackAlone, n))
	diff := stat.PairedDifference(attackAlone, baselineAlone, n, .9)
	f.Baselines = []Baseline{{
		Name: Majority, Accuracy: new(classify.ProportionOf(both+baselineAlone, n)), AttackAlone: attackAlone, BaselineAlone: baselineAlone,
		Difference: float64(attackAlone-baselineAlone) / n, Low: diff.Low, High: diff.High,
		P: stat.PairedTest(attackAlone, baselineAlone, n, DefaultMargin),
	}}
	f.Excess = Excess{Value: f.Baselines[0].Difference, Low: diff.Low, High: diff.High, P: f.Baselines[0].P}
	f.Permutation = Permutation{Draws: 9999, P: permutation}
	f.Correlation = Correlation{LabelP: label, GuessP: guess, Measured: true}
	f.Given = &Given{Baseline: 1, P: 1, Permutation: Permutation{Draws: 999, P: 1}}
	return f
}

func concluded(findings ...Finding) *Result {
	r := &Result{Target: "y", Findings: findings, Settings: Settings{Confidence: .95, Margin: DefaultMargin, Recipe: RecipeCompared}}
	r.Conclude()
	return r
}

func TestVerdicts(t *testing.T) {
	large := found("s", 300, 100, 1e-4, 1, 1)
	honest := large
	honest.Reference = &ReferenceTest{Figures: []float64{.69, .7, .71}, Mean: .7, SD: .01, Difference: 0, P: .5, Freedom: 2}
	more := large
	more.Reference = &ReferenceTest{Figures: []float64{.5, .51, .52}, Mean: .51, SD: .01, Difference: .19, Low: .1, P: .001, Freedom: 2, Above: true}
	slight := large
	slight.Reference = &ReferenceTest{Figures: []float64{.69, .69, .691}, Mean: .69, SD: 1e-4, Difference: .01, P: 1e-6, Freedom: 2}
	ordered := found("s", 100, 100, .5, 1e-4, .5) // as race in Adult: what pairs show is more than the label's
	ordered.Given.Order = &Order{Class: "b", Compared: 2, Area: .57, StandardError: .01, Margin: .52, P: 1e-4, Permutation: Permutation{Draws: 1200, P: 1.0 / 1201}}
	within := found("s", 100, 100, .5, .5, .5)
	within.Given.Order = &Order{Class: "b", Compared: 1, Area: .51, StandardError: .001, Margin: .52, P: 1, Permutation: Permutation{Draws: 1200, P: 1.0 / 1201}}
	byLabel := found("s", 100, 100, .5, 1e-4, .5)
	byLabel.Given.Areas = []Area{{Class: "b", Given: GivenLabel, Area: .6, Interval: [2]float64{.55, .65}, P: 1e-6, Adjusted: 1e-6, Positives: 300}}
	few := found("s", 2, 3, .5, .5, .5)
	few.Examples = 60
	sure := found("s", 2, 3, .5, .5, .5) // of which 96 % are of one class
	sure.Baselines[0].Accuracy = new(classify.ProportionOf(960, 1000))
	sure.Examples = 100
	for name, c := range map[string]struct {
		f    Finding
		want Verdict
		says string
	}{
		"excess":                {large, LeakyBeyond, "This does not show intent"},
		"nothing":               {found("s", 100, 100, .5, .5, .5), NoEvidence, "it is not known how large an excess over the baselines would have been found"},
		"label":                 {found("s", 100, 100, .5, 1e-4, .5), Leaky, "The predicted y itself depends on s"},
		"order":                 {ordered, LeakyBeyond, "the attacks' scores rank 57 % right: above the margin of 52 % (p = 0.0002; with labels shuffled among such examples, they rank as many right with probability 0.0017, in 1200 draws)"},
		"order in the margin":   {within, Leaky, "Given the true and the predicted y, the scores depend on s"},
		"more than the label":   {byLabel, Leaky, "The outputs depend on it in another way, too, but they are not shown to reveal more than the true and the predicted y together"},
		"guess":                 {found("s", 120, 100, .5, .5, 1e-4), Leaky, "The guesses depend on s"},
		"excess and no permute": {found("s", 300, 100, .3, 1, 1), NoEvidence, "their accuracy does not show that they reveal anything given y"},
		"as honest ones":        {honest, LeakyBeyond, "not shown to be more than the margin and the variation over seeds"},
		"more than honest":      {more, Curious, "more than the variation over seeds explains"},
		"within the margin":     {slight, LeakyBeyond, "not shown to be more than the margin"},
		"nothing is possible":   {sure, Inconclusive, "A guess that is always right would have an excess of 4.0 points. In some kind of channel only an excess of"},
		"unusable":              {Finding{Attribute: "s", Unusable: "All examples are of one class."}, Inconclusive, "one class"},
	} {
		r := concluded(c.f)
		f := &r.Findings[0]
		if f.Verdict != c.want || r.Verdict != c.want {
			t.Errorf("%s: %q and %q, want %q", name, f.Verdict, r.Verdict, c.want)
		}
		if all := strings.Join(f.Reasons, " "); !strings.Contains(all, c.says) {
			t.Errorf("%s: %q does not say %q", name, all, c.says)
		}
		for _, s := range slices.Concat(f.Reasons, r.Reasons, r.Advice) {
			if !strings.HasSuffix(s, ".") || strings.Contains(s, "%!") || strings.Contains(s, "NaN") {
				t.Errorf("%s: %q is no sentence", name, s)
			}
		}
		if len(r.Reasons) == 0 || len(r.Advice) == 0 {
			t.Errorf("%s: no reasons or no advice", name)
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
	r.Controls[1].Passed, r.Controls[1].Advice = false, "Give more examples."
	r.Conclude()
	if r.Verdict != Inconclusive || r.Findings[0].Verdict != Inconclusive || r.Advice[0] != "Give more examples." {
		t.Errorf("a failed control leaves %q, %q, %q", r.Verdict, r.Findings[0].Verdict, r.Advice)
	}
}

// The summary gives the reason for a missing verdict. It says whether a planted model was found by
// right guesses or by scores.
func TestSummaryGivesReasons(t *testing.T) {
	one := Finding{Attribute: "s", Unusable: "All examples are of one class."}
	other := Finding{Attribute: "t", Unusable: "There are too few examples."}
	if got := concluded(one).Reasons[0]; got != "s: the examples do not allow a verdict. All examples are of one class." {
		t.Error(got)
	}
	if got := concluded(one, other).Reasons[0]; got != "s, t: the examples do not allow a verdict. s: All examples are of one class. t: There are too few examples." {
		t.Error(got)
	}
	if got := concluded(one, one, one, one, other).Reasons[0]; !strings.HasSuffix(got, " The reasons for 2 more are in the findings.") {
		t.Error(got)
	}
	r := concluded(found("s", 300, 100, 1e-4, 1, 1))
	for _, c := range []struct {
		excess Excess
		want   string
	}{
		{Excess{Value: .26, Low: .2}, "A planted curious model was found, with an excess of 26.0 points."},
		{Excess{Value: -.009, Low: -.03}, "A planted curious model was found by the attacks' scores (p < 0.0001), not by more right guesses."},
	} {
		r.Controls = []Control{{Name: PositiveControl, Passed: true, Excess: c.excess, P: 1e-5}}
		if r.Conclude(); !strings.Contains(strings.Join(r.Reasons, " "), c.want) {
			t.Errorf("%q does not say %q", r.Reasons, c.want)
		}
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
	f := &r.Findings[0]
	for i, want := range []float64{.01, .02, .04} {
		if c := f.Power.Channels[i]; !c.Found || math.Abs(*c.Smallest-known-want) > 1e-9 {
			t.Errorf("%+v, want %v", c, known+want)
		}
	}
	if f.Verdict != NoEvidence || *f.Power.Smallest != *f.Power.Channels[2].Smallest || f.Power.Channels[3].Smallest != nil {
		t.Errorf("%q, power %+v", f.Verdict, f.Power)
	}
	all := strings.Join(append(f.Reasons, r.Reasons...), " ")
	for _, want := range []string{"scores 10.6 points", "parity of a decimal 11.6 points", "repeated values 13.6 points.", "Other channels can carry more and stay hidden.",
		"For the order of small outputs it was not measured: 2 outputs have no order", "others can stay hidden"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q does not say %q", all, want)
		}
	}
	r.Channels[2].Note = ""
	if r.Conclude(); f.Verdict != Inconclusive || !strings.Contains(strings.Join(f.Reasons, " "), "not found at any size (order of small outputs)") {
		t.Errorf("with a channel that was not found: %q, %q", f.Verdict, f.Reasons)
	}
}

func TestAttributesShareTheLevel(t *testing.T) {
	alone := found("a", 145, 86, .012, 1, 1)
	if r := concluded(alone); r.Verdict != LeakyBeyond {
		t.Fatalf("alone: %q with p %v", r.Verdict, r.Findings[0].P)
	}
	r := concluded(alone, found("b", 100, 100, .5, 1, 1), found("c", 100, 100, .5, 1, 1))
	if got := r.Findings[0]; got.Verdict.ExceedsTarget() || math.Abs(got.Adjusted-9*got.P) > 1e-12 {
		t.Errorf("one of three: %q, p %v adjusted to %v", got.Verdict, got.P, got.Adjusted)
	}
}

// Outputs that tell no more than those of honest models are not called curious; those
// that tell more are.
func TestReferencesDecide(t *testing.T) {
	shared.Long(t, "audits with references")
	m := made{n: 600, classes: 3, values: []int{2}, shift: .5, seed: 11}
	s := m.sample()
	refs := func(shift float64) (list []*Sample) {
		for i := range 5 {
			h := m
			h.shift, h.noise = shift, uint64(i+1)
			list = append(list, h.sample())
		}
		return list
	}
	o := quick
	o.References = refs(.5)
	if f := examined(t, s, o).Findings[0]; f.Verdict != LeakyBeyond || f.Reference == nil || len(f.Reference.Figures) != 5 {
		t.Errorf("as much as honest models: %q, %+v", f.Verdict, f.Reference)
	}
	o.References = refs(0)
	r := examined(t, s, o)
	if all := strings.Join(slices.Concat(r.Findings[0].Reasons, r.Reasons, r.Advice), " "); r.Verdict != LeakyBeyond || !strings.Contains(all, "may explain the difference") || strings.Contains(all, "curious") {
		t.Errorf("more than references of an unknown recipe: %q, %q", r.Verdict, all)
	}
	o.Recipe = RecipeStated
	r = examined(t, s, o)
	if f := r.Findings[0]; !strings.Contains(strings.Join(f.Reasons, " "), "as stated by whoever ran the audit") {
		t.Errorf("reasons %q do not say who states the recipe", f.Reasons)
	}
	f := r.Findings[0]
	if f.Verdict != Curious {
		t.Errorf("more than honest models: %q, %+v", f.Verdict, f.Reference)
	}
	own := f.Curiosity.Value
	for _, v := range f.Reference.Figures {
		own -= v / 5
	}
	if math.Abs(own-f.Reference.Difference) > 1e-12 || f.Reference.Freedom != 4 {
		t.Errorf("difference %v, want %v", f.Reference.Difference, own)
	}
	o.Unpaired = true
	if g := examined(t, s, o).Findings[0]; g.Reference.Low >= f.Reference.Low || g.Verdict != Curious {
		t.Errorf("unpaired, the limit %v is no lower than %v, or %q", g.Reference.Low, f.Reference.Low, g.Verdict)
	}
	o.Unpaired = false
	o.References = []*Sample{s, made{n: 600, classes: 3, values: []int{2}, seed: 12}.sample()}
	must.Fail(t, must.Err(Run(context.Background(), s, o)), "reference 2") // a reference on other examples
}

func TestNumbersInWords(t *testing.T) {
	number := &Finding{Numeric: true}
	for _, c := range [][2]string{
		{percent(-.0003), "0 %"}, {percent(.5), "50 %"}, {percent(-.0341), "−3.4 %"},
		{points(-.034), "−3.4 points"}, {number.points(-.0004), "0.0 % of the variance"},
		{number.signed(.0004), "0.0 % of the variance"}, {number.signed(.013), "+1.3 % of the variance"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
