package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/bound"
)

// A nothing is one reason for which bounds say nothing, with their names.
type nothing struct {
	Reason bound.Note
	Rows   []string
}

// nothings are the reasons for which bounds of this report say nothing, in the order
// of the rows, each with the names of all rows it is of.
func (r *Report) nothings() []nothing {
	var out []nothing
	for _, b := range r.Bounds {
		if b.Vacuous == nil {
			continue
		}
		i := slices.IndexFunc(out, func(n nothing) bool { return n.Reason == *b.Vacuous })
		if i < 0 {
			i, out = len(out), append(out, nothing{Reason: *b.Vacuous})
		}
		if said := r.inBands(b); !slices.Contains(out[i].Rows, said) {
			out[i].Rows = append(out[i].Rows, said)
		}
	}
	return out
}

// inBands is the name of a row, with its band where the other bands of its name are not
// vacuous for the same reason.
func (r *Report) inBands(b bound.Summary) string {
	said := boundName(b)
	alike := func(x bound.Summary) bool {
		return boundName(x) != said || x.Vacuous != nil && *x.Vacuous == *b.Vacuous
	}
	for _, x := range r.Bounds {
		if !alike(x) {
			return said + " (" + times(b.Band) + ")"
		}
	}
	return said
}

// fewer says that fewer numbers leave than go in, empty if that is not so or
// nothing is bounded.
func (r *Report) fewer() string {
	n, p := r.Model.Features, r.Model.Inputs
	if n == 0 || n >= p || len(r.Bounds) == 0 {
		return ""
	}
	return fmt.Sprintf("The %s of a release do not determine the %s of an input. In real arithmetic, among any real inputs, no unbiased estimator exists for directions that they do not depend on. This does not stop adversaries with prior knowledge.",
		countGrouped(n, r.releasedUnit()), countGrouped(p, "number"))
}

// releasedUnit says in the singular what leaves.
func (r *Report) releasedUnit() string {
	switch {
	case r.Release.Projection != nil:
		return "number"
	case r.Release.Surface == "logits" || r.Release.Surface == "label":
		return "logit"
	case r.Release.Surface == "probabilities":
		return "number"
	}
	return "feature"
}

// countGrouped is Count with commas between thousands.
func countGrouped(n int, what string) string { return grouped(n) + " " + plural(n, what) }

// grouped prints a count with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural is a word with its s, unless there is one.
func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

// rounded says how the rounding of the features is known, empty if nothing was bounded.
func (r *Report) rounded() string {
	if r.Experiment == nil {
		return ""
	}
	switch r.Experiment.Rounding {
	case bound.RoundingProved:
		return "Rounding: proved, by the running error analysis of a float64 pass."
	case bound.RoundingPairs:
		return "Rounding: proved, in pairs of float64; the net is too deep for the analysis of a single pass."
	case bound.RoundingMeasured:
		return "Rounding: measured, not proved: two computations in float64 and a thousandfold their distance. So no bound here is certified; those by witnesses are estimates."
	}
	return ""
}

// standing is that of bounds by witnesses near the input: certified, or estimated where
// noise or rounding are not known for certain.
func (r *Report) standing() string {
	for _, b := range r.Bounds {
		if b.Method == bound.MethodHCR {
			return b.Status
		}
	}
	return bound.StatusCertified
}

// sought says how witnesses were sought, and why so.
func (r *Report) sought() string {
	x := r.Experiment
	if x == nil || len(x.Reasons) == 0 {
		return ""
	}
	return "Witnesses: " + x.Search.Search + " (" + strings.Join(x.Reasons, "; ") + ")."
}
