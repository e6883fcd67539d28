package report

import (
	"fmt"
	"slices"
	"strings"

	"tattle/audit"
	"tattle/classify"
	"tattle/internal/file"
)

// evidenceRows are the further figures about an attribute.
func evidenceRows(a *audit.Result, f *audit.Finding) []Setting {
	rows := []Setting{{"shuffled" + when(a.Target != "", " within y"), fmt.Sprintf("guesses are as good with %s, in %d draws", pValue(f.Permutation.P), f.Permutation.Draws)}}
	if x := f.Reference; x != nil {
		rows = append(rows,
			Setting{"honest classifiers", fmt.Sprintf("%d of them reveal %s ± %s points%s", len(x.Figures), meanLeak(f, x.Mean), inPoints(x.SD, 2), when(x.Unpaired, ", on other examples")+balancedWords(x))},
			Setting{"above them", fmt.Sprintf("%s points (one-sided limits %s and %s), %s (Student's t, %d degrees of freedom)", change(x.Difference, 2), change(x.Low, 2), change(x.High, 2), pValue(x.P), x.Freedom)})
	}
	rows = append(rows, givenRows(a, f)...)
	if x := f.Leakage; x != nil {
		rows = append(rows,
			Setting{"multiplicative leakage", fmt.Sprintf("%.3f times the share of the majority class is guessed (95 %% interval %.3f to %.3f), and %.3f times the share guessed from the hard label (%.3f to %.3f)", x.Multiplicative, x.Interval[0], x.Interval[1], x.GivenLabel, x.GivenInterval[0], x.GivenInterval[1])},
			Setting{"min-entropy leakage", minus(fmt.Sprintf("%.3f bits, the logarithm of the first factor", x.MinEntropyBits))})
	}
	if x := f.Information; x != nil {
		rows = append(rows, Setting{"information of the guess", informationWords(x)})
	}
	if c := f.Correlation; c.Measured {
		if c.Target.CeilingBits > 0 && a.Target != "" { // classes, and not numbers
			rows = append(rows, Setting{"true y and " + file.Name(f.Attribute) + " share", informationWords(&c.Target)})
		}
		if c.Label.CeilingBits > 0 {
			rows = append(rows, Setting{"hard label and " + file.Name(f.Attribute) + " share", informationWords(&c.Label)})
		}
		if a.Outputs != audit.Vector {
			rows = append(rows, Setting{"hard label and " + file.Name(f.Attribute) + " independent", pValue(c.LabelQ) + ", adjusted"})
		}
		rows = append(rows,
			Setting{"guess and " + file.Name(f.Attribute) + " independent", pValue(c.GuessQ) + ", adjusted"})
	}
	return append(rows, powerRow(f))
}

// balancedWords says the references' mean balanced accuracy, where it is known.
func balancedWords(x *audit.ReferenceTest) string {
	if x.Balanced == nil {
		return ""
	}
	return fmt.Sprintf("; balanced accuracy %s", percent(*x.Balanced))
}

