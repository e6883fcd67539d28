package audit

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"tattle/classify"
)

// reasons returns the sentences that a verdict on one attribute rests on.
func (r *Result) reasons(f *Finding) []string {
	if f.Unusable != "" {
		return []string{f.Unusable}
	}
	list := []string{r.accuracies(f), r.beyond(f), r.shuffled(f), r.gained(f), r.paired(f), r.honest(f)}
	switch f.Verdict {
	case Leaky:
		list = append(list, r.correlated(f))
	case NoEvidence:
		list = append(list, r.seen(f))
	case Inconclusive:
		if c := r.failed(); c != nil {
			list = append([]string{controlSentence(c)}, list...)
		} else {
			list = append(list, r.blind(f))
		}
	}
	return nonEmpty(list)
}

func nonEmpty(list []string) []string {
	kept := []string{}
	for _, s := range list {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// accuracies states the accuracy of the chosen attacks and of the best baseline.
func (r *Result) accuracies(f *Finding) string {
	b := f.BestBaseline()
	if f.Numeric {
		return fmt.Sprintf("Attacks on the outputs explain %s of the variance of %s on %d examples that they were not fitted on (R²; %.0f %% interval %s to %s). The best baseline, %s, explains %s.",
			percent(*f.R2), f.Attribute, f.Examples, 100*classify.Confidence, percent(f.Interval[0]), percent(f.Interval[1]), f.BestGuess(r.OfTarget()), percent(*b.R2))
	}
	even := ""
	if f.Balanced != nil && b.Balanced != nil {
		even = fmt.Sprintf(" The balanced accuracies, averaged over the values of %s, are %s and %s.", f.Attribute, percent(*f.Balanced), percent(*b.Balanced))
	}
	return fmt.Sprintf("Attacks on the outputs guess %s correctly for %s of %d examples that they were not fitted on (%.0f %% interval %s to %s). The best baseline, %s, is right for %s.",
		f.Attribute, percent(f.Curiosity.Value), f.Examples, 100*classify.Confidence, percent(f.Curiosity.Interval[0]), percent(f.Curiosity.Interval[1]),
		f.BestGuess(r.OfTarget()), percent(b.Accuracy.Value)) + even
}

// BestGuess says in words what the best baseline is.
func (f *Finding) BestGuess(target string) string {
	switch {
	case f.Best == Majority && f.Numeric:
		return "always guessing the mean"
	case f.Best == Majority:
		return "always guessing the most frequent value"
	case f.Best == FromTarget:
		return fmt.Sprintf("guessing from the true %s", target)
	}
	if f.Best == FromBoth {
		return fmt.Sprintf("guessing from the true and the predicted %s together", target)
	}
	return fmt.Sprintf("guessing from the predicted %s", target)
}

// beyond says how large the excess is, and whether it is above the margin.
func (r *Result) beyond(f *Finding) string {
	s := fmt.Sprintf("The excess over the best baseline is %s, and at least %s at %s confidence", f.points(f.Excess.Value), f.points(downward(f.Excess.Low)), percent(r.Settings.Confidence))
	if f.Excess.P <= 1-r.Settings.Confidence {
		return s + fmt.Sprintf(": above the margin of %s (p %s).", f.points(r.Settings.Margin), probability(f.Excess.P))
	}
	return s + fmt.Sprintf(": not shown to be above the margin of %s (p %s).", f.points(r.Settings.Margin), probability(f.Excess.P))
}

// shuffled says what the permutations within y came to.
func (r *Result) shuffled(f *Finding) string {
	t, among, within, given := f.Permutation, " among the examples", "", ""
	if r.Target != "" {
		same := "examples with the same " + r.OfTarget()
		if r.Numeric {
			same = "examples with similar " + r.Target
		}
		among, within, given = " among "+same, "in every fold, among "+same+", ", " given "+r.theTarget()
	}
	few := ""
	if f.Shuffling != nil && 2*f.Shuffling.Movable < f.Examples {
		few = " " + r.movable(f)
	}
	if t.Draws == 0 {
		return capitalised(fmt.Sprintf("%sall guesses of %s are equal, or %s itself is constant: accuracy cannot show what they reveal%s.", within, f.Attribute, f.Attribute, given)) + few
	}
	s := fmt.Sprintf("With %s shuffled%s, guesses are right as often with probability %s, in %d draws", f.Attribute, among, probabilityAlone(t.P), t.Draws)
	switch alpha := 1 - r.Settings.Confidence; {
	case r.Target == "":
		return s + "." + few
	case f.ExcessAdjusted <= alpha:
		return s + fmt.Sprintf(": the correlation of %s with %s does not explain the excess.", f.Attribute, r.theTarget())
	case t.P <= alpha:
		return s + fmt.Sprintf(":%s, the guesses may reveal a little.", given) + few
	}
	return s + fmt.Sprintf(": their accuracy does not show that they reveal anything%s.", given) + few
}

// movable says how many examples shuffling can give another value.
func (r *Result) movable(f *Finding) string {
	same := ""
	if r.Target != "" {
		same = " with the same " + r.OfTarget()
		if r.Numeric {
			same = " with similar " + r.Target
		}
	}
	return fmt.Sprintf("Only %d of %d examples are in one fold with another one%s that has a different %s.", f.Shuffling.Movable, f.Examples, same, f.Attribute)
}

// capitalised returns a sentence with its first letter in upper case.
func capitalised(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// honest compares with the references.
func (r *Result) honest(f *Finding) string {
	t := f.Reference
	switch {
	case t == nil && f.Verdict == LeakyBeyond && r.Outputs == Vector:
		return "This does not show intent: honest training may put as much into such vectors."
	case t == nil && f.Verdict == LeakyBeyond:
		return "This does not show intent: honest training for the same task may reveal as much. --reference trains honest nets to measure how much. For a file of outputs, --reference-scores names those of your own honest classifiers."
	case t == nil:
		return ""
	}
	other := ""
	if t.Unpaired {
		other = ", by their excess on other examples,"
	}
	s := fmt.Sprintf("%d reference classifiers%s reach%s %s on average, with a standard deviation of %s over their seeds: this one differs by %s (at least %s at %s confidence, Student's T %.2f, p %s)",
		len(t.Figures), r.recipe(), other, percent(t.Mean), f.points(t.SD), f.signed(t.Difference), f.signed(downward(t.Low)), percent(r.Settings.Confidence), t.T, probability(t.P))
	if g := f.Given.reference(); g != nil {
		s += fmt.Sprintf("; by the gain given %s and its prediction, by %s (p %s)", r.theTarget(), f.gain(g.Difference), probability(g.P))
	}
	if r.Settings.Recipe == RecipeUnknown {
		return s + ". It is not established that they were trained by the audited model's recipe. Another architecture, other data or another training may explain the difference."
	}
	if f.Verdict == Curious {
		return s + ": more than the variation over seeds explains."
	}
	return s + ": not shown to be more than the margin and the variation over seeds."
}

// recipe says how it is known that the references have the audited model's recipe.
func (r *Result) recipe() string {
	switch r.Settings.Recipe {
	case RecipeCompared:
		return ", trained honestly by the recipe recorded by the audited model's run,"
	case RecipeStated:
		return ", of the same recipe as stated by whoever ran the audit,"
	}
	return ""
}

// correlated says why the verdict is Leaky.
func (r *Result) correlated(f *Finding) string {
	alpha := 1 - r.Settings.Confidence
	c := f.Correlation
	both := fmt.Sprintf("they are not shown to reveal more than %s%s, beyond the margins.", r.together(), map[bool]string{true: "", false: " do"}[r.Outputs == Vector])
	switch {
	case c.LabelQ <= alpha:
		bits := ""
		if !f.Numeric {
			bits = fmt.Sprintf("; it reveals %.2g of the %.2g bits of %s", c.Label.Bits, entropyOf(f), f.Attribute)
		}
		s := fmt.Sprintf("The predicted %s itself depends on %s (p %s after adjustment%s): the label alone reveals something about it.", r.OfTarget(), f.Attribute, probability(c.LabelQ), bits)
		if min(c.GivenQ, c.OrderQ, c.AreaQ) <= alpha {
			return s + " The outputs depend on it in another way, too, but " + both
		}
		return s + " The outputs are not shown to reveal more."
	case r.Outputs == Vector && min(c.GivenQ, c.OrderQ, c.AreaQ) <= alpha:
		return fmt.Sprintf("The scores of attacks depend on %s%s (p %s after adjustment), but %s", f.Attribute, among(r.Equal()), probability(min(c.GivenQ, c.OrderQ, c.AreaQ)), both)
	case min(c.GivenQ, c.OrderQ) <= alpha:
		return fmt.Sprintf("Given the true and the predicted %s, the scores depend on %s (p %s after adjustment), but %s", r.OfTarget(), f.Attribute, probability(min(c.GivenQ, c.OrderQ)), both)
	case c.AreaQ <= alpha:
		return fmt.Sprintf("Given the true or the predicted %s, the scores depend on %s (p %s after adjustment), but %s", r.OfTarget(), f.Attribute, probability(c.AreaQ), both)
	}
	return fmt.Sprintf("The guesses depend on %s (p %s after adjustment), but %s", f.Attribute, probability(c.GuessQ), both)
}

// among puts examples in front of what they have in common; "" stays.
func among(equal string) string {
	if equal == "" {
		return ""
	}
	return " among examples" + equal
}

// entropyOf returns the entropy of the attribute's classes in bits, 0 of numbers.
func entropyOf(f *Finding) float64 {
	h, n := 0., float64(f.Examples)
	for _, c := range f.Counts {
		if c > 0 {
			h -= float64(c) / n * math.Log2(float64(c)/n)
		}
	}
	return h
}

// seen says what the audit would have found, by kind of channel.
func (r *Result) seen(f *Finding) string {
	over := "over the baselines"
	if f.Reference != nil {
		over = "over what honest training leaks"
	}
	figures, absent := f.channelWords()
	if figures == "" {
		return fmt.Sprintf("No channel was planted, so it is not known how large an excess %s would have been found.%s", over, absent)
	}
	return fmt.Sprintf("In channels like the planted ones, an excess %s of at least this size is found with probability %s: %s. Other channels can carry more and stay hidden.%s",
		over, percent(f.Power.Probability), figures, absent)
}

// channelWords lists the kinds of channel with their figures, and in sentences those
// without one.
func (f *Finding) channelWords() (figures, absent string) {
	var have []string
	for _, c := range f.Power.Channels {
		switch {
		case c.Smallest != nil:
			have = append(have, fmt.Sprintf("%s %s", c.Channel, f.points(upward(*c.Smallest))))
		case c.missed():
			absent += fmt.Sprintf(" A channel planted in the %s was not found at any size.", c.Channel)
		default:
			absent += fmt.Sprintf(" For the %s it was not measured: %s.", c.Channel, c.Note)
		}
	}
	return strings.Join(have, ", "), absent
}

// blind says why finding nothing proves nothing, and what would help.
func (r *Result) blind(f *Finding) string {
	rarer := fmt.Sprintf(" Examples with more of the rarer values of %s would help.", f.Attribute)
	switch {
	case f.Shuffling == nil || f.Shuffling.Smallest != nil:
	case f.possible() <= r.Settings.Margin:
		return fmt.Sprintf("A guess that is always right would have an excess of %s, so finding nothing proves nothing.", f.points(f.possible())) + rarer
	default:
		return fmt.Sprintf("%s Shuffling %s among so few finds no leak, however large, so finding nothing proves nothing.", r.movable(f), f.Attribute)
	}
	if f.Power.Smallest == nil {
		return "How large an excess would have been found is not known."
	}
	if missed := f.Power.missed(); missed != nil {
		return fmt.Sprintf("Planted channels were not found at any size (%s), so finding nothing proves nothing. More examples would help.", strings.Join(missed, ", "))
	}
	s := fmt.Sprintf("In some kind of channel, only an excess of %s or more would have been found with probability %s, so finding nothing proves little.", f.points(upward(*f.Power.Smallest)), percent(f.Power.Probability))
	if most := f.possible(); most < *f.Power.Smallest {
		s = fmt.Sprintf("A guess that is always right would have an excess of %s. In some kind of channel only an excess of %s or more would have been found with probability %s, so finding nothing proves nothing.", f.points(most), f.points(upward(*f.Power.Smallest)), percent(f.Power.Probability))
		if most <= r.Settings.Margin {
			return s + rarer
		}
	}
	if x := f.Shuffling; x != nil && 2*x.Movable < f.Examples {
		return s + " " + r.movable(f) + " More examples of each " + cmp.Or(r.Target, "kind") + " would help."
	}
	if n := r.enough(f); n > 0 {
		return s + fmt.Sprintf(" About %d examples would be enough.", n)
	}
	return s
}

// enough estimates how many examples make the smallest detectable excess defaultBlind, or
// the possible excess if that is less: its standard error shrinks with their square root.
// It is 0 if more examples would not help.
func (r *Result) enough(f *Finding) int {
	fixed := r.Settings.Margin
	have, want := *f.Power.Smallest-fixed, min(defaultBlind, f.possible())-fixed
	if f.Power.FromReferences != nil && *f.Power.FromReferences > want+fixed || want <= 0 {
		return 0
	}
	digits := math.Pow(10, math.Floor(math.Log10(float64(f.Examples))))
	return int(math.Ceil(float64(f.Examples)*(have/want)*(have/want)/digits) * digits)
}

// points writes a difference of accuracies in points, or one of parts of a
// variance in percent.
func (f *Finding) points(x float64) string {
	if f.Numeric {
		return tenths(100*x) + " % of the variance"
	}
	return points(x)
}

// upward rounds up to a tenth of a point, so that the printed smallest excess is not smaller
// than the computed one.
func upward(x float64) float64 { return math.Ceil(1000*x-1e-6) / 1000 }

// downward rounds down to a tenth of a point, so that a printed lower limit is not larger than the
// computed one.
func downward(x float64) float64 { return math.Floor(1000*x+1e-6) / 1000 }

func (f *Finding) signed(x float64) string {
	if x >= .0005 {
		return "+" + f.points(x)
	}
	return f.points(x)
}

func percent(x float64) string {
	return strings.TrimSuffix(tenths(100*x), ".0") + " %"
}

// tenths writes x with one decimal; what rounds to zero has no sign.
func tenths(x float64) string {
	s := fmt.Sprintf("%.1f", x)
	if s == "-0.0" {
		return "0.0"
	}
	return minusSign(s)
}

func minusSign(s string) string { return strings.Replace(s, "-", "−", 1) }

// probability writes a p-value behind "p ".
func probability(p float64) string {
	if p < .0001 {
		return "< 0.0001"
	}
	return "= " + probabilityAlone(p)
}

func probabilityAlone(p float64) string {
	if p < .01 {
		return fmt.Sprintf("%.4f", max(p, .0001))
	}
	return fmt.Sprintf("%.2f", p)
}
