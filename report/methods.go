package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/bound"
)

// MethodRow is one kind of bound, or an attack: its median over all coordinates and over
// the low band, in normalised units, beside the method of paper A on the same inputs and
// the same noise.
type MethodRow struct {
	Name              string       `json:"name"`
	Prior             bool         `json:"prior,omitempty"`     // guessing without a release
	PerInput          bool         `json:"per_input,omitempty"` // about whole inputs, as a root mean square, not about coordinates
	Status            string       `json:"status"`
	Search            string       `json:"search,omitempty"`
	MedianAll         Number       `json:"median_all"` // null where unbounded
	MedianLow         Number       `json:"median_low"`
	RatioToAlgorithm1 Number       `json:"ratio_to_algorithm1"` // of MedianAll; null where it is not known
	RatioToAuthors    Number       `json:"ratio_to_authors"`
	UnboundedFraction Number       `json:"unbounded_fraction"`
	Unbounded         bool         `json:"unbounded,omitempty"`       // MedianAll is
	UnboundedLow      bool         `json:"unbounded_low,omitempty"`   // MedianLow is
	AbovePrior        *bool        `json:"above_prior,omitempty"`     // of MedianAll, as bound.Summary has it
	AbovePriorLow     *bool        `json:"above_prior_low,omitempty"` // of MedianLow
	Notes             []bound.Note `json:"notes,omitempty"`
}

// A methodGroup is the rows about one thing: coordinates, or whole inputs.
type methodGroup struct {
	Title string
	Rows  []MethodRow
}

// methodGroups are the rows of the comparison, first those per coordinate.
func (r *Report) methodGroups() []methodGroup {
	groups := []methodGroup{{Title: "per coordinate"}, {Title: "per input, root mean square"}}
	for _, l := range r.Methods {
		which := 0
		if l.PerInput {
			which = 1
		}
		groups[which].Rows = append(groups[which].Rows, l)
	}
	return slices.DeleteFunc(groups, func(g methodGroup) bool { return len(g.Rows) == 0 })
}

// cells are the figures of a row in words: medians, then ratios.
func (l MethodRow) cells() []string {
	limited := func(n Number, unbounded bool) string {
		if unbounded || math.IsInf(float64(n), 1) {
			return "∞"
		}
		return number(float64(n))
	}
	return []string{marked(limited(l.MedianAll, l.Unbounded), l.AbovePrior), marked(limited(l.MedianLow, l.UnboundedLow), l.AbovePriorLow),
		ratio(l.RatioToAlgorithm1), ratio(l.RatioToAuthors)}
}

// mostRatio is a ratio beyond which the figure says nothing more to a reader.
const mostRatio = 1000

func ratio(n Number) string {
	switch f := float64(n); {
	case math.IsNaN(f):
		return number(f)
	case f > mostRatio:
		return fmt.Sprintf(">%d×", mostRatio)
	default:
		return number(f) + "×"
	}
}

// searched is the name with the search that found the witnesses, where the name does not
// say it.
func (l MethodRow) searched() string {
	if l.Search == "" || l.Search == bound.SearchFar || l.Search == bound.SearchTwins {
		return l.Name
	}
	return l.Name + " (" + l.Search + ")"
}

// coarse names the low band of the comparison's second column.
func (r *Report) coarse() string {
	if e := r.Experiment; e != nil && e.Band > 0 {
		return fmt.Sprintf("%d×%d", e.Band, e.Band)
	}
	for _, b := range r.Bounds {
		if square(b.Band) {
			return times(b.Band)
		}
	}
	return "low"
}

// methodsIntro says what the columns of the comparison are.
func (r *Report) methodsIntro() string {
	return fmt.Sprintf("Medians of each kind of bound in normalised units over coordinates and %s, or as many of them as a remark names; same noise. %s: the coarsest of the coordinates. × says how many times what paper A's methods give for all coordinates of the same inputs: its Algorithm 1, or its authors' own procedure.", r.tried(r.Data.Examples), r.coarse())
}

// remark is what a reader must know of the row.
func (l MethodRow) remark() string {
	switch {
	case l.Status == StatusDemonstrated && l.PerInput:
		return "over examples and draws"
	case l.Prior:
		return "guessing the mean of the training data, on the same inputs"
	case l.Status == StatusDemonstrated:
		return "a biased adversary's error over draws of the noise, which bounds on unbiased ones do not limit"
	}
	note := bound.JoinNotes(l.Notes)
	if l.UnboundedFraction > 0 {
		note = strings.TrimPrefix(note+"; no useful limit for "+Share(float64(l.UnboundedFraction)), "; ")
	}
	return note
}

// methodNotes are the remarks on the rows, each once, with those it is about.
func (r *Report) methodNotes() []Setting {
	var notes []string
	rows := map[string][]string{} // of each note
	for _, l := range r.Methods {
		note := l.remark()
		if note != "" && rows[note] == nil {
			notes = append(notes, note)
		}
		if note != "" && !slices.Contains(rows[note], l.Name) {
			rows[note] = append(rows[note], l.Name)
		}
	}
	var said []Setting
	for _, note := range notes {
		said = append(said, Setting{strings.Join(rows[note], ", "), note})
	}
	return said
}

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
