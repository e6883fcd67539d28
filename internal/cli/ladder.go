package cli

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"tattle/attack"
	"tattle/bound"
	"tattle/measure"
	"tattle/report"
)

// ladderTitle is that of its report.
const ladderTitle = "The ladder of bounds, from paper A's method up"

// climb asks a measurement for every rung and every attack.
func (c *reproduceCmd) climb(m *measurement) error {
	m.title = ladderTitle
	m.Experiment.Sizes = nil // the default: A's first
	f := furtherFlags{Barankin: demoBounds.Barankin, Far: demoBounds.Far, Twins: c.Twins, Attack: measure.AttackNames, AttackDraws: attack.DefaultDraws}
	if err := f.check(); err != nil {
		return err
	}
	if err := f.extend(&m.Experiment, m.Data, len(m.Indices), c.Seed); err != nil {
		return err
	}
	var err error
	m.adversaries, err = f.adversaries(inputs{path: c.Data, seed: c.Seed}, "", m.Data, openAlone)
	return err
}

// ladder sets every rung beside paper A's method. theirs are the bounds by the
// authors' procedure, nil where it did not run; note says what sets it apart.
func ladder(r *report.Report, theirs []bound.Summary, note string) []report.LadderRow {
	if len(theirs) > 0 {
		apart := &report.Report{Bounds: slices.Clone(theirs), PriorAlone: r.PriorAlone, MidRange: r.MidRange}
		apart.ComparePrior()
		theirs = apart.Bounds
	}
	l := &rungTable{authors: newRung(theirs, note, bound.MethodHCR, "")}
	l.algorithm1 = newRung(r.Bounds, "", bound.MethodHCR, "")
	l.add("the authors' procedure", l.authors)
	l.add("Algorithm 1, example by example", l.algorithm1)
	for _, k := range []struct{ name, method, search string }{
		{"Cramér-Rao, all else known", bound.MethodCramerRaoAxis, ""},
		{"Cramér-Rao, identifiable part", bound.MethodCramerRao, ""},
		{"Barankin, near witnesses together", bound.MethodBarankin, ""},
		{"far witnesses", bound.MethodHCR, bound.SearchFar},
		{"twins", bound.MethodHCR, bound.SearchTwins},
		{"van Trees", bound.MethodVanTrees, ""},
	} {
		l.add(k.name, newRung(r.Bounds, "", k.method, k.search))
	}
	if len(r.PriorAlone) > 0 {
		l.add("no release, the prior alone", attackRung(r.PriorAlone, r.PriorAlone[0].Name, "guessing the mean of the training data, on the same inputs"))
	}
	for _, a := range attacksOf(r) {
		l.add("attack: "+a.Name, attackRung(r.Attacks, a.Name, "a biased adversary's error over draws of the noise, which bounds on unbiased ones do not limit"))
	}
	l.meanSquares(r, theirs, note)
	return l.rows
}

// rungTable collects rows and what their ratios are taken to.
type rungTable struct {
	authors, algorithm1 *rungMedians
	rows                []report.LadderRow
}

// rungMedians is one rung: its medians over all coordinates and over the low band,
// NaN where there is no such band.
type rungMedians struct {
	all, low, unbounded  float64
	examples             int // that they are over; 0 where the rung is not about examples
	status, search, note string

	abovePrior, abovePriorLow *bool
}

// newRung finds the rows of a method among bounds: nil where there are none.
func newRung(bounds []bound.Summary, note, method, search string) *rungMedians {
	var found *rungMedians
	for _, b := range bounds {
		apart := b.Search == bound.SearchFar || b.Search == bound.SearchTwins
		if b.Method != method || apart && b.Search != search || !apart && search != "" {
			continue
		}
		if found == nil {
			found = &rungMedians{all: math.NaN(), low: math.NaN(), unbounded: math.NaN(), examples: b.Examples, status: b.Status, search: b.Search, note: note}
			if note == "" {
				found.note = b.Note
			}
		}
		if b.Band != allBand {
			found.low, found.abovePriorLow = b.Quantile(.5), b.AbovePrior
			continue
		}
		found.all, found.unbounded, found.abovePrior = b.Quantile(.5), b.UnboundedFraction, b.AbovePrior
	}
	return found
}

