package report

import (
	"fmt"
	"slices"

	"tattle/audit"
	"tattle/classify"
)

// figureOf prints an accuracy, or a share of variance.
func figureOf(p *classify.Proportion, r2 *float64) string {
	switch {
	case p != nil:
		return percent(p.Value)
	case r2 != nil:
		return minus(fmt.Sprintf("R² %.3f", *r2))
	}
	return "–"
}

// figure1 is figureOf with one decimal.
func figure1(p *classify.Proportion, r2 *float64) string {
	if p != nil {
		return percent1(p.Value)
	}
	return figureOf(p, r2)
}

// gainOf prints what the outputs reveal given y and the answered label.
func gainOf(g *audit.Given, numeric bool) string {
	switch {
	case g == nil:
		return "–"
	case numeric:
		return minus(fmt.Sprintf("R² %.3f", g.Gain))
	}
	return minus(fmt.Sprintf("%.4f", g.Gain))
}

func intervalOf(p classify.Proportion) string { return rowInterval(Between(p.Interval)) }

// known prints a figure, or a dash if it is not known.
func known[T any](x *T, print func(T) string) string {
	if x == nil {
		return "–"
	}
	return print(*x)
}

// points2 prints points with two decimals.
func points2(x float64) string { return inPoints(x, 2) }

// seen prints a smallest detectable excess, never less than it is.
func seen(smallest float64) string { return inPoints(above(smallest, .0001), 2) }

// auditWords are the words of an audit.
func auditWords(a *audit.Result) []Setting {
	words := []Setting{
		{"guessed", "The share of examples whose attribute attacks guess right from the outputs, each example by attacks that were chosen and fitted without it (for numbers: R²)."},
		{"without", "The same for the best guess that uses only " + knownWords(a) + "."},
		{"excess", fmt.Sprintf("The difference of both, in points, with one-sided limits, each at %s. The verdict needs more than the margin of %s points.", confidenceWords(a), inPoints(a.Settings.Margin, 2))},
		{"gain, bits", "How much better the attacks' scores predict the attribute for an adversary who knows " + labelWords(a) + ". It finds leaks about rare values, which guesses miss."},
		{"AUC", "The share of pairs of examples, one with a value of the attribute and one without, that an attack's scores rank right" + rankedAmong(a) + ". Chance is 50 %; below 60 % is weak, below 70 % moderate, below 90 % strong, more nearly complete."},
		{"p", fmt.Sprintf("Of the strongest of excess, gain and AUC given both labels, adjusted for these three and for %s. Those of the baselines are not adjusted.", Count(len(a.Findings), "attribute"))},
		{"detectable", fmt.Sprintf("The smallest excess%s, in points, that is found with probability %g in channels like the planted ones. Other channels can carry more and stay hidden.", when(a.Settings.References > 0, " over honest classifiers"), audit.PowerProbability)},
		{"honesty", "How often the predicted label is right; “lost”: how many points a defence loses of it."},
		{"reveals", "Whether, after a defence, the gain or the AUC given both labels is shown to be above its margin."},
		{"lost, of a channel", "The part of “found from” that is due to learning from few examples."},
	}
	if a.Outputs == audit.Vector {
		words = slices.DeleteFunc(words, func(w Setting) bool { return w.Key == "honesty" || w.Key == "reveals" })
	}
	return words
}

// labelWords says which labels the gain takes as known.
func labelWords(a *audit.Result) string {
	if a.Outputs == audit.Vector {
		return knownWords(a)
	}
	return "the true and the predicted label"
}

// rankedAmong says among which pairs of examples the AUC is.
func rankedAmong(a *audit.Result) string {
	switch {
	case a.Outputs != audit.Vector:
		return ", among those with equal true and predicted label"
	case a.Target == "":
		return ""
	}
	return ", among those" + equalWords(a)
}

func confidenceWords(a *audit.Result) string {
	return fmt.Sprintf("%.4g %%", 100*a.Settings.Confidence)
}

// plantedHow says what the positive control audits.
func plantedHow(a *audit.Result) string {
	if a.Outputs == audit.Vector {
		return "an attribute that was written into the vectors"
	}
	return "a model that was trained to be curious"
}

// passedWords are the outcomes of a control.
var passedWords = map[bool]string{true: "passed", false: "FAILED"}

// shownIn says whether a defence leaves a gain or an AUC that is shown to be above its margin.
func shownIn(l *audit.DefenceLeft, a *audit.Result) string {
	switch {
	case l.Given == nil:
		return "–"
	case l.Reveals(1 - a.Settings.Confidence):
		return "yes"
	}
	return "no"
}

// defended says on how many examples the defences were tried.
func defended(a *audit.Result) string {
	if len(a.Defences) == 0 {
		return ""
	}
	return fmt.Sprintf(" on %s of the %s", grouped(a.Defences[0].Honesty.Examples), Count(a.Examples, "example"))
}

// defenceNotes are the notes on defences; those with the same note stand together.
func defenceNotes(a *audit.Result) []Setting {
	var notes []Setting
	for _, d := range a.Defences {
		notes = noted(notes, d.Name, d.Note)
	}
	return notes
}

// worstFirst are the findings in the order of their verdicts, the worst first.
func worstFirst(a *audit.Result) []*audit.Finding {
	place := func(f *audit.Finding) int { return slices.Index(audit.Verdicts(), f.Verdict) }
	var list []*audit.Finding
	for i := range a.Findings {
		list = append(list, &a.Findings[i])
	}
	slices.SortStableFunc(list, func(x, y *audit.Finding) int { return place(x) - place(y) })
	return list
}
