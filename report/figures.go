package report

import (
	"fmt"
	"math"
	"slices"

	"tattle/bound"
	"tattle/stat"
)

const histogramBins = 60 // as fine as A's Figure 1

// resolvedWithin are the standard deviations, in normalised units, to within which
// directions are counted as resolved.
var resolvedWithin = []float64{0.1, 0.2, 0.5, 1, 2}

// setFigures makes the histograms and the spectrum from the arrays of a run; verify
// repeats it.
func (r *Report) setFigures(res *bound.Result) {
	e, standing := res.Experiment, r.standing()
	for _, s := range res.Sizes {
		name := "s = " + Fraction(s.Size)
		r.Histograms = append(r.Histograms, NewHistogram("all coordinates, "+name, s.Std))
		if low := e.Coordinates.Band(e.Band); len(low) > 0 {
			r.Histograms = append(r.Histograms, NewHistogram(fmt.Sprintf("%d×%d coarsest modes, %s", e.Band, e.Band, name), bound.Band{Keep: low}.Of(s.Std, e.Coordinates.Len())))
		}
	}
	for i := range r.Histograms {
		r.Histograms[i].Status = standing
	}
	if res.Rank != nil {
		r.setSpectrum(res)
	}
}

// NewHistogram bins bounds from 0 up to where almost all of them lie.
func NewHistogram(title string, x []float64) Histogram {
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
	return Histogram{
		Title: title, Axis: "standard deviation, normalised units", Status: bound.StatusCertified,
		Edges: h.Edges, Counts: append(h.Counts, h.Above),
		Peak: Number(h.Mode()), Median: Number(q[0]),
	}
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

// setSpectrum reports rank, resolvable directions and the spread of σ/sᵢ.
func (r *Report) setSpectrum(res *bound.Result) {
	sigma := res.Experiment.Scale()
	ranks := make([]float64, len(res.Rank))
	width := 0
	counts := make([][]float64, len(resolvedWithin))
	for i, k := range res.Rank {
		ranks[i] = float64(k)
		width = max(width, k)
		for t, n := range bound.Resolvable(res.Spectra[i], sigma, resolvedWithin) {
			counts[t] = append(counts[t], float64(n))
		}
	}
	r.Resolvable = &Resolvable{
		RankMedian: stat.Quantile(ranks, .5), RankMin: slices.Min(res.Rank), RankMax: slices.Max(res.Rank),
		Inputs: r.Model.Inputs, Thresholds: resolvedWithin,
	}
	for t := range resolvedWithin {
		r.Resolvable.DirectionsMedian = append(r.Resolvable.DirectionsMedian, stat.Quantile(counts[t], .5))
	}
	r.Spectrum = &Spectrum{}
	column := make([]float64, len(res.Spectra))
	for k := range width {
		for i, s := range res.Spectra {
			column[i] = math.Inf(1)
			if k < len(s) {
				column[i] = sigma / s[k]
			}
		}
		q := stat.Quantiles(column, .05, .5, .95)
		r.Spectrum.Low = append(r.Spectrum.Low, Number(q[0]))
		r.Spectrum.Median = append(r.Spectrum.Median, Number(q[1]))
		r.Spectrum.High = append(r.Spectrum.High, Number(q[2]))
	}
}