// attackRung are the medians of an attack, or of the prior alone.
func attackRung(rows []report.Attack, name, note string) *rungMedians {
	a := &rungMedians{low: math.NaN(), status: report.StatusDemonstrated, note: note}
	for _, row := range rows {
		switch {
		case row.Name != name:
		case row.Band == allBand:
			a.all, a.examples = row.Quantile(.5), row.Examples
		default:
			a.low = row.Quantile(.5)
		}
	}
	return a
}

// meanSquares adds the rows on whole inputs, whose ratios are to one another.
func (l *rungTable) meanSquares(r *report.Report, theirs []bound.Summary, note string) {
	l.authors = newRung(theirs, note, bound.MethodMeanSquare, "")
	l.algorithm1 = newRung(r.Bounds, "", bound.MethodMeanSquare, "")
	l.add("the authors' procedure, root mean square", l.authors)
	l.add("Algorithm 1, root mean square", l.algorithm1)
	for _, k := range []struct{ name, method, search string }{
		{"Barankin, root mean square", bound.MethodBarankinMeanSquare, ""},
		{"far witnesses, root mean square", bound.MethodMeanSquare, bound.SearchFar},
		{"twins, root mean square", bound.MethodMeanSquare, bound.SearchTwins},
		{"van Trees, root mean square", bound.MethodVanTreesMeanSquare, ""},
	} {
		l.add(k.name, newRung(r.Bounds, "", k.method, k.search))
	}
	add := func(name string, a report.Attack) { // no ratio: bounds are medians over examples
		l.add(name+", root mean square", &rungMedians{all: a.RMS(), low: math.NaN(), status: report.StatusDemonstrated, note: "over examples and draws"})
	}
	if len(r.PriorAlone) > 0 {
		add("no release, the prior alone", r.PriorAlone[0])
	}
	for _, a := range attacksOf(r) {
		add("attack: "+a.Name, a)
	}
}

// add appends a rung, unless it is nil. Ratios are to medians over the same examples.
func (l *rungTable) add(name string, m *rungMedians) {
	if m == nil {
		return
	}
	ratio := func(to *rungMedians) report.Number {
		if to == nil || to.examples != m.examples || !(to.all > 0) || math.IsInf(m.all, 0) {
			return report.Number(math.NaN())
		}
		return report.Number(m.all / to.all)
	}
	l.rows = append(l.rows, report.LadderRow{
		Rung: name, Status: m.status, Search: m.search, Note: m.note, AbovePrior: m.abovePrior, AbovePriorLow: m.abovePriorLow,
		MedianAll: report.Number(m.all), MedianLow: report.Number(m.low), UnboundedFraction: report.Number(m.unbounded),
		Unbounded: math.IsInf(m.all, 1), UnboundedLow: math.IsInf(m.low, 1),
		RatioToAlgorithm1: ratio(l.algorithm1), RatioToAuthors: ratio(l.authors),
	})
}

// fewer says where the authors' procedure ran on fewer of the examples.
func fewer(theirs, ours int) string {
	if theirs < ours {
		return fmt.Sprintf("on the first %d of the %d examples", theirs, ours)
	}
	return ""
}

// ladderAgain makes the ladder of a report afresh, from its arrays.
func ladderAgain(fresh *report.Report, dir string, res *bound.Result) error {
	x := res.Experiment
	sub := filepath.Join(dir, publishedDir)
	var theirs []bound.Summary
	note := ""
	if exists(filepath.Join(sub, reportJSON)) {
		other, err := bound.Load(filepath.Join(sub, arraysFile), alone(x))
		if err != nil {
			return err
		}
		theirs, note = other.Summaries, fewer(len(other.Indices), len(res.Indices))
	}
	fresh.Ladder = ladder(fresh, theirs, note)
	return nil
}

// alone is the experiment of the authors' procedure: one near witness, theirs.
func alone(x bound.Experiment) bound.Experiment {
	x.Barankin, x.Far, x.Twins = bound.BarankinOptions{}, bound.FarOptions{}, bound.TwinOptions{}
	x.Search.Search = bound.Published
	return x
}
