package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"tattle/bound"
)

// LadderRow is one rung of the ladder of bounds: its median over all
// coordinates and over the low band, in normalised units, beside the method of
// paper A on the same inputs and the same noise.
type LadderRow struct {
	Rung              string `json:"rung"` // a method of bound.Summary, or words
	Status            string `json:"status"`
	Search            string `json:"search,omitempty"`
	MedianAll         Number `json:"median_all"` // null where unbounded
	MedianLow         Number `json:"median_low"`
	RatioToAlgorithm1 Number `json:"ratio_to_algorithm1"` // of MedianAll; null where it is not known
	RatioToAuthors    Number `json:"ratio_to_authors"`
	UnboundedFraction Number `json:"unbounded_fraction"`
	Unbounded         bool   `json:"unbounded,omitempty"`       // MedianAll is
	UnboundedLow      bool   `json:"unbounded_low,omitempty"`   // MedianLow is
	AbovePrior        *bool  `json:"above_prior,omitempty"`     // of MedianAll, as bound.Summary has it
	AbovePriorLow     *bool  `json:"above_prior_low,omitempty"` // of MedianLow
	Note              string `json:"note,omitempty"`
}

// wholeInputs ends the name of a rung that is about whole inputs, in words.
const wholeInputs = ", root mean square"

// perInput tells whether a rung is about whole inputs, not coordinates.
func (l LadderRow) perInput() bool {
	return meanSquare(l.Rung) || strings.HasSuffix(l.Rung, wholeInputs)
}

// A rungGroup are the rungs about one thing: coordinates, or whole inputs.
type rungGroup struct {
	Title string
	Rows  []LadderRow
}

// ladderGroups are the rungs, first those per coordinate.
func (r *Report) ladderGroups() []rungGroup {
	groups := []rungGroup{{Title: "per coordinate"}, {Title: "per input, root mean square"}}
	for _, l := range r.Ladder {
		which := 0
		if l.perInput() {
			which = 1
		}
		groups[which].Rows = append(groups[which].Rows, l)
	}
	return slices.DeleteFunc(groups, func(g rungGroup) bool { return len(g.Rows) == 0 })
}

// cells are the figures of a rung in words: medians, then ratios.
func (l LadderRow) cells() []string {
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

// name is the rung without what its group's heading says, long for a page or
// short for a terminal.
func (l LadderRow) name(long bool) string {
	kind, which := newRung(l.Rung, l.Search), 1
	if long {
		which = 0
	}
	name := methodNames[kind][which]
	if name == "" {
		name = l.Rung
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, wholeInputs), ", rms")
}

// searched is name with the search that found the witnesses, where the name does
// not say it.
func (l LadderRow) searched(long bool) string {
	if l.Search == "" || l.Search == bound.SearchFar || l.Search == bound.SearchTwins {
		return l.name(long)
	}
	return l.name(long) + " (" + l.Search + ")"
}

// ladderName is how wide a rung's name may be on a terminal.
const ladderName = 29

// brief is the longest form of the name that a terminal has room for.
func (l LadderRow) brief() string {
	for _, name := range []string{l.searched(false), l.name(false)} {
		if utf8.RuneCountInString(name) <= ladderName {
			return name
		}
	}
	name, _, _ := strings.Cut(l.name(false), ",")
	if runes := []rune(name); len(runes) > ladderName {
		name = string(runes[:ladderName-1]) + "…"
	}
	return name
}

// coarse names the low band of the ladder's second column.
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

// ladderIntro says what the columns of the ladder are.
func (r *Report) ladderIntro() string {
	low, vacuous := r.coarse(), ""
	if slices.ContainsFunc(r.Ladder, func(l LadderRow) bool { return isAbove(l.AbovePrior) || isAbove(l.AbovePriorLow) }) {
		vacuous = fmt.Sprintf(" %s: above what guessing the mean errs by there, %s.", aboveMark, vacuousToPrior)
	}
	return fmt.Sprintf("Medians of each kind of bound in normalised units over coordinates and %s, or as many of them as a remark names; same noise. %s: the coarsest of the coordinates. × says how many times what paper A's methods give for all coordinates of the same inputs: its Algorithm 1, or its authors' own procedure.%s", r.tried(r.Data.Examples), low, vacuous)
}

// ladderNotes are the remarks on the rungs, each once, with those it is about.
func (r *Report) ladderNotes(name func(LadderRow) string) []pair {
	var remarks []string
	about := map[string][]string{}
	for _, g := range r.ladderGroups() {
		for _, l := range g.Rows {
			for _, remark := range l.remarks() {
				remarks = append(remarks, remark)
				about[remark] = unique(append(about[remark], name(l)))
			}
		}
	}
	var notes []pair
	for _, remark := range unique(remarks) {
		who := strings.Join(about[remark], ", ")
		if last := len(notes) - 1; last >= 0 && notes[last].Key == who {
			notes[last].Value += "; " + remark
		} else {
			notes = append(notes, pair{who, remark})
		}
	}
	return notes
}

// remarks are the parts of a rung's note, and for which share of its values
// there is no useful limit.
func (l LadderRow) remarks() []string {
	var out []string
	if l.Note != "" {
		out = strings.Split(strings.ReplaceAll(l.Note, "unbounded_fraction counts", "no useful limit counts"), "; ")
	}
	if l.UnboundedFraction > 0 {
		out = append(out, "no useful limit for "+Share(float64(l.UnboundedFraction)))
	}
	return out
}

func (r *Report) textLadder(w io.Writer) {
	if len(r.Ladder) == 0 {
		return
	}
	fmt.Fprintln(w)
	wrap(w, "The ladder. "+r.ladderIntro())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, g := range r.ladderGroups() {
		fmt.Fprintf(t, "%s\tclaim\tall\t%s\t×Alg. 1\t×authors'\n", g.Title, r.coarse())
		for _, l := range g.Rows {
			fmt.Fprintf(t, "  %s\t%s\t%s\n", l.brief(), statusShort[l.Status], strings.Join(l.cells(), "\t"))
		}
	}
	t.Flush()
	for _, n := range r.ladderNotes(LadderRow.brief) {
		wrap(w, n.Key+": "+n.Value+".")
	}
}

// statusShort fits beside a name on a terminal.
var statusShort = map[string]string{"certified": "cert.", "estimated": "est.", "assumed": "assumed", StatusDemonstrated: "demo."}
