package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tattle/bound"
)

// The standings of a claim, which no rendering mixes.
var statuses = []string{bound.StatusCertified, StatusDemonstrated, bound.StatusEstimated, bound.StatusAssumed}

// rows are the bounds of one standing in words, named by name.
func (r *Report) rows(status string, name func(bound.Summary) string) [][]string {
	var rows [][]string
	for _, b := range r.Bounds {
		if b.Status != status || b.Pair() {
			continue
		}
		cells := []string{name(b) + r.some(b.Examples), strings.ReplaceAll(marked(times(b.Band), b.AbovePrior), " ", ""), cmp.Or(b.Domain, "–")}
		for _, q := range bound.QuantileLevels {
			cells = append(cells, strings.ReplaceAll(atLeastNumber(b.Quantile(q)), "unbounded", "∞"))
		}
		rows = append(rows, append(cells, Share(b.UnboundedFraction)))
	}
	return rows
}

// methodNames are the long name, the short one, and what the latter stands for.
var methodNames = map[boundKind][3]string{
	{bound.MethodHCR, ""}:                       {"HCR", "HCR", "the Hammersley-Chapman-Robbins bound, by a witness near the input"},
	{bound.MethodHCR, bound.SearchFar}:          {"HCR, far witnesses", "HCR, far", "by an input far from this one, with nearly the same features"},
	{bound.MethodHCR, bound.SearchTwins}:        {"HCR, twins", "HCR, twins", "by an input that a convex programme finds, with nearly the same features"},
	{bound.MethodMeanSquare, ""}:                {"HCR, root mean square", "HCR, rms", "the bound on the mean-square error of an input, as a root"},
	{bound.MethodMeanSquare, bound.SearchFar}:   {"HCR, far witnesses, root mean square", "HCR, far, rms", "the bound on the mean-square error of an input, as a root"},
	{bound.MethodMeanSquare, bound.SearchTwins}: {"HCR, twins, root mean square", "HCR, twins, rms", "the bound on the mean-square error of an input, as a root"},
	{bound.MethodCramerRaoAxis, ""}:             {"Cramér-Rao, all else known", "Cramér-Rao, axis", "for an adversary who knows all other coordinates"},
	{bound.MethodCramerRao, ""}:                 {"Cramér-Rao, identifiable part", "Cramér-Rao, seen", "for the part of a coordinate that changes the features"},
	{bound.MethodBarankin, ""}:                  {"Barankin", "Barankin", "many witnesses together"},
	{bound.MethodBarankinMeanSquare, ""}:        {"Barankin, root mean square", "Barankin, rms", "the bound on the mean-square error of an input, as a root"},
	{bound.MethodVanTrees, ""}:                  {"van Trees", "van Trees", fmt.Sprintf("for every adversary, on average over inputs drawn from a Gaussian with the training data's mean and covariance, with a confidence of %g %%; real inputs do not follow this Gaussian", 100*bound.DefaultConfidence)},
	{bound.MethodVanTreesMeanSquare, ""}:        {"van Trees, root mean square", "van Trees, rms", "the bound on the mean-square error of an input, as a root"},
}

// longName names a row for people: method, search, size, coordinates.
func longName(b bound.Summary) string {
	kind := kindOf(b)
	name := methodNames[kind][0]
	if name == "" {
		name = b.Method
	}
	var of []string
	if b.Search != "" && kind.search == "" {
		of = append(of, b.Search)
	}
	if b.Size > 0 {
		of = append(of, "s = "+Fraction(b.Size))
	}
	if len(of) > 0 {
		name += " (" + strings.Join(of, ", ") + ")"
	}
	return name + ", " + b.Coordinates
}

// shortName names a row for a terminal; the legend has the rest.
func shortName(b bound.Summary) string {
	name := methodNames[kindOf(b)][1]
	if name == "" {
		name = b.Method
	}
	if b.Size > 0 {
		name += ", s = " + Fraction(b.Size)
	}
	return name
}

// meanSquare reports whether a row is about whole inputs, not coordinates.
func meanSquare(method string) bool { return strings.HasSuffix(method, "-mean-square") }

// unique drops what has been said before.
func unique(words []string) []string {
	var out []string
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
