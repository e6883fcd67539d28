package measure

import (
	"math"
	"slices"

	"tattle/internal/math/stat"
	"tattle/internal/protect/bound"
	"tattle/internal/report"
)

// resolvedWithin are the standard deviations, in normalised units, to within which directions are counted as resolved.
var resolvedWithin = []float64{0.1, 0.2, 0.5, 1, 2}

// directions claims how many directions of the input the release lets an unbiased adversary resolve (MATH 3).
func (a *account) directions(res *bound.Result) {
	if res.Rank == nil {
		return
	}
	sigma, ranks := res.Experiment.Scale(), make([]float64, len(res.Rank))
	counts, width := make([][]float64, len(resolvedWithin)), 0
	for i, k := range res.Rank {
		ranks[i], width = float64(k), max(width, k)
		for t, n := range bound.Resolvable(res.Spectra[i], sigma, resolvedWithin) {
			counts[t] = append(counts[t], float64(n))
		}
	}
	n := len(res.Rank)
	a.Add(report.Claim{ID: "rank", Kind: report.Estimated, Value: report.Within(stat.Quantile(ranks, .5), slices.Min(ranks), slices.Max(ranks), report.Count, 0), N: n})
	for t, at := range resolvedWithin {
		a.Add(report.Claim{ID: "directions", Subject: report.Exactly(at, report.Number).String(), Kind: report.Estimated, Value: report.Exactly(stat.Quantile(counts[t], .5), report.Count), N: n})
	}
	s, column := report.Series{ID: "spectrum", Name: "standard deviation"}, make([]float64, len(res.Spectra))
	for k := range width {
		for i, x := range res.Spectra {
			column[i] = math.Inf(1)
			if k < len(x) {
				column[i] = sigma / x[k]
			}
		}
		q := stat.Quantiles(column, .05, .5, .95)
		s.X, s.Low, s.Y, s.High = append(s.X, float64(k+1)), append(s.Low, q[0]), append(s.Y, q[1]), append(s.High, q[2])
	}
	a.Series = append(a.Series, s)
}
