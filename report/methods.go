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
