package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tattle/audit"
	"tattle/classify"
	"tattle/internal/file"
)

// standing says what the figures of an audit do not cover.
func standing(a *audit.Result) string {
	for i := range a.Findings {
		if a.Findings[i].BestBaseline() == nil {
			continue
		}
		s := "All figures are of attacks that ran on these examples. Another attack, or another attribute, may reveal more."
		if some := a.Settings.Attacks; len(some) > 0 && len(some) < len(classify.Learners()) {
			s = fmt.Sprintf("Only the attacks that --attacks lists ran (%s): without it, an audit has more. ", strings.Join(readable(some), ", ")) + s
		}
		return s
	}
	return "No attack ran, so nothing is demonstrated. This does not show that the outputs are safe."
}

// todo is what to do. The advice on a finding has the recommended defence; where nothing was found, or
// decided, there is nothing to defend against.
func todo(a *audit.Result) []string { return unique(readable(a.Advice)) }

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

// auditMeans says what the verdict means for a reader, and how far it reaches.
func auditMeans(a *audit.Result) []string {
	var said []string
	names := attributesOf(a, a.Verdict)
	switch a.Verdict {
	case audit.Curious, audit.LeakyBeyond:
		said = append(said, fmt.Sprintf("Anybody who has the outputs learns something about %s that %s does not explain.", names, shown(a).Explains()), honestBeside(a))
	case audit.Leaky:
		s := fmt.Sprintf("Anybody who has the outputs learns something about %s.", names)
		if a.Outputs != audit.Vector {
			s += fmt.Sprintf(" An honest model of %s may do the same, because both are correlated.", file.Name(a.Target))
		}
		said = append(said, s)
	case audit.Inconclusive:
		if len(a.Reasons) > 0 {
			said = append(said, a.Reasons[0])
		}
	case audit.NoEvidence:
		if couldHaveSeen(a) != "" {
			said = append(said, "Leaks that differ from the planted ones can be larger and are not detected.")
		}
	}
	return readable(append(said, controlled(a), uncontrolled(a), standing(a)))
}

// controlled says how the audit did where the result is known: empty without controls.
func controlled(a *audit.Result) string {
	var said, found []string
	for _, c := range a.Controls {
		switch {
		case c.Name == audit.NegativeControl && c.Passed:
			said = append(said, "with shuffled labels it found nothing, as it should")
		case c.Name == audit.NegativeControl:
			said = append(said, "with shuffled labels it found something, so its results cannot be trusted")
		case c.Passed:
			found = append(found, foundBy(c))
		default:
			said = append(said, fmt.Sprintf("it did not find %s (%s)", planted(a), c.Where))
		}
	}
	switch len(found) {
	case 0:
	case 1:
		said = append(said, "it found "+planted(a)+" ("+found[0]+")")
	default:
		said = append(said, fmt.Sprintf("it found %d planted curious models (%s)", len(found), and(found)))
	}
	return when(len(said) > 0, "Checks of this audit: "+strings.Join(unique(said), "; ")+".")
}

// foundBy says what a positive control was found by: right guesses, or scores alone.
func foundBy(c audit.Control) string {
	if c.Excess.Low > 0 {
		return "excess " + inPoints(c.Excess.Value, 1) + " points"
	}
	return "by scores, not by more right guesses"
}

// planted names what the positive control planted.
func planted(a *audit.Result) string {
	if a.Outputs == audit.Vector {
		return "a planted attribute"
	}
	return "a planted curious model"
}

// verdictWords are the verdict, what it rests on, and what is known of honest training.
func (r *Report) verdictWords() string {
	said := "Verdict: " + string(r.Audit.Verdict) + ". " + r.auditLead().Says
	if r.Audit.Verdict.ExceedsTarget() {
		said += " " + honestBeside(r.Audit)
	}
	return said
}

// honestBeside says what is known of honest training.
func honestBeside(a *audit.Result) string {
	const intent = "This does not show intent: "
	stated := when(a.Settings.Recipe == audit.RecipeStated, ", as stated by the person who ran the audit")
	if a.Settings.References > 0 && a.Settings.Recipe == audit.RecipeUnknown {
		return intent + "the references are not known to have the same recipe, so they can only show a difference."
	}
	if a.Verdict == audit.Curious {
		if f := strongest(a); f != nil && f.Reference != nil {
			return fmt.Sprintf("%s of the same recipe%s reveal less, by %s on average.", Count(len(f.Reference.Figures), "honestly trained classifier"), stated, inPoints(f.Reference.Difference, 1)+" points")
		}
		return "The comparison is with honest classifiers of the same recipe" + stated + "."
	}
	if a.Outputs == audit.Vector {
		return intent + "honest training may put as much into such vectors; this was not measured."
	}
	if a.Settings.References > 0 {
		return intent + "the outputs are not shown to reveal more than honest training by the same recipe."
	}
	return intent + "honest training for the same task may reveal as much; this was not measured."
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
		most, said = *x, inPoints(above(*x, .001), 1)+" points"
		if f.Numeric {
			said += " of the variance"
		}
	}
	return said
}

// findingWords are an attribute's verdict, the figure that it rests on, and its reasons.
func findingWords(f *audit.Finding) string {
	return briefly(f) + ". " + findingReasons(f)
}

// findingReasons are what the verdict on an attribute rests on.
func findingReasons(f *audit.Finding) string {
	return strings.Join(unique(readable(f.Reasons)), " ")
}

// baselines are the baselines' names in a table.
var baselines = map[string]string{audit.FromTarget: "from true target", audit.FromLabel: "from hard label", audit.FromBoth: "from both"}

// baselineBrief names a baseline in a table.
func baselineBrief(f *audit.Finding, name string) string {
	if name == audit.Majority && f.Numeric {
		return "mean"
	}
	return cmp.Or(baselines[name], printable(name))
}

// auditedOutputs names the kind of the outputs.
func auditedOutputs(a *audit.Result) string {
	if a.Binary {
		return "hard labels"
	}
	return outputWords(string(a.Outputs))
}

// auditedWords say what was audited.
func auditedWords(a *audit.Result) string {
	s := "Audited: " + auditedOutputs(a)
	if a.Target != "" {
		s += " of " + file.Name(a.Target)
	}
	s += " on " + Count(a.Examples, "example")
	if a.Sample != "" {
		s += " from " + file.Name(a.Sample)
	}
	if a.Outputs == audit.Vector {
		return s + "."
	}
	s += fmt.Sprintf("; the hard label is right for %s%s.", percent(a.Honesty.Value), intervalWords(Between(a.Honesty.Interval)))
	switch n := a.Settings.References; {
	case n == 0:
		return s + " No honest classifiers were trained for comparison."
	case a.Settings.Unpaired:
		return s + fmt.Sprintf(" For comparison, %s went through the same audit, on other examples.", Count(n, "honestly trained classifier"))
	default:
		return s + fmt.Sprintf(" For comparison, %s went through the same audit.", Count(n, "honestly trained classifier"))
	}
}

// uncontrolled warns of an audit without controls.
func uncontrolled(a *audit.Result) string {
	return when(len(a.Controls) == 0, "No controls were run, so it is not shown that this audit works on these data.")
}

// controls say what must come out of each control.
var controls = map[string]string{
	audit.NegativeControl: "with shuffled labels nothing must be found",
	audit.PositiveControl: "a planted curious model must be found",
}

// controlNote says what a control ran on, and what to do if it failed.
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
