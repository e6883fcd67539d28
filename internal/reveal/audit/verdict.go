package audit

import (
	"math"
	"slices"

	"tattle/internal/math/stat"

	"gonum.org/v1/gonum/stat/distuv"
)

// Verdict is what an audit says, of one attribute or of all.
type Verdict string

// The verdicts, the worst first. LeakyBeyond: the outputs reveal more of the sensitive
// attribute s than the target y explains. It says nothing about intent, because honest
// training may do the same. Curious adds a comparison: the outputs reveal more than those
// of classifiers that were trained honestly by the same recipe. Leaky: the outputs depend
// on s, but are not shown to reveal more than y and the answered label together.
const (
	Curious      Verdict = "curious"
	LeakyBeyond  Verdict = "leaky beyond the target"
	Leaky        Verdict = "leaky by correlation"
	Inconclusive Verdict = "inconclusive"
	NoEvidence   Verdict = "no evidence"
)

// Verdicts lists all verdicts, the worst first.
func Verdicts() []Verdict { return []Verdict{Curious, LeakyBeyond, Leaky, Inconclusive, NoEvidence} }

// ExceedsTarget reports whether the verdict is LeakyBeyond or worse: the outputs reveal
// more of s than the target explains.
func (v Verdict) ExceedsTarget() bool { return v == Curious || v == LeakyBeyond }

// Conclude judges what was measured: p-values adjusted for the number of
// attributes, the power, and verdicts. It may be called again after controls or defences were added.
func (r *Result) Conclude() {
	found := r.usable()
	adjust(found, r.Settings.Recipe != RecipeUnknown)
	for _, f := range found {
		f.Power = r.powerOf(f, len(found))
	}
	for _, f := range r.Findings {
		f.Verdict, f.Undecided = r.judge(f)
	}
	r.Verdict = r.worst()
	r.Recommendation = r.recommend()
}

// adjust applies Holm's method over all tests that can raise a verdict to the same word:
// to LeakyBeyond, the excess, the gain and the AUC of every attribute; with references of the
// same recipe to Curious, its excess and its gain; to Leaky, four tests of independence.
func adjust(found []*Finding, sameRecipe bool) {
	var beyond, curious, independence []float64
	for _, f := range found {
		beyond = append(beyond, max(f.Excess.P, f.Permutation.P), f.Given.beyond(), f.order().beyond())
		if sameRecipe {
			above := f.AboveReferences()
			curious = append(curious, above[:]...)
		} else {
			curious = append(curious, 1, 1)
		}
		independence = append(independence, f.Correlation.LabelP, f.Correlation.GuessP, f.Given.Permutation.P, f.order().dependent())
	}
	beyond, curious, independence = stat.Holm(beyond), stat.Holm(curious), stat.Holm(independence)
	for i, f := range found {
		own := beyond[3*i:][:3]
		f.ExcessAdjusted, f.Adjusted = own[0], slices.Min(own)
		f.CuriousAdjusted = min(curious[2*i], curious[2*i+1])
		f.Given.Adjusted = own[1]
		if t := f.order(); t != nil {
			t.Adjusted = own[2]
		}
		c, q := &f.Correlation, independence[4*i:]
		c.LabelQ, c.GuessQ, c.GivenQ, c.OrderQ = q[0], q[1], q[2], q[3]
	}
}

// AboveReferences returns the p-values with which the excess and the gain are above their margins and
// above the references'.
func (f *Finding) AboveReferences() [2]float64 {
	return [2]float64{
		max(f.Excess.P, f.Permutation.P, f.Reference.p()),
		max(f.Given.beyond(), f.Given.Reference.p()),
	}
}

// p returns the p-value of a comparison with references that raises the verdict, 1 if
// there is none.
func (t *ReferenceTest) p() float64 {
	if t == nil || !t.Above {
		return 1
	}
	return t.P
}

// order returns the test of the AUC given y and the answered label, nil if there is none.
func (f *Finding) order() *Order {
	if f.Given == nil {
		return nil
	}
	return f.Given.Order
}

