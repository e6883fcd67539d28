package report

import (
	"fmt"
	"strconv"

	"tattle/audit"
)

// ratesTable is how often audits said what.
func ratesTable(s *audit.Study) table {
	t := table{
		Name:  "How often",
		Says:  "Each interval has 99 % confidence (Clopper-Pearson).",
		Heads: []string{"what", "examples", "audits", "of", "share", "interval"},
	}
	for _, r := range s.Rates {
		t.add(r.Name, sizeWords(r.Examples), strconv.Itoa(r.Count), strconv.Itoa(r.Of), percent(r.Value), interval(r.Interval))
	}
	return t
}

// sizeWords is a number of examples, 0 being all sizes.
func sizeWords(n int) string {
	if n == 0 {
		return "all"
	}
	return grouped(n)
}

// rowsTable has a line for each kind of classifier and number of examples.
func rowsTable(s *audit.Study) table {
	t := table{
		Name: "What audits called what",
		Says: "True excess, over the best guess that needs no outputs and over honest training, and the smallest that audits say they detect (over those that state one): means, in points. " +
			"Verdicts are counts of curious / leaky beyond the target / leaky by correlation / no evidence / inconclusive; alone: the same audits without references.",
		Heads: []string{"data", "trained", "outputs", "examples", "audits", "true excess", "over honest", "verdicts", "detects", "alone", "detects"},
		Words: []int{1, 2}, Page: []string{"over honest", "alone", "detects"},
	}
	for _, r := range s.Rows {
		t.add(r.Data, r.Kind, string(r.Outputs), sizeWords(r.Examples), strconv.Itoa(r.Audits), tenths(r.Excess), tenths(r.Difference),
			r.With.String(), r.With.Detects(r.Audits), r.Without.String(), r.Without.Detects(r.Audits))
	}
	return t
}

// tenths is a share in points, to one digit.
func tenths(x float64) string { return minus(fmt.Sprintf("%.1f", 100*x)) }

// spreadsTable is what honest training leaks.
func spreadsTable(s *audit.Study) table {
	t := table{
		Name:  "What honest training leaks",
		Says:  "True excess over seeds, in points: mean, standard deviation of the attack's accuracy, and the largest.",
		Heads: []string{"data", "outputs", "nets", "honesty", "excess", "sd", "skew", "largest"}, Words: []int{1},
	}
	for _, p := range s.Spreads {
		t.add(p.Data, string(p.Outputs), strconv.Itoa(p.Classifiers), percent(p.Honesty), tenths(p.Excess), barePoints(p.SD), minus(fmt.Sprintf("%.2f", p.Skewness)), tenths(p.Largest))
	}
	return t
}

// studyControls are the planted models that each audit of a kind shares.
func studyControls(s *audit.Study) table {
	t := controlsTable(&audit.Result{Controls: s.Controls})
	t.Name, t.Says = "Controls", "Classifiers planted on the study's own tasks, one for each kind of outputs and number of examples."
	return t
}
