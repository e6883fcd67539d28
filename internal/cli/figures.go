package cli

import (
	"fmt"
	"math"
	"slices"

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
	e, standing := res.Experiment, r.Standing()
	for _, s := range res.Sizes {
		name := "s = " + report.Fraction(s.Size)
		r.Histograms = append(r.Histograms, histogram("all coordinates, "+name, s.Std))
		if low := e.Coordinates.Band(e.Band); len(low) > 0 {
			r.Histograms = append(r.Histograms, histogram(fmt.Sprintf("%d×%d coarsest modes, %s", e.Band, e.Band, name), bound.Band{Keep: low}.Of(s.Std, e.Coordinates.Len())))
		}
	}
	for i := range r.Histograms {
		r.Histograms[i].Status = standing
	}
	if res.Rank != nil {
		spectrum(r, res)
	} else if res.Estimated != nil {
		estimatedDirections(r, res)
	}
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

// estimatedDirections reports what is known of spectra that were not computed.
func estimatedDirections(r *report.Report, res *bound.Result) {
	s := &report.Resolvable{Estimated: true, Probes: res.Experiment.Spectrum.Probes, Inputs: r.Model.Inputs, Thresholds: thresholds}
	for _, t := range thresholds {
		c, _ := res.Directions(t)
		s.DirectionsMedian, s.DirectionsError = append(s.DirectionsMedian, c.Estimate), append(s.DirectionsError, c.Error)
		s.DirectionsLow, s.DirectionsHigh = append(s.DirectionsLow, c.Low), append(s.DirectionsHigh, c.High)
	}
	var largest, smallest []float64
	for i := range res.Estimated {
		x := res.Estimated[i].Extremes()
		largest, smallest = append(largest, x.Largest), append(smallest, x.Smallest)
	}
	s.Largest, s.Smallest = report.Number(stat.Quantile(largest, .5)), report.Number(stat.Quantile(smallest, .5))
	r.Resolvable = s
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
