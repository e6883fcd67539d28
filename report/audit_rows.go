package report

import (
	"fmt"
	"slices"
	"strings"

	"tattle/audit"
	"tattle/internal/file"
)

// evidenceRows are the further figures about an attribute.
func evidenceRows(a *audit.Result, f *audit.Finding) []Setting {
	rows := []Setting{{"shuffled" + when(a.Target != "", " within y"), fmt.Sprintf("guesses are as good with %s, in %d draws", pValue(f.Permutation.P), f.Permutation.Draws)}}
	switch {
	case f.Numeric && f.R2 != nil && f.Interval != nil:
		rows = append(rows, Setting{"guessed", fmt.Sprintf("attacks explain %s of the variance of %s on %s (R²; 95 %% interval %s to %s)", percent1(*f.R2), file.Name(f.Attribute), Count(f.Examples, "example"), percent1(f.Interval[0]), percent1(f.Interval[1]))})
	case f.Curiosity != nil:
		rows = append(rows, Setting{"guessed", fmt.Sprintf("attacks are right on %s of %s (95 %% interval %s)", percent1(f.Curiosity.Value), Count(f.Examples, "example"), intervalOf(*f.Curiosity))})
	}
	if x := f.Reference; x != nil {
		rows = append(rows,
			Setting{"honest classifiers", fmt.Sprintf("%d of them reveal %s ± %s points%s", len(x.Figures), meanLeak(f, x.Mean), inPoints(x.SD, 2), when(x.Unpaired, ", on other examples"))},
			Setting{"above them", fmt.Sprintf("%s points (one-sided limits %s and %s), %s (Student's t, %d degrees of freedom)", change(x.Difference, 2), change(x.Low, 2), change(x.High, 2), pValue(x.P), x.Freedom)})
	}
	rows = append(rows, givenRows(a, f)...)
	if c := f.Correlation; c.Measured {
		if a.Outputs != audit.Vector {
			rows = append(rows, Setting{"hard label and " + file.Name(f.Attribute) + " independent", pValue(c.LabelQ) + ", adjusted"})
		}
		rows = append(rows,
			Setting{"guess and " + file.Name(f.Attribute) + " independent", pValue(c.GuessQ) + ", adjusted"})
	}
	return append(rows, powerRow(f))
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
		{given, fmt.Sprintf("%s%s of %s (one-sided limits %s and %s; margin %s), %s; %s by %d %s; attacks: %s", figure(g.Gain), unit, figure(g.Baseline), figure(g.Low), figure(above(g.High, .0001)), figure(g.Margin), pValue(g.P), pValue(g.Permutation.P), g.Permutation.Draws, within, inFolds(g.Chosen))},
	}
	if x := g.Reference; x != nil {
		rows = append(rows, Setting{"gain of honest classifiers", fmt.Sprintf("%s ± %s over %d of them; this one %s above (one-sided limits %s and %s), %s", figure(x.Mean), figure(x.SD), len(x.Figures), figure(x.Difference), figure(x.Low), figure(above(x.High, .0001)), pValue(x.P))})
	}
	if t := g.Order; t != nil {
		rows = append(rows, Setting{fmt.Sprintf("AUC of %s %s", file.Name(t.Class), both), fmt.Sprintf("%.3f (standard error %.3f; margin %.3f; of %s compared), %s; %s by %d %s; %s adjusted", t.Area, t.StandardError, t.Margin, Count(t.Compared, "value"), pValue(t.P), pValue(t.Permutation.P), t.Permutation.Draws, within, pValue(t.Adjusted))})
	}
	return rows
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
