package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/audit"
	"tattle/internal/file"
)

// standing says how far an audit's figures reach, where there are any.
func standing(a *audit.Result) string {
	for i := range a.Findings {
		if a.Findings[i].BestBaseline() != nil {
			return "All figures are demonstrated by attacks that ran on these examples. Nothing is certified or assumed: another attack may reveal more."
		}
	}
	return "No attack ran, so nothing is demonstrated. This does not show that the outputs are safe."
}

// todo is what to do, each thing once. Where nothing was found there is nothing to
// defend against.
func todo(a *audit.Result) []string {
	if a.Verdict == audit.NoEvidence {
		return unique(readable(a.Advice))
	}
	return unique(readable(append([]string{a.Recommendation}, a.Advice...)))
}

// readable makes sentences fit to be shown, and leaves out the empty ones.
func readable(sentences []string) []string {
	var out []string
	for _, s := range sentences {
		if s = strings.TrimSpace(printable(s)); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// verdictWords are the verdict on the whole release in a sentence or two.
func verdictWords(a *audit.Result) string {
	said := "Verdict: " + string(a.Verdict)
	of := attributesOf(a, a.Verdict)
	switch a.Verdict {
	case audit.Curious:
		return said + fmt.Sprintf(". The %s reveal %s beyond what %s explains, and more than %s of the same recipe%s.", outputWords(string(a.Outputs)), of, file.Name(a.Target), Count(a.Settings.References, "honestly trained network"), stated(a))
	case audit.LeakyBeyond:
		return said + fmt.Sprintf(". The %s reveal %s beyond what %s explains. This does not show intent: %s", outputWords(string(a.Outputs)), of, file.Name(a.Target), honestBeside(a))
	case audit.Leaky:
		return said + fmt.Sprintf(". The %s reveal something about %s, but are not shown to reveal more than the true and the predicted %s together, beyond the margins.", outputWords(string(a.Outputs)), of, file.Name(a.Target))
	case audit.NoEvidence:
		said += fmt.Sprintf(". No attack is shown to guess %s from the %s better than %s explains.", of, outputWords(string(a.Outputs)), file.Name(a.Target))
		if s := couldHaveSeen(a); s != "" {
			said += fmt.Sprintf(" In channels like the planted ones, an excess of %s or more is found with probability %g. Other channels can carry more and stay hidden.", s, audit.PowerProbability)
		}
		return said
	case audit.Inconclusive:
		return said + ". This audit shows neither that the outputs reveal an attribute beyond the task nor that they do not."
	}
	return said + "."
}

// honestBeside ends the sentence on outputs that are leaky beyond the target with what is known of
// honest training.
func honestBeside(a *audit.Result) string {
	if a.Settings.References > 0 && a.Settings.Recipe == audit.RecipeUnknown {
		return "the references are not known to have the same recipe, so they can only show a difference."
	}
	if a.Settings.References > 0 {
		return "the outputs are not shown to reveal more than honest training by the same recipe."
	}
	return "honest training for the same task may reveal as much; this was not measured."
}

// stated says that the recipe is known by a statement alone.
func stated(a *audit.Result) string {
	if a.Settings.Recipe == audit.RecipeStated {
		return ", as stated by whoever ran the audit"
	}
	return ""
}

// attributesOf names the attributes of a verdict.
func attributesOf(a *audit.Result, v audit.Verdict) string {
	const few = 5
	var names []string
	for _, f := range a.Findings {
		if f.Verdict == v {
			names = append(names, file.Name(f.Attribute))
		}
	}
	switch n := len(names); {
	case n == 0:
		return "the sensitive attributes"
	case n > few:
		names = append(names[:few], fmt.Sprintf("%d more", n-few))
	}
	return and(names)
}

// couldHaveSeen is the largest of the smallest detectable excesses where nothing was
// found, if any channel was planted and found.
func couldHaveSeen(a *audit.Result) string {
	most, said := -1., ""
	for _, f := range a.Findings {
		x := f.Power.Smallest
		if f.Verdict != audit.NoEvidence || x == nil || *x <= most || !slices.ContainsFunc(f.Power.Channels, func(c audit.ChannelPower) bool { return c.Found }) {
			continue
		}
		most, said = *x, minus(fmt.Sprintf("%.1f", 100*above(*x, .001)))+" points"
		if f.Numeric {
			said += " of the variance"
		}
	}
	return said
}

// barePoints prints a share in points.
func barePoints(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return minus(fmt.Sprintf("%.2f", 100*x))
}

// findingWords are an attribute's verdict and its reasons.
func findingWords(f *audit.Finding) string {
	return fmt.Sprintf("%s: %s. %s", file.Name(f.Attribute), f.Verdict, findingReasons(f))
}

// findingReasons are what the verdict on an attribute rests on.
func findingReasons(f *audit.Finding) string {
	said := f.Reasons
	if len(said) == 0 {
		said = []string{demonstratedWords(f), f.Unusable}
	}
	return strings.Join(unique(readable(said)), " ")
}

// demonstratedWords say what the chosen attacks reached, and beside what.
func demonstratedWords(f *audit.Finding) string {
	b := f.BestBaseline()
	if b == nil {
		return ""
	}
	compared := baselineOf(f, b.Name) + ", the best guess that uses only y and the answered label, "
	excess := fmt.Sprintf("The excess is %s points (one-sided limits %s and %s).", signed(Number(f.Excess.Value)), signed(Number(f.Excess.Low)), signed(Number(above(f.Excess.High, .0001))))
	if f.Curiosity != nil {
		return fmt.Sprintf("Demonstrated: attacks that were fitted without the example guess it correctly for %s%s; %s. %s", percent(f.Curiosity.Value), intervalWords(Between(f.Curiosity.Interval)), compared+figureOf(b.Accuracy, nil), excess)
	}
	if f.R2 != nil && b.R2 != nil {
		return fmt.Sprintf("Demonstrated: attacks that were fitted without the example explain %s of its variance; %s. %s", percent(*f.R2), compared+percent(*b.R2), excess)
	}
	return ""
}

// baselineOf names a baseline of a finding.
func baselineOf(f *audit.Finding, name string) string {
	switch {
	case name == audit.Majority && f.Numeric:
		return "the mean"
	case name == audit.Majority:
		return "the majority"
	case name == audit.FromTarget:
		return "guessing from the true target"
	case name == audit.FromLabel:
		return "guessing from the hard label"
	case name == audit.FromBoth:
		return "guessing from the true target and the hard label together"
	}
	return printable(name)
}

// baselineBrief names it in a table.
func baselineBrief(f *audit.Finding, name string) string {
	switch {
	case name == audit.Majority && f.Numeric:
		return "mean"
	case name == audit.FromTarget:
		return "from true target"
	case name == audit.FromLabel:
		return "from hard label"
	case name == audit.FromBoth:
		return "from both"
	}
	return printable(name)
}

// auditedWords say what was audited.
func auditedWords(a *audit.Result) string {
	s := fmt.Sprintf("Audited: %s of %s on %s", outputWords(string(a.Outputs)), file.Name(a.Target), Count(a.Examples, "example"))
	if a.Sample != "" {
		s += " from " + file.Name(a.Sample)
	}
	s += fmt.Sprintf("; the hard label is right for %s%s.", percent(a.Honesty.Value), intervalWords(Between(a.Honesty.Interval)))
	switch n := a.Settings.References; {
	case n == 0:
		return s + " No honest networks were trained for comparison."
	case a.Settings.Unpaired:
		return s + fmt.Sprintf(" For comparison, %s went through the same audit, on other examples.", Count(n, "honestly trained network"))
	default:
		return s + fmt.Sprintf(" For comparison, %s went through the same audit.", Count(n, "honestly trained network"))
	}
}

// uncontrolled warns of an audit without controls; reasons speak of those there are.
func uncontrolled(a *audit.Result) string {
	if len(a.Controls) > 0 {
		return ""
	}
	return "No controls were run, so it is not shown that this audit works on these data."
}

func controlName(name string) string {
	switch name {
	case audit.NegativeControl:
		return "with shuffled labels nothing must be found"
	case audit.PositiveControl:
		return "a planted curious model must be found"
	}
	return printable(name)
}

// controlNote says on what a control ran, and what there is to say about it.
func controlNote(c audit.Control) string {
	s := "The " + c.Name + " control ran on " + c.Where
	if c.Attribute != "" {
		s += " (" + file.Name(c.Attribute) + ")"
	}
	s += "."
	if c.Note != "" {
		s += " " + c.Note
	}
	if !c.Passed && c.Advice != "" {
		s += " " + c.Advice
	}
	return s
}
