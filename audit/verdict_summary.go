package audit

import (
	"cmp"
	"fmt"
	"strings"
)

// summary returns the reasons for the verdict on the whole.
func (r *Result) summary() []string {
	if len(r.Findings) == 0 {
		return []string{"There was no attribute to audit."}
	}
	var list []string
	if c := r.failed(); c != nil {
		list = append(list, controlSentence(c))
	}
	for _, v := range Verdicts() {
		if names := r.named(v); names != "" && r.failed() == nil {
			list = append(list, fmt.Sprintf("%s: %s.", names, r.means(v)))
			if v == Inconclusive {
				list[len(list)-1] += " " + strings.TrimPrefix(strings.Join(r.Undecided(), " "), names+": ")
			}
		}
	}
	if r.failed() == nil {
		list = append(list, r.controls())
	}
	return nonEmpty(list)
}

// named lists the attributes of a verdict.
func (r *Result) named(v Verdict) string {
	var names []string
	for i := range r.Findings {
		if r.Findings[i].Verdict == v {
			names = append(names, r.Findings[i].Attribute)
		}
	}
	return strings.Join(names, ", ")
}

// means says a verdict in words.
func (r *Result) means(v Verdict) string {
	switch v {
	case Curious:
		return fmt.Sprintf("the outputs reveal more than %s explains, and more than honest training by the same recipe%s", r.Explains(), r.stated())
	case LeakyBeyond:
		return fmt.Sprintf("the outputs reveal more than %s explains, which does not show intent", r.Explains())
	case Leaky:
		return fmt.Sprintf("the outputs depend on the attribute, but are not shown to reveal more than %s, beyond the margins", r.together())
	case NoEvidence:
		return "nothing was found" + r.could()
	}
	return "the examples do not allow a verdict"
}

// mostUndecided is the most attributes whose reasons Undecided returns.
const mostUndecided = 3

// Undecided returns why an audit is inconclusive: the control that failed, or a reason for
// each attribute.
func (r *Result) Undecided() []string {
	if r.failed() != nil {
		return r.Reasons
	}
	var reasons []string
	more := 0
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Verdict == Inconclusive && len(reasons) < mostUndecided {
			reasons = append(reasons, f.Attribute+": "+cmp.Or(f.Unusable, r.blind(f)))
		} else if f.Verdict == Inconclusive {
			more++
		}
	}
	if more > 0 {
		reasons = append(reasons, fmt.Sprintf("The reasons for %d more are in the findings.", more))
	}
	return reasons
}

// stated ends a sentence if the recipe is known by a statement only.
func (r *Result) stated() string {
	if r.Settings.Recipe == RecipeStated {
		return " (the recipe is as stated by whoever ran the audit)"
	}
	return ""
}

// could states the largest of the smallest detectable excesses.
func (r *Result) could() string {
	most, what := 0., ""
	for i := range r.Findings {
		f := &r.Findings[i]
		if figures, _ := f.channelWords(); f.Verdict == NoEvidence && figures != "" && *f.Power.Smallest >= most {
			most, what = *f.Power.Smallest, f.points(upward(*f.Power.Smallest))
		}
	}
	if what == "" {
		return ""
	}
	return fmt.Sprintf(" (in channels like the planted ones, an excess of %s or more is found with probability %s; others can stay hidden)", what, percent(PowerProbability))
}

// controls reports the controls; none of them failed.
func (r *Result) controls() string {
	var list []string
	planted := false
	for i := range r.Controls {
		list = append(list, controlSentence(&r.Controls[i]))
		planted = planted || r.Controls[i].Name != NegativeControl
	}
	if len(list) > 0 && !planted {
		list = append(list, "No curious model was planted, so it is not shown that this audit finds one.")
	}
	return strings.Join(list, " ")
}

// controlSentence reports one control.
func controlSentence(c *Control) string {
	what, where := "A planted curious model", ""
	switch {
	case c.Name == NegativeControl:
		what = "Shuffled labels"
	case c.Where == directionPlanted:
		what = "A planted attribute"
	}
	if c.Where != "" {
		where = " (" + c.Where + ")"
	}
	switch {
	case c.Name == NegativeControl && c.Passed:
		return what + where + " gave nothing, as they should."
	case c.Name == NegativeControl:
		return fmt.Sprintf("%s%s gave a finding (verdict %q, excess %s, p %s), so no other result can be trusted.", what, where, c.Verdict, points(c.Excess.Value), probability(c.P))
	case c.Passed:
		return fmt.Sprintf("%s%s was found%s.", what, where, c.foundBy())
	}
	return fmt.Sprintf("%s%s was not found (verdict %q, excess %s), so finding nothing elsewhere proves nothing.", what, where, c.Verdict, points(c.Excess.Value))
}

// foundBy says what a positive control was found by: right guesses, or scores alone.
func (c *Control) foundBy() string {
	if c.Excess.Low > 0 {
		return ", with an excess of " + points(c.Excess.Value)
	}
	return fmt.Sprintf(" by the attacks' scores (p %s), not by more right guesses", probability(c.P))
}

// advice says what to do.
func (r *Result) advice() []string {
	if c := r.failed(); c != nil {
		return nonEmpty([]string{c.Advice, "Run again with more examples and another --seed. If the control fails again, there are too few examples, or some belong together, as copies or frames of one recording do."})
	}
	list := []string{}
	switch r.Verdict {
	case Curious:
		list = append(list, r.closeLeak(), "Ask whoever trained the model for its training code and data: its outputs reveal more than those of honest classifiers of the same recipe"+r.stated()+".")
	case LeakyBeyond:
		list = append(list, r.closeLeak())
		if r.Settings.References > 0 && r.Settings.Recipe == RecipeUnknown {
			list = append(list, "Compare with references of the audited model's own recipe; --same-recipe states that they have it.")
		} else if r.Settings.References == 0 && r.Outputs != Vector {
			list = append(list, "Measure how much honest training reveals: --reference trains nets on the training data; for a file of outputs, --reference-scores names those of your own honest classifiers.")
		}
	case Leaky:
		if r.Outputs != Vector {
			list = append(list, "Decide whether the task may reveal this attribute at all: no honest model can hide what its label reveals.")
		}
		list = append(list, r.closeLeak())
	case Inconclusive:
		list = append(list, "Audit more examples, with every class of every attribute among them.")
	case NoEvidence:
		list = append(list, "Repeat the audit when the model, its outputs or the population changes.")
	}
	return nonEmpty(list)
}

// together is Known for what two labels say jointly.
func (r *Result) together() string {
	if r.Outputs == Vector {
		return r.Known()
	}
	return r.Known() + " together"
}

// closeLeak says how to release less.
func (r *Result) closeLeak() string {
	if r.Outputs == Vector {
		return "Release less than these vectors, such as fewer numbers or what the task needs of them, and audit what is released."
	}
	if r.Recommendation != "" {
		return r.Recommendation
	}
	return "Release less than these outputs, at best the label alone, and audit what is released."
}
