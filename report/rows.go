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
	{bound.MethodVanTrees, ""}:                  {"van Trees", fmt.Sprintf("for every adversary, on average over inputs drawn from a Gaussian with the training data's mean and covariance, with a confidence of %g %%; real inputs do not follow this Gaussian", 100*bound.DefaultConfidence)},
	{bound.MethodVanTreesMeanSquare, ""}:        {"van Trees, rms", wholeInput},
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