// givenRows are the figures given y and the answered label.
func givenRows(a *audit.Result, f *audit.Finding) []Setting {
	g := f.Given
	if g == nil {
		return nil
	}
	unit := " bits"
	if f.Numeric {
		unit = " of the variance left"
	}
	given, both, within := "gain given y and label", "given both", "permutations within y and label"
	switch {
	case a.Outputs == audit.Vector && a.Target != "":
		given, both, within = "gain given y", "given y", "permutations within y"
	case a.Outputs == audit.Vector:
		given, both, within = "gain", "over all pairs", "permutations"
	}
	figure := func(x float64) string { return minus(fmt.Sprintf("%.4f", x)) }
	rows := []Setting{
		{given, fmt.Sprintf("%s%s of %s (two-sided interval %s to %s, one-sided limits %s and %s; margin %s), %s; %s by %d %s; attacks: %s", figure(g.Gain), unit, figure(g.Baseline), figure(g.Interval[0]), figure(g.Interval[1]), figure(g.Low), figure(above(g.High, .0001)), figure(g.Margin), pValue(g.P), pValue(g.Permutation.P), g.Permutation.Draws, within, inFolds(g.Chosen))},
	}
	if x := g.Reference; x != nil {
		rows = append(rows, Setting{"gain of honest classifiers", fmt.Sprintf("%s ± %s over %d of them; this one %s above (one-sided limits %s and %s), %s", figure(x.Mean), figure(x.SD), len(x.Figures), figure(x.Difference), figure(x.Low), figure(above(x.High, .0001)), pValue(x.P))})
	}
	for _, x := range g.Areas {
		if a.Target == "" {
			continue // that of all pairs
		}
		rows = append(rows, Setting{fmt.Sprintf("AUC of %s given %s", file.Name(x.Class), areaGiven(x.Given)), fmt.Sprintf("%.3f (interval %.3f to %.3f, %d examples of it), %s, %s adjusted", x.Area, x.Interval[0], x.Interval[1], x.Positives, pValue(x.P), pValue(x.Adjusted))})
	}
	if t := g.Order; t != nil {
		rows = append(rows, Setting{fmt.Sprintf("AUC of %s %s", file.Name(t.Class), both), fmt.Sprintf("%.3f (standard error %.3f; margin %.3f; of %s compared), %s; %s by %d %s; %s adjusted", t.Area, t.StandardError, t.Margin, Count(t.Compared, "value"), pValue(t.P), pValue(t.Permutation.P), t.Permutation.Draws, within, pValue(t.Adjusted))})
	}
	return rows
}

func areaGiven(given string) string {
	if given == audit.GivenLabel {
		return "the hard label"
	}
	return "the true y"
}

// inFolds lists names, each once, with how often it is there.
func inFolds(names []string) string {
	var said []string
	for i, name := range names {
		n := 0
		for _, x := range names {
			if x == name {
				n++
			}
		}
		if slices.Index(names, name) == i {
			said = append(said, fmt.Sprintf("%s in %s", name, Count(n, "fold")))
		}
	}
	return strings.Join(said, ", ")
}

// meanLeak prints the mean leak of an attribute: a percentage, or R² of a numeric one.
func meanLeak(f *audit.Finding, mean float64) string {
	if f.Numeric {
		return figureOf(nil, &mean)
	}
	return percent(mean)
}

func informationWords(m *classify.MutualInformation) string {
	return fmt.Sprintf("%.3f bits (95 %% interval %.3f to %.3f; %d examples can show at most %.2f)", m.Bits, m.Interval[0], m.Interval[1], m.Examples, m.CeilingBits)
}

// powerRow is the power over all kinds of channel that were planted.
func powerRow(f *audit.Finding) Setting {
	p, over := f.Power, when(f.Reference != nil, " over honest classifiers")
	if p.Smallest == nil {
		return Setting{"detectable", "not known"}
	}
	s := fmt.Sprintf("in channels like the planted ones, an excess%s of %s points or more is found with probability %g (in points: standard error %s", over, known(p.Smallest, seen), p.Probability, inPoints(p.StandardError, 2))
	if p.FromReferences != nil {
		s += "; due to the spread of honest classifiers: " + inPoints(*p.FromReferences, 2)
	}
	return Setting{"detectable", s + "); other channels can carry more and stay hidden"}
}

// entropyRows are what is known of how sure the outputs are.
func entropyRows(e *audit.EntropyShift) []Setting {
	if e == nil {
		return nil
	}
	rows := []Setting{{"mean entropy", fmt.Sprintf("%.3f bits", e.MeanBits)}}
	if e.ReferenceMean != nil && e.ReferenceSD != nil && e.ShiftBits != nil && e.P != nil {
		rows = append(rows, Setting{"of honest classifiers", fmt.Sprintf("%.3f ± %.3f bits, %s; shift %s bits, %s", *e.ReferenceMean, *e.ReferenceSD, Count(e.References, "classifier"), minus(fmt.Sprintf("%+.3f", *e.ShiftBits)), pValue(*e.P))})
	}
	for _, d := range e.Differences {
		rows = append(rows, Setting{"given y, by " + file.Name(d.Attribute), fmt.Sprintf("%.3f bits between %s (most) and %s (least), 95 %% interval %.3f to %.3f", d.Bits, file.Name(d.Highest), file.Name(d.Lowest), d.Interval[0], d.Interval[1])})
	}
	return rows
}