// judge returns the verdict of one attribute, and why it is Inconclusive.
func (r *Result) judge(f *Finding) (Verdict, Undecided) {
	alpha := 1 - r.Settings.Confidence
	switch {
	case f.Unusable != "":
		return Inconclusive, Undecided{Why: ByExamples}
	case r.failed() != nil:
		return Inconclusive, Undecided{Why: ByControl}
	case f.Near:
		return Inconclusive, Undecided{Why: ByPeople}
	case f.CuriousAdjusted <= alpha:
		return Curious, Undecided{}
	case f.Adjusted <= alpha:
		return LeakyBeyond, Undecided{}
	case f.dependent(alpha):
		return Leaky, Undecided{}
	case f.Power.Smallest != nil && *f.Power.Smallest <= min(defaultBlind, f.possible()) && !f.Power.missed():
		return NoEvidence, Undecided{}
	case f.possible() <= *r.Settings.Margin:
		return Inconclusive, Undecided{Why: ByMargin}
	case f.Shuffling != nil && f.Shuffling.Smallest == nil:
		return Inconclusive, Undecided{Why: ByShuffling}
	case f.Power.Smallest == nil:
		return Inconclusive, Undecided{Why: ByUnknown}
	case f.Power.missed():
		return Inconclusive, Undecided{Why: ByChannel}
	}
	return Inconclusive, Undecided{ByPower, r.enough(f)}
}

// possible returns the excess that a guess without an error would have, over the best
// baseline or, where there are references, over their mean.
func (f *Finding) possible() float64 {
	if f.Reference != nil {
		return 1 - f.Reference.Mean
	}
	return 1 - f.BestBaseline().figure()
}

// dependent reports whether the hard label, the chosen guess or, given y and the label, the scores
// demonstrably depend on the attribute.
func (f *Finding) dependent(alpha float64) bool {
	c := &f.Correlation
	return c.Measured && min(c.LabelQ, c.GuessQ, c.GivenQ, c.OrderQ) <= alpha
}

// failed returns the first control that failed, nil if none did.
func (r *Result) failed() *Control {
	return find(r.Controls, func(c *Control) bool { return !c.Passed })
}

// learningLoss returns what the planted model's attack lost, with its standard error, and
// whether there was one.
func (r *Result) learningLoss() (loss, se float64, planted bool) {
	for _, c := range r.Controls {
		if c.LearningLoss != nil && r.Outputs != Vector { // of vectors the planted channels measure it
			z := distuv.UnitNormal.Quantile(r.Settings.Confidence) // Low is a limit at this confidence
			return *c.LearningLoss, max(0, c.Excess.Value-c.Excess.Low) / z, c.Passed
		}
	}
	return 0, 0, false
}

// worst returns the verdict on the whole.
func (r *Result) worst() Verdict {
	if r.failed() != nil || len(r.Findings) == 0 {
		return Inconclusive
	}
	for _, v := range Verdicts() {
		if slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Verdict == v }) {
			return v
		}
	}
	return NoEvidence
}

// Undecided says why the verdict on an attribute is Inconclusive.
type Undecided struct {
	Why Why
	// Enough is about how many examples would be enough, 0 if that is not known or more would not help.
	Enough int
}

// Why is a reason: what follows "inconclusive." in the code of the finding.
type Why string

// The reasons. Where none but ByControl holds, finding nothing proves nothing.
const (
	ByControl   Why = "control"   // a control failed
	ByExamples  Why = "unusable"  // the examples cannot be audited: Finding.Unusable says more
	ByPeople    Why = "people"    // near-copies suggest people with several examples
	ByMargin    Why = "possible"  // a guess without an error would be within the margin
	ByShuffling Why = "shuffling" // too few examples are alike but for the attribute: shuffling among them finds nothing, however large
	ByPower     Why = "power"     // only large excesses would have been found: Power.Smallest
	ByChannel   Why = "missed"    // a planted channel was not found at any size: Power.Channels
	ByUnknown   Why = "unknown"   // the excess that would have been found is not known
)

// enough estimates how many examples make the smallest detectable excess defaultBlind, or
// the possible excess if that is less: its standard error shrinks with their square root.
// It is 0 if more examples would not help, or first of all more that are alike.
func (r *Result) enough(f *Finding) int {
	fixed := *r.Settings.Margin
	have, want := *f.Power.Smallest-fixed, min(defaultBlind, f.possible())-fixed
	few := f.Shuffling != nil && 2*f.Shuffling.Movable < f.Examples
	if few || f.Power.FromReferences != nil && *f.Power.FromReferences > want+fixed || want <= 0 {
		return 0
	}
	digits := math.Pow(10, math.Floor(math.Log10(float64(f.Examples))))
	return int(math.Ceil(float64(f.Examples)*(have/want)*(have/want)/digits) * digits)
}
