package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
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
	Unbounded         bool   `json:"unbounded,omitempty"`     // MedianAll is
	UnboundedLow      bool   `json:"unbounded_low,omitempty"` // MedianLow is
	Note              string `json:"note,omitempty"`
}

// cells are the figures of a rung in words.
func (l LadderRow) cells() []string {
	limited := func(n Number, unbounded bool) string {
		if unbounded {
			return number(math.Inf(1))
		}
		return number(float64(n))
	}
	ratio := func(n Number) string {
		if s := number(float64(n)); s != "–" && s != "unbounded" {
			return s + "×"
		} else {
			return s
		}
	}
	return []string{limited(l.MedianAll, l.Unbounded), limited(l.MedianLow, l.UnboundedLow),
		ratio(l.RatioToAlgorithm1), ratio(l.RatioToAuthors), percent(float64(l.UnboundedFraction))}
}

// name is the rung with its search, long for a page or short for a terminal.
func (l LadderRow) name(long bool) string {
	kind, which := newRung(l.Rung, l.Search), 1
	if long {
		which = 0
	}
	name := methodNames[kind][which]
	if name == "" {
		name = l.Rung
	}
	if l.Search != "" && kind.search == "" {
		name += " (" + l.Search + ")"
	}
	return name
}

func (r *Report) textLadder(w io.Writer) {
	if len(r.Ladder) == 0 {
		return
	}
	fmt.Fprintln(w)
	wrap(w, "The ladder: medians of each kind of bound, same noise, same inputs; the ratios are to what paper A's methods give for all coordinates.")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rung\tall\tcoarse\tto Alg. 1\tto authors'\t∞")
	var notes []string
	for _, l := range r.Ladder {
		cells := strings.ReplaceAll(strings.Join(l.cells(), "\t"), "unbounded", "∞")
		fmt.Fprintf(t, "%s, %s\t%s\n", l.name(false), statusShort[l.Status], cells)
		if l.Note != "" {
			notes = append(notes, l.name(false)+": "+l.Note)
		}
	}
	t.Flush()
	for _, n := range unique(notes) {
		wrap(w, n)
	}
}

// statusShort fits beside a name on a terminal.
var statusShort = map[string]string{"certified": "cert.", "estimated": "est.", "assumed": "assumed", StatusDemonstrated: "demo."}
