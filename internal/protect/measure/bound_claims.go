package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/internal/math/stat"
	"tattle/internal/protect/bound"
	"tattle/internal/report"
)

// boundKinds are the kinds of bounds for unbiased estimators, by method and search; searches for near witnesses are one.
var boundKinds = []struct{ method, search, name string }{
	{bound.MethodHCR, "", "HCR"},
	{bound.MethodHCR, bound.SearchFar, "HCR, far"},
	{bound.MethodHCR, bound.SearchTwins, "HCR, twins"},
	{bound.MethodMeanSquare, "", "HCR, rms"},
	{bound.MethodMeanSquare, bound.SearchFar, "HCR, far, rms"},
	{bound.MethodMeanSquare, bound.SearchTwins, "HCR, twins, rms"},
	{bound.MethodCramerRaoAxis, "", "Cramér-Rao, all else known"},
	{bound.MethodCramerRao, "", "Cramér-Rao, identifiable part"},
	{bound.MethodBarankin, "", "Barankin"},
	{bound.MethodBarankinMeanSquare, "", "Barankin, rms"},
}

// searchOf returns the search that makes a kind: far, twins, or "" for near witnesses.
func searchOf(b bound.Summary) string {
	if b.Search == bound.SearchFar || b.Search == bound.SearchTwins {
		return b.Search
	}
	return ""
}

// BoundName names a row.
func BoundName(b bound.Summary) string {
	name := b.Method
	for _, k := range boundKinds {
		if k.method == b.Method && k.search == searchOf(b) {
			name = k.name
		}
	}
	if b.Size > 0 {
		name += ", s = " + Fraction(b.Size)
	}
	return name
}

// Fraction prints 0.005 as 1/200 where that is exact enough to be meant.
func Fraction(s float64) string {
	if n := math.Round(1 / s); n >= 2 && math.Abs(1/n-s) < 1e-12 {
		return fmt.Sprintf("1/%.0f", n)
	}
	return report.Exactly(s, report.Number).String()
}

// unbiased claims the bounds for unbiased estimators.
func (a *account) unbiased(res *bound.Result) {
	for _, b := range res.Summaries {
		if b.Pair() {
			continue
		}
		name, group := BoundName(b), times(b.Band)
		if b.Domain != "" {
			group += ", " + b.Domain
		}
		for i, level := range bound.QuantileLevels {
			c := report.Claim{ID: fmt.Sprintf("q%02.0f", 100*level), Subject: name, Group: group, Kind: report.Kind(b.Status), Value: report.AtLeast(b.Quantile(level), normalised), N: b.Examples}
			if p := a.priorOf(b); p != nil && i == 2 {
				c.Beside = []report.Beside{{Name: "prior", Value: report.Exactly(*p, normalised)}}
			}
			a.Add(c)
		}
		if b.UnboundedFraction > 0 {
			a.Add(report.Claim{ID: "no_limit", Subject: name, Group: group, Kind: report.Kind(b.Status), Value: report.Exactly(b.UnboundedFraction, report.Share), N: b.Examples})
		}
		if b.Vacuous != "" {
			row, why := name+" ("+group+")", ": "+b.Vacuous
			if i := slices.IndexFunc(a.vacuousRows, func(said string) bool { return strings.HasSuffix(said, why) }); i >= 0 {
				a.vacuousRows[i] = strings.TrimSuffix(a.vacuousRows[i], why) + ", " + row + why
			} else {
				a.vacuousRows = append(a.vacuousRows, row+why)
			}
		}
	}
	a.bandFloors(res)
	a.histograms(res)
}

// priorOf returns what guessing without the release errs by, at the median or as a root mean square like the bound:
// nil if that is not known.
func (a *account) priorOf(b bound.Summary) *float64 {
	for _, p := range a.prior {
		if p.Band == b.Band {
			level := p.Median
			if strings.HasSuffix(b.Method, "-mean-square") {
				level = p.RMS()
			}
			return &level
		}
	}
	return nil
}

// bandFloors claims the medians of bounds by witnesses in every band.
func (a *account) bandFloors(res *bound.Result) {
	m := a.c.Len()
	for _, band := range bound.Octaves(a.c) {
		var best []report.Claim
		for _, of := range res.Summaries {
			x := witnessed(of, res)
			if x == nil || of.Band != bound.AllBand {
				continue
			}
			id := map[string]string{"": "near", bound.SearchFar: "far", bound.SearchTwins: "twins"}[searchOf(of)]
			u, scale := a.unit(band.Name)
			c := report.Claim{ID: id, Subject: a.level(band.Name), Kind: report.Kind(of.Status), Value: report.AtLeast(scale*stat.Quantile(band.Of(x, m), .5), u), N: of.Examples}
			if i := slices.IndexFunc(best, func(b report.Claim) bool { return b.ID == id }); i < 0 {
				best = append(best, c)
			} else if stronger(c, best[i]) {
				best[i] = c
			}
		}
		a.Add(best...)
	}
}

// stronger reports whether a claim says more than another: what is certified goes before what is estimated, then the
// larger goes before the smaller.
func stronger(x, y report.Claim) bool {
	if (x.Kind == report.Certified) != (y.Kind == report.Certified) {
		return x.Kind == report.Certified
	}
	return x.Value.Low > y.Value.Low
}

// witnessed returns the bounds of a row that witnesses prove, [examples, m]; nil for other rows.
func witnessed(of bound.Summary, res *bound.Result) []float64 {
	if of.Method != bound.MethodHCR && of.Method != bound.MethodBarankin {
		return nil
	}
	b := res.Kinds[slices.IndexFunc(res.Kinds, func(b *bound.Bounds) bool { return b.Search == of.Search && b.Size == of.Size })]
	return b.Std[:b.Tried*res.Experiment.Coordinates.Len()]
}

// pairNames name the other inputs of pair floors by their search; all others are near witnesses.
var pairNames = map[string]string{bound.SearchFar: "far witnesses", bound.SearchTwins: "twins", bound.SearchPairs: "searched for these floors"}

// pairs claims floors for every adversary, averaged over an input and another one.
func (a *account) pairs(res *bound.Result) {
	u, scale := a.unit(bound.AllBand)
	for _, b := range res.Summaries {
		if !b.Pair() {
			continue
		}
		name, of := cmp.Or(pairNames[b.Search], "near witnesses"), "coordinate"
		if pairNames[b.Search] == "" && b.Size > 0 {
			name += ", s = " + Fraction(b.Size)
		}
		switch {
		case b.Method == bound.MethodPairMeanSquare:
			of = wholeInput
		case b.Band != bound.AllBand:
			of = times(b.Band) + " coarsest"
		}
		for _, level := range []float64{.05, .5, .95} {
			a.Add(report.Claim{ID: fmt.Sprintf("pair.q%02.0f", 100*level), Subject: name, Group: of, Kind: report.Kind(b.Status), Value: report.AtLeast(scale*b.Quantile(level), u), N: b.Examples})
		}
	}
}
