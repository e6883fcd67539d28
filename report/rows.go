package report

import (
	"cmp"
	"fmt"
	"strings"

	"tattle/bound"
)

// The standings of a claim, which no rendering mixes.
var statuses = []string{bound.StatusCertified, StatusDemonstrated, bound.StatusEstimated}

// rows are the bounds of one standing in words.
func (r *Report) rows(status string) [][]string {
	var rows [][]string
	for _, b := range r.unbiased() {
		if b.Status != status {
			continue
		}
		cells := []string{boundName(b) + r.some(b.Examples), strings.ReplaceAll(marked(times(b.Band), b.AbovePrior), " ", ""), cmp.Or(b.Domain, "–")}
		for _, q := range bound.QuantileLevels {
			cells = append(cells, strings.ReplaceAll(atLeastNumber(b.Quantile(q)), "unbounded", "∞"))
		}
		rows = append(rows, append(cells, Share(b.UnboundedFraction)))
	}
	return rows
}

// boundKind is a kind of bound. The different searches for near witnesses are one kind.
type boundKind struct{ method, search string }

// kindOf returns the kind of a row.
func kindOf(b bound.Summary) boundKind {
	one := b.Method == bound.MethodHCR || b.Method == bound.MethodMeanSquare
	if one && (b.Search == bound.SearchFar || b.Search == bound.SearchTwins) {
		return boundKind{b.Method, b.Search}
	}
	return boundKind{b.Method, ""}
}

// boundNames are the names of the kinds of bounds, and what each stands for.
var boundNames = map[boundKind]struct{ name, means string }{
	{bound.MethodHCR, ""}:                       {"HCR", "the Hammersley-Chapman-Robbins bound, by a witness near the input"},
	{bound.MethodHCR, bound.SearchFar}:          {"HCR, far", "by an input far from this one, with nearly the same features"},
	{bound.MethodHCR, bound.SearchTwins}:        {"HCR, twins", "by an input that a convex programme finds, with nearly the same features"},
	{bound.MethodMeanSquare, ""}:                {"HCR, rms", wholeInput},
	{bound.MethodMeanSquare, bound.SearchFar}:   {"HCR, far, rms", wholeInput},
	{bound.MethodMeanSquare, bound.SearchTwins}: {"HCR, twins, rms", wholeInput},
	{bound.MethodCramerRaoAxis, ""}:             {"Cramér-Rao, axis", "for an adversary who knows all other coordinates"},
	{bound.MethodCramerRao, ""}:                 {"Cramér-Rao, seen", "for the part of a coordinate that changes the features"},
	{bound.MethodBarankin, ""}:                  {"Barankin", "many witnesses together"},
	{bound.MethodBarankinMeanSquare, ""}:        {"Barankin, rms", wholeInput},
}

const wholeInput = "the bound on the mean-square error of an input, as a root"

// boundName names a row.
func boundName(b bound.Summary) string {
	name := cmp.Or(boundNames[kindOf(b)].name, b.Method)
	if b.Size > 0 {
		name += ", s = " + Fraction(b.Size)
	}
	return name
}

// meanSquare reports whether a row is about whole inputs, not coordinates.
func meanSquare(method string) bool { return strings.HasSuffix(method, "-mean-square") }

// nothings are the reasons for which bounds of this report say nothing, each with the names of the
// rows that it is of.
func (r *Report) nothings() (reasons []Setting) {
	for _, b := range r.Bounds {
		if b.Vacuous != nil {
			reasons = noted(reasons, boundName(b)+" ("+times(b.Band)+")", b.Vacuous.String())
		}
	}
	return reasons
}

// fewer says that fewer numbers leave than go in, empty if that is not so or
// nothing is bounded.
func (r *Report) fewer() string {
	n, p := r.Model.Features, r.Model.Inputs
	if n == 0 || n >= p || len(r.Bounds) == 0 {
		return ""
	}
	return fmt.Sprintf("The %s of a release do not determine the %s of an input. In real arithmetic, among any real inputs, no unbiased estimator exists for directions along which the release does not change. This does not stop adversaries with prior knowledge.",
		Count(n, r.releasedUnit()), Count(p, "number"))
}

// releasedUnit says in the singular what leaves.
func (r *Report) releasedUnit() string {
	switch s := r.Release.Surface; {
	case r.Release.Projection != nil || s == "probabilities":
		return "number"
	case s == "logits" || s == "label":
		return "logit"
	}
	return "feature"
}

// roundings say how the rounding of the features is known.
var roundings = map[string]string{
	bound.RoundingProved:   "Rounding: proved, by the running error analysis of a float64 pass.",
	bound.RoundingPairs:    "Rounding: proved, in pairs of float64; the net is too deep for the analysis of a single pass.",
	bound.RoundingMeasured: "Rounding: measured, not proved: two computations in float64 and a thousandfold their distance. So no bound here is certified; those by witnesses are estimates.",
}

// rounded says how the rounding of the features is known, empty if nothing was bounded.
func (r *Report) rounded() string {
	if r.Experiment == nil {
		return ""
	}
	return roundings[r.Experiment.Rounding]
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
