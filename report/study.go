package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"tattle/audit"
)

// What a study is to show of audits.
const (
	studyAlarm      = .05 // of honest classifiers called curious, at most
	studyStrong     = .99 // of strongly curious ones detected, at least
	studyStrongAt   = 2000
	studyPromised   = .90 // of those that audits say they detect, at least
	studyCorrelated = .95 // of correlated but honest ones called that, at least
)

// A studyDemand is one thing that a study is to show.
type studyDemand struct {
	said string
	rate audit.StudyRate
	met  bool
}

// studyDemands are those that the audits of a study answer.
func studyDemands(s *audit.Study) []studyDemand {
	atLeast := func(least float64) func(audit.StudyRate) bool {
		return func(r audit.StudyRate) bool { return r.Value >= least }
	}
	any := func(audit.StudyRate) bool { return true }
	at := func(examples int) func(audit.StudyRate) bool {
		return func(r audit.StudyRate) bool { return r.Examples == examples }
	}
	var all []studyDemand
	for _, d := range []struct {
		name    string
		of, met func(audit.StudyRate) bool
		said    string
	}{
		{audit.RateFalseAlarm, at(0), func(r audit.StudyRate) bool { return r.Interval[0] <= studyAlarm }, "wanted: an interval that contains 5 % or lies below"},
		{audit.RateStrong, at(studyStrongAt), atLeast(studyStrong), "wanted: 99 %"},
		{audit.RateStrongBaseline, at(studyStrongAt), atLeast(studyStrong), "wanted: 99 %"},
		{audit.RatePromised, any, atLeast(studyPromised), "promised: 90 %"}, // of every size, and of all
		{audit.RateCorrelated, at(0), atLeast(studyCorrelated), "wanted: 95 %"},
	} {
		for _, r := range s.Rates {
			if r.Name == d.name && d.of(r) {
				all = append(all, studyDemand{d.said, r, d.met(r)})
			}
		}
	}
	return all
}

// SetStudy reports a study.
func (r *Report) SetStudy(s *audit.Study) {
	r.Study = s
	r.Outcome, _ = studyVerdict(s)
}

// studyVerdict returns whether the audits of a study met the demands on an audit, and says so.
func studyVerdict(s *audit.Study) (Outcome, string) {
	if s.Quick {
		return Done, "a quick study: every audit ran, but there are too few for rates"
	}
	var missed []string
	demands := studyDemands(s)
	for _, d := range demands {
		if !d.met {
			missed = append(missed, d.rate.Name)
		}
	}
	if len(missed) == 0 {
		return Met, fmt.Sprintf("all of %s are met", Count(len(demands), "demand"))
	}
	return NotMet, fmt.Sprintf("%d of %s are not met: %s", len(missed), Count(len(demands), "demand"), strings.Join(missed, "; "))
}

// studySentences say what was studied and what came of it.
func studySentences(s *audit.Study) []string {
	honest, curious, correlated := 0, 0, 0
	for _, a := range s.Audits {
		switch {
		case a.Correlated:
			correlated++
		case a.Honest:
			honest++
		default:
			curious++
		}
	}
	said := []string{fmt.Sprintf("%s of classifiers with known leakage: %d trained honestly, %d trained to be curious, %d trained honestly where target and sensitive attribute depend on each other. Each is compared with %s on other seeds.",
		Count(len(s.Audits), "audit"), honest, curious, correlated, Count(s.References, "honest training"))}
	for _, d := range studyDemands(s) {
		at := when(d.rate.Examples > 0, ", of "+Count(d.rate.Examples, "example"))
		said = append(said, fmt.Sprintf("%s%s: %s (%s).", capital(d.rate.Name), at, rateWords(d.rate), d.said))
	}
	return append(said, s.Notes...)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// rateWords are a count and its interval.
func rateWords(r audit.StudyRate) string {
	return fmt.Sprintf("%d of %d, %s, interval %s", r.Count, r.Of, percent(r.Value), interval(r.Interval))
}

// study adds a study's tables.
func (d *document) study(s *audit.Study) {
	if s == nil {
		return
	}
	d.section("The study")
	d.list(studySentences(s))
	d.table(ratesTable(s))
	d.table(evidenceTable(s))
	d.folded("Audits by kind of classifier")
	d.table(rowsTable(s))
	d.table(spreadsTable(s))
	d.on(onPage|onMarkdown, func(d *document) { d.table(studyControls(s)) })
}

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

// evidenceTable is what verdicts rested on.
func evidenceTable(s *audit.Study) table {
	t := table{
		Name: "What verdicts rested on",
		Says: "Counts of audits by the kinds of evidence that were each enough for the verdict, after correction for all tests. " +
			"Excess: guesses are right more often; gain: scores predict s better; AUC: pairs are ranked right. " +
			"Correlated: honest classifiers where y and s depend on each other.",
		Heads: []string{"references", "verdict", "evidence", "honest", "curious", "correlated"}, Words: []int{1, 2},
	}
	for _, c := range s.Evidence {
		with := "without"
		if c.References {
			with = "with"
		}
		t.add(with, string(c.Verdict), cmp.Or(strings.ReplaceAll(c.Evidence, "auc", "AUC"), "–"), strconv.Itoa(c.Honest), strconv.Itoa(c.Curious), strconv.Itoa(c.Correlated))
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
		Says: "True excess, over the best guess that needs no outputs and over honest training, and the smallest that audits say they detect in scores (over those that state one): means, in points. " +
			"Verdicts are counts of curious / leaky beyond the target / leaky by correlation / no evidence / inconclusive; alone: the same audits without references.",
		Heads: []string{"data", "trained", "outputs", "examples", "audits", "true excess", "over honest", "verdicts", "detects", "alone", "detects"},
		Words: []int{1, 2}, Page: []string{"over honest", "alone", "detects"},
	}
	for _, r := range s.Rows {
		t.add(r.Data, r.Kind, string(r.Outputs), sizeWords(r.Examples), strconv.Itoa(r.Audits), inPoints(r.Excess, 1), inPoints(r.Difference, 1),
			r.With.String(), r.With.Detects(r.Audits), r.Without.String(), r.Without.Detects(r.Audits))
	}
	return t
}

// spreadsTable is what honest training leaks.
func spreadsTable(s *audit.Study) table {
	t := table{
		Name:  "What honest training leaks",
		Says:  "True excess over seeds, in points: mean, standard deviation of the attack's accuracy, and the largest.",
		Heads: []string{"data", "outputs", "nets", "honesty", "excess", "sd", "skew", "largest"}, Words: []int{1},
	}
	for _, p := range s.Spreads {
		t.add(p.Data, string(p.Outputs), strconv.Itoa(p.Classifiers), percent(p.Honesty), inPoints(p.Excess, 1), inPoints(p.SD, 2), minus(fmt.Sprintf("%.2f", p.Skewness)), inPoints(p.Largest, 1))
	}
	return t
}

// studyControls are the planted models that each audit of a kind shares.
func studyControls(s *audit.Study) table {
	t := controlsTable(&audit.Result{Controls: s.Controls})
	t.Name, t.Says = "Controls", "Classifiers planted on the study's own tasks, one for each kind of outputs and number of examples."
	return t
}
