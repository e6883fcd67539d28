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
	Examples          int          `json:"examples,omitempty"` // that it is about; 0 if it is not about examples
	MedianAll         Number       `json:"median_all"`         // null where unbounded
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

// methods adds the comparison of bounds and attacks with paper A's method: first the rows per
// coordinate.
func (d *document) methods(r *Report) {
	if len(r.Methods) == 0 {
		return
	}
	d.folded("Every bound beside paper A's method")
	t := table{Says: r.methodsIntro(), Heads: []string{"bound", "claim", "all", r.coarse(), "×Alg. 1", "×authors'"}, Words: []int{1}}
	for _, perInput := range []bool{false, true} {
		title := map[bool]string{false: "per coordinate", true: "per input, root mean square"}[perInput]
		for _, l := range r.Methods {
			if l.PerInput != perInput {
				continue
			}
			if title != "" {
				t.add(title)
				title = ""
			}
			t.add(append([]string{l.searched(), l.Status}, l.cells()...)...)
		}
	}
	d.table(t)
	d.settings(r.methodNotes())
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
	var said []Setting
	for _, l := range r.Methods {
		said = noted(said, l.Name, l.remark())
	}
	return said
}

// noted adds what is said of something; things of which the same is said stand together.
func noted(said []Setting, name, note string) []Setting {
	i := slices.IndexFunc(said, func(s Setting) bool { return s.Value == note })
	switch {
	case note == "":
	case i < 0:
		said = append(said, Setting{name, note})
	case !slices.Contains(strings.Split(said[i].Key, "; "), name):
		said[i].Key += "; " + name
	}
	return said
}

// comparedMethods are the kinds of bounds that are set beside paper A's: about coordinates, and about
// whole inputs.
var comparedMethods = []struct{ name, each, whole, search string }{
	{"Cramér-Rao, all else known", bound.MethodCramerRaoAxis, "", ""},
	{"Cramér-Rao, identifiable part", bound.MethodCramerRao, "", ""},
	{"Barankin", bound.MethodBarankin, bound.MethodBarankinMeanSquare, ""},
	{"far witnesses", bound.MethodHCR, bound.MethodMeanSquare, bound.SearchFar},
	{"twins", bound.MethodHCR, bound.MethodMeanSquare, bound.SearchTwins},
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
	r.Methods = nil
	for _, perInput := range []bool{false, true} {
		single := bound.MethodHCR
		if perInput {
			single = bound.MethodMeanSquare
		}
		authors, algorithm1 := mediansOf(theirs, single, ""), mediansOf(r.Bounds, single, "")
		if authors != nil && len(notes) > 0 {
			authors.Notes = notes
		}
		add := func(name string, m *MethodRow) {
			if m != nil {
				m.Name, m.PerInput = name, perInput
				m.RatioToAuthors, m.RatioToAlgorithm1 = m.ratioTo(authors), m.ratioTo(algorithm1)
				r.Methods = append(r.Methods, *m)
			}
		}
		add("the authors' procedure", authors)
		add("Algorithm 1", algorithm1)
		for _, k := range comparedMethods {
			method := k.each
			if perInput {
				method = k.whole
			}
			add(k.name, mediansOf(r.Bounds, method, k.search))
		}
		if len(r.PriorAlone) > 0 {
			m := attackMedians(r.PriorAlone, r.PriorAlone[0].Name, perInput)
			m.Prior = true
			add("no release, the prior alone", m)
		}
		for _, a := range r.EachAttack() {
			add("attack: "+a.Name, attackMedians(r.Attacks, a.Name, perInput))
		}
	}
}

// mediansOf finds the rows of a method among bounds: nil if there are none.
func mediansOf(bounds []bound.Summary, method, search string) *MethodRow {
	var found *MethodRow
	for _, b := range bounds {
		if b.Method != method || kindOf(b).search != search {
			continue
		}
		if found == nil {
			none := Number(math.NaN())
			found = &MethodRow{MedianAll: none, MedianLow: none, UnboundedFraction: none, Examples: b.Examples, Status: b.Status, Search: b.Search, Notes: b.Notes}
		}
		m := b.Quantile(.5)
		if b.Band != bound.AllBand {
			found.MedianLow, found.UnboundedLow, found.AbovePriorLow = Number(m), math.IsInf(m, 1), b.AbovePrior
			continue
		}
		found.MedianAll, found.Unbounded, found.AbovePrior, found.UnboundedFraction = Number(m), math.IsInf(m, 1), b.AbovePrior, Number(b.UnboundedFraction)
	}
	return found
}

// attackMedians are the medians of an attack, or of the prior alone: of whole inputs its root mean
// square, of which there is no ratio, because bounds are medians over examples.
func attackMedians(rows []Attack, name string, perInput bool) *MethodRow {
	m := &MethodRow{MedianLow: Number(math.NaN()), Status: StatusDemonstrated}
	for _, row := range rows {
		switch {
		case row.Name != name:
		case row.Band != bound.AllBand:
			if !perInput {
				m.MedianLow = Number(row.Quantile(.5))
			}
		case perInput:
			m.MedianAll = Number(row.RMS())
		default:
			m.MedianAll, m.Examples = Number(row.Quantile(.5)), row.Examples
		}
	}
	return m
}

// ratioTo is how many times another median over the same examples a row's is; NaN if that is not known.
func (l *MethodRow) ratioTo(other *MethodRow) Number {
	if other == nil || other.Examples != l.Examples || !(other.MedianAll > 0) || math.IsInf(float64(l.MedianAll), 0) {
		return Number(math.NaN())
	}
	return l.MedianAll / other.MedianAll
}
