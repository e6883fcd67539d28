package report

import (
	"math"
	"slices"

	"tattle/bound"
)

// SetMethods sets every kind of bound and every attack of the report beside paper A's
// method. theirs are the bounds by the authors' procedure, nil if it did not run; notes
// say what sets it apart.
func (r *Report) SetMethods(theirs []bound.Summary, notes []bound.Note) {
	if len(theirs) > 0 {
		apart := &Report{Reconstruction: Reconstruction{Bounds: slices.Clone(theirs), PriorAlone: r.PriorAlone, MidRange: r.MidRange}}
		apart.ComparePrior()
		theirs = apart.Bounds
	}
	l := &methodTable{authors: mediansOf(theirs, notes, bound.MethodHCR, "")}
	l.algorithm1 = mediansOf(r.Bounds, nil, bound.MethodHCR, "")
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
		l.add(k.name, mediansOf(r.Bounds, nil, k.method, k.search))
	}
	if len(r.PriorAlone) > 0 {
		l.add("no release, the prior alone", attackMedians(r.PriorAlone, r.PriorAlone[0].Name, true))
	}
	for _, a := range r.EachAttack() {
		l.add("attack: "+a.Name, attackMedians(r.Attacks, a.Name, false))
	}
	l.meanSquares(r, theirs, notes)
	r.Methods = l.rows
}

// methodTable collects rows and what their ratios are taken to.
type methodTable struct {
	authors, algorithm1 *methodMedians
	perInput            bool // what is added is about whole inputs
	rows                []MethodRow
}

// methodMedians are the medians of one row: over all coordinates and over the low band,
// NaN if there is no such band.
type methodMedians struct {
	all, low, unbounded float64
	examples            int // that they are over; 0 if the row is not about examples
	status, search      string
	notes               []bound.Note
	prior               bool // guessing without a release

	abovePrior, abovePriorLow *bool
}

// mediansOf finds the rows of a method among bounds: nil if there are none.
func mediansOf(bounds []bound.Summary, notes []bound.Note, method, search string) *methodMedians {
	var found *methodMedians
	for _, b := range bounds {
		apart := b.Search == bound.SearchFar || b.Search == bound.SearchTwins
		if b.Method != method || apart && b.Search != search || !apart && search != "" {
			continue
		}
		if found == nil {
			found = &methodMedians{all: math.NaN(), low: math.NaN(), unbounded: math.NaN(), examples: b.Examples, status: b.Status, search: b.Search, notes: notes}
			if len(notes) == 0 {
				found.notes = b.Notes
			}
		}
		if b.Band != "all" {
			found.low, found.abovePriorLow = b.Quantile(.5), b.AbovePrior
			continue
		}
		found.all, found.unbounded, found.abovePrior = b.Quantile(.5), b.UnboundedFraction, b.AbovePrior
	}
	return found
}

// attackMedians are the medians of an attack, or of the prior alone.
func attackMedians(rows []Attack, name string, prior bool) *methodMedians {
	a := &methodMedians{low: math.NaN(), status: StatusDemonstrated, prior: prior}
	for _, row := range rows {
		switch {
		case row.Name != name:
		case row.Band == "all":
			a.all, a.examples = row.Quantile(.5), row.Examples
		default:
			a.low = row.Quantile(.5)
		}
	}
	return a
}

// meanSquares adds the rows on whole inputs, whose ratios are to one another.
func (l *methodTable) meanSquares(r *Report, theirs []bound.Summary, notes []bound.Note) {
	l.perInput = true
	l.authors = mediansOf(theirs, notes, bound.MethodMeanSquare, "")
	l.algorithm1 = mediansOf(r.Bounds, nil, bound.MethodMeanSquare, "")
	l.add("the authors' procedure", l.authors)
	l.add("Algorithm 1", l.algorithm1)
	for _, k := range []struct{ name, method, search string }{
		{"Barankin", bound.MethodBarankinMeanSquare, ""},
		{"far witnesses", bound.MethodMeanSquare, bound.SearchFar},
		{"twins", bound.MethodMeanSquare, bound.SearchTwins},
		{"van Trees", bound.MethodVanTreesMeanSquare, ""},
	} {
		l.add(k.name, mediansOf(r.Bounds, nil, k.method, k.search))
	}
	add := func(name string, a Attack, prior bool) { // no ratio: bounds are medians over examples
		l.add(name, &methodMedians{all: a.rms(), low: math.NaN(), status: StatusDemonstrated, prior: prior})
	}
	if len(r.PriorAlone) > 0 {
		add("no release, the prior alone", r.PriorAlone[0], true)
	}
	for _, a := range r.EachAttack() {
		add("attack: "+a.Name, a, false)
	}
}

// add appends a row, unless it is nil. Ratios are to medians over the same examples.
func (l *methodTable) add(name string, m *methodMedians) {
	if m == nil {
		return
	}
	ratio := func(to *methodMedians) Number {
		if to == nil || to.examples != m.examples || !(to.all > 0) || math.IsInf(m.all, 0) {
			return Number(math.NaN())
		}
		return Number(m.all / to.all)
	}
	l.rows = append(l.rows, MethodRow{
		Name: name, PerInput: l.perInput, Status: m.status, Search: m.search, Notes: m.notes, Prior: m.prior, AbovePrior: m.abovePrior, AbovePriorLow: m.abovePriorLow,
		MedianAll: Number(m.all), MedianLow: Number(m.low), UnboundedFraction: Number(m.unbounded),
		Unbounded: math.IsInf(m.all, 1), UnboundedLow: math.IsInf(m.low, 1),
		RatioToAlgorithm1: ratio(l.algorithm1), RatioToAuthors: ratio(l.authors),
	})
}
