package report

import (
	"fmt"
	"slices"
	"strings"

	"tattle/audit"
	"tattle/internal/file"
)

// ofTarget is the target in words: where its numbers were cut into classes, the class is known, and
// not the number.
func ofTarget(a *audit.Result) string {
	name := file.Name(a.Target)
	if !a.Numeric && slices.ContainsFunc(a.Classes, func(c string) bool {
		return strings.HasPrefix(c, "<") || strings.HasPrefix(c, ">") || strings.Contains(c, "..")
	}) {
		return "class of " + name
	}
	return name
}

// knownWords are what the baselines know, beside how often values of an attribute are.
func knownWords(a *audit.Result) string {
	switch {
	case a.Outputs != audit.Vector:
		return "the true and the predicted " + ofTarget(a)
	case a.Target != "":
		return "the true " + ofTarget(a)
	}
	return "the frequencies of its values"
}

// equalWords are what examples have in common that are compared with one another; "" if it
// is nothing.
func equalWords(a *audit.Result) string {
	switch {
	case a.Outputs != audit.Vector:
		return " with equal true and predicted " + ofTarget(a)
	case a.Numeric:
		return " with similar true " + ofTarget(a)
	case a.Target != "":
		return " with equal true " + ofTarget(a)
	}
	return ""
}

// explainsWords are what explains some of an attribute: the target, or how often its values are.
func explainsWords(a *audit.Result) string {
	switch of := ofTarget(a); {
	case a.Target == "":
		return "the frequency of its values"
	case strings.HasPrefix(of, "class of "):
		return "the " + of
	default:
		return of
	}
}

// bestGuess says what the best baseline is.
func bestGuess(a *audit.Result, f *audit.Finding) string {
	switch {
	case f.Best == audit.Majority && f.Numeric:
		return "always guessing the mean"
	case f.Best == audit.Majority:
		return "always guessing the most frequent value"
	case f.Best == audit.FromTarget:
		return "guessing from the true " + ofTarget(a)
	case f.Best == audit.FromBoth:
		return fmt.Sprintf("guessing from the true and the predicted %s together", ofTarget(a))
	}
	return "guessing from the predicted " + ofTarget(a)
}

// Undecided says why an audit is inconclusive, for each attribute without a verdict.
func Undecided(a *audit.Result) []string {
	var said []string
	for i := range a.Findings {
		if f := &a.Findings[i]; f.Verdict == audit.Inconclusive {
			said = append(said, file.Name(f.Attribute)+": "+undecidedSays(a, f))
		}
	}
	if len(a.Findings) > 0 && a.Findings[0].Undecided.Why == audit.ByControl {
		return unique(said[:1])
	}
	return said
}

// undecidedSays says why there is no verdict on an attribute.
func undecidedSays(a *audit.Result, f *audit.Finding) string {
	most := ""
	if f.Power.Smallest != nil {
		most = inPoints(above(*f.Power.Smallest, .001), 1) + " points"
	}
	said := ""
	switch f.Undecided.Why {
	case audit.ByExamples:
		return f.Unusable
	case audit.ByControl:
		return controlled(a)
	case audit.ByMargin:
		said = fmt.Sprintf("A guess that is always right would not exceed the margin, so finding nothing proves nothing. Examples with more of the rarer values of %s would help.", file.Name(f.Attribute))
	case audit.ByShuffling:
		said = fmt.Sprintf("Only %d of %d examples are in one fold with another one%s that has a different %s, so finding nothing proves nothing.", f.Shuffling.Movable, f.Examples, equalWords(a), file.Name(f.Attribute))
	case audit.ByChannel:
		said = "A planted channel was not found at any size, so finding nothing proves nothing. More examples would help."
	case audit.ByUnknown:
		said = "How large an excess would have been found is not known."
	case audit.ByPossible:
		said = fmt.Sprintf("Only an excess of %s or more would have been found, and a guess that is always right has less.", most)
	case audit.ByPower:
		said = fmt.Sprintf("In some kind of channel, only an excess of %s or more would have been found with probability %g.", most, f.Power.Probability)
	}
	if n := f.Undecided.Enough; n > 0 {
		said += fmt.Sprintf(" About %d examples would be enough.", n)
	}
	return said
}

// Todo is what to do.
func Todo(a *audit.Result) []string {
	var list []string
	for _, c := range a.Controls {
		switch {
		case c.Passed:
		case c.Name == audit.NegativeControl:
			list = append(list, "Remove copied examples and audit again with another --seed. If it fails again, report a bug in this program.")
		default:
			list = append(list, fmt.Sprintf("What was planted was not found on %s: give more examples, or run all attacks.", Count(c.Examples, "example")))
		}
	}
	if list != nil {
		return list
	}
	switch a.Verdict {
	case audit.Curious:
		list = append(list, closeLeak(a), "Ask whoever trained the model for its training code and data: its outputs reveal more than those of honest classifiers of the same recipe.")
	case audit.LeakyBeyond:
		list = append(list, closeLeak(a))
		if a.Settings.References > 0 && a.Settings.Recipe == audit.RecipeUnknown {
			list = append(list, "Compare with references of the audited model's own recipe; --same-recipe states that they have it.")
		} else if a.Settings.References == 0 && a.Outputs != audit.Vector {
			list = append(list, "Measure how much honest training reveals: --reference trains nets on the training data; for a file of outputs, --reference-scores names those of your own honest classifiers.")
		}
	case audit.Leaky:
		if a.Outputs != audit.Vector {
			list = append(list, "Decide whether the task may reveal this attribute at all: no honest model can hide what its label reveals.")
		}
		list = append(list, closeLeak(a))
	case audit.Inconclusive:
		list = append(list, "Audit more examples, with every class of every attribute among them.")
	case audit.NoEvidence:
		list = append(list, "Repeat the audit when the model, its outputs or the population changes.")
	}
	return readable(list)
}

// closeLeak says how to release less.
func closeLeak(a *audit.Result) string {
	const remains = " What the label itself reveals remains."
	leaves := fmt.Sprintf("an excess of at most %s points and no gain or AUC shown above its margin (upper limits for all %d releases together)", inPoints(a.Settings.Margin, 1), len(a.Defences))
	if a.Recommendation.Shown {
		leaves = fmt.Sprintf("an excess of at most %s points, and gain and AUC at most their margins (upper limits for all %d releases together)", inPoints(a.Settings.Margin, 1), len(a.Defences))
	}
	switch x := a.Recommendation; x.Choice {
	case audit.ChooseNone:
		return fmt.Sprintf("No defence is needed against the attacks that were tried: without one they leave %s.", leaves)
	case audit.ChooseDefence:
		s := fmt.Sprintf("Release %q: of the defences that leave %s, it is the least change of those whose honesty is not shown to be less than the highest.", x.Defence, leaves)
		return s + when(x.Defence == audit.LabelOnly, remains)
	case audit.ChooseLabel:
		s := fmt.Sprintf("Release the label only, or nothing: no release that was tried is shown to leave %s.", leaves) + remains
		return s + when(x.Defence != "", fmt.Sprintf(" %q would be enough if it had been tried alone: try it on other examples.", x.Defence))
	case audit.ChooseUntried:
		return "No attribute could be attacked, so no defence could be tried."
	}
	if a.Outputs == audit.Vector {
		return "Release less than these vectors, such as fewer numbers or what the task needs of them, and audit what is released."
	}
	return "Release less than these outputs, at best the label alone, and audit what is released."
}
