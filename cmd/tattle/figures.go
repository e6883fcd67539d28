package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/bound"
	"tattle/report"
	"tattle/stat"
)

const histogramBins = 60 // as fine as A's Figure 1

// thresholds are the standard deviations, in normalised units, to within which
// directions are counted as resolved.
var thresholds = []float64{0.1, 0.2, 0.5, 1, 2}

// figures draws what the report shows from the arrays of a run; verify draws it
// again.
func figures(r *report.Report, res *bound.Result) {
	e := res.Experiment
	for _, s := range res.Sizes {
		name := "s = " + report.Fraction(s.Size)
		r.Histograms = append(r.Histograms, histogram("all coordinates, "+name, s.Std))
		if low := e.Coordinates.Band(e.Band); len(low) > 0 {
			r.Histograms = append(r.Histograms, histogram(fmt.Sprintf("%d×%d coarsest modes, %s", e.Band, e.Band, name), pick(s.Std, low, e.Coordinates.Len())))
		}
	}
	if res.Rank != nil {
		spectrum(r, res)
	}
}

// pick returns the columns keep of x, [rows, m].
func pick(x []float64, keep []int, m int) []float64 {
	out := make([]float64, 0, len(x)/m*len(keep))
	for i := 0; i < len(x); i += m {
		for _, k := range keep {
			out = append(out, x[i+k])
		}
	}
	return out
}

// histogram bins bounds from 0 up to where almost all of them lie.
func histogram(title string, x []float64) report.Histogram {
	q := stat.Quantiles(x, .5, .96)
	top := q[1]
	if math.IsInf(top, 0) || top == 0 {
		top = 1
		for _, v := range x {
			if !math.IsInf(v, 0) {
				top = max(top, v)
			}
		}
	}
	width := niceWidth(top / histogramBins)
	h := stat.NewHistogram(stat.Edges(0, width*histogramBins, histogramBins))
	h.Add(x...)
	return report.Histogram{
		Title: title, Axis: "standard deviation, normalised units", Status: bound.StatusCertified,
		Edges: h.Edges, Counts: append(h.Counts, h.Above),
		Peak: report.Number(fullest(h)), Median: report.Number(q[0]),
	}
}

// fullest returns the middle of the fullest bin.
func fullest(h *stat.Histogram) float64 {
	at := 0
	for i, k := range h.Counts {
		if k > h.Counts[at] {
			at = i
		}
	}
	return (h.Edges[at] + h.Edges[at+1]) / 2
}

// niceWidth rounds up to 1, 2 or 5 times a power of ten.
func niceWidth(x float64) float64 {
	e := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 2, 5} {
		if f*e >= x*(1-1e-9) {
			return f * e
		}
	}
	return 10 * e
}

// spectrum reports rank, resolvable directions and the spread of σ/sᵢ.
func spectrum(r *report.Report, res *bound.Result) {
	sigma := res.Experiment.Scale()
	ranks := make([]float64, len(res.Rank))
	width := 0
	counts := make([][]float64, len(thresholds))
	for i, k := range res.Rank {
		ranks[i] = float64(k)
		width = max(width, k)
		for t, n := range bound.Resolvable(res.Spectra[i], sigma, thresholds) {
			counts[t] = append(counts[t], float64(n))
		}
	}
	r.Resolvable = &report.Resolvable{
		RankMedian: stat.Quantiles(ranks, .5)[0], RankMin: slices.Min(res.Rank), RankMax: slices.Max(res.Rank),
		Inputs: r.Model.Inputs, Thresholds: thresholds,
	}
	for t := range thresholds {
		r.Resolvable.DirectionsMedian = append(r.Resolvable.DirectionsMedian, stat.Quantiles(counts[t], .5)[0])
	}
	r.Spectrum = &report.Spectrum{}
	column := make([]float64, len(res.Spectra))
	for k := range width {
		for i, s := range res.Spectra {
			column[i] = math.Inf(1)
			if k < len(s) {
				column[i] = sigma / s[k]
			}
		}
		q := stat.Quantiles(column, .05, .5, .95)
		r.Spectrum.Low = append(r.Spectrum.Low, report.Number(q[0]))
		r.Spectrum.Median = append(r.Spectrum.Median, report.Number(q[1]))
		r.Spectrum.High = append(r.Spectrum.High, report.Number(q[2]))
	}
}

// warn says what a reader of the figures must know, and the verdict.
func (m *measurement) warn(r *report.Report, res *bound.Result) {
	warn := func(format string, a ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, a...)) }
	e := res.Experiment
	for _, w := range res.Warnings {
		warn("%s", w)
	}
	warn("The bounds hold for unbiased reconstructions. An adversary who knows what such inputs look like is biased and may come closer; no attack was run here.")
	if e.Domain.Low == nil {
		warn("Witnesses may leave the data's range (domain free): the bounds are for adversaries who are unbiased there too. --domain legal asks less of them.")
	}
	if e.Search.Search == bound.Published {
		warn("The search is the authors' program (one LSQR over a stack of examples, stopped early), which damps what the features see least: algorithm1 and direct give larger bounds.")
	}
	if len(res.Indices) < m.data.Len() {
		warn("%d of %d examples were examined: the figures are about these.", len(res.Indices), m.data.Len())
	}
	if r.Resolvable != nil && r.Resolvable.RankMax < r.Resolvable.Inputs {
		warn("The features see at most %d of %d directions of an input, so most coordinates have no unbiased estimator at all. That holds exactly where attacks with a prior succeed; it is no promise of safety.", r.Resolvable.RankMax, r.Resolvable.Inputs)
	}
	if r.Verdict = verdict(r); strings.HasPrefix(r.Verdict, vacuous) {
		warn("The bounds are vacuous: an error of one grey level of 255 is more than is certified of half of the coordinates.")
	}
}

// vacuous begins the verdict on bounds that say nothing.
const vacuous = "vacuous"

// verdict sums up in a line what the bounds come to.
func verdict(r *report.Report) string {
	best := bestRow(r, true)
	typical := "typical coordinate"
	if best.Band != "all" {
		typical = "typical coarse coordinate"
	}
	median := best.Quantile(.5)
	switch {
	case r.Vacuous(median):
		return vacuous + ": the certified error of the " + typical + " is under one grey level"
	case math.IsInf(median, 1):
		return "unbounded: the witnesses leave no finite limit to the error of the " + typical + " for any unbiased adversary"
	}
	return fmt.Sprintf("bounded: the %s errs by at least %.3g grey levels for any unbiased adversary", typical, median*float64(r.Data.GreyLevels))
}

// bestRow returns the certified summary with the largest median, of the low band
// where there is one.
func bestRow(r *report.Report, low bool) bound.Summary {
	var best bound.Summary
	for _, b := range r.Bounds {
		if b.Status != bound.StatusCertified || b.Method != bound.MethodHCR || (b.Band != "all") != low {
			continue
		}
		if best.Method == "" || b.Quantile(.5) > best.Quantile(.5) {
			best = b
		}
	}
	if best.Method == "" && low {
		return bestRow(r, false)
	}
	return best
}
