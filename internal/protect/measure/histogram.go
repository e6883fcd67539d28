package measure

import (
	"fmt"
	"math"

	"tattle/internal/math/stat"
	"tattle/internal/protect/bound"
	"tattle/internal/report"
)

// histogramBins is as fine as A's Figure 1.
const histogramBins = 60

// histograms draws the bounds of each size.
func (a *account) histograms(res *bound.Result) {
	e := res.Experiment
	for _, s := range res.Near() {
		name := "s = " + Fraction(s.Size)
		a.histogram("all coordinates, "+name, s.Std)
		if low := e.Coordinates.Band(e.Band); len(low) > 0 {
			a.histogram(fmt.Sprintf("%d×%d coarsest modes, %s", e.Band, e.Band, name), bound.Band{Keep: low}.Of(s.Std, e.Coordinates.Len()))
		}
	}
}

// histogram draws values.
func (a *account) histogram(title string, x []float64) {
	h, s := Histogram(x), report.Series{ID: "histogram", Name: title}
	for k, n := range h.Counts {
		s.X, s.Y = append(s.X, (h.Edges[k]+h.Edges[k+1])/2), append(s.Y, float64(n)/float64(len(x)))
	}
	a.Series = append(a.Series, s)
}

// Histogram bins bounds from 0 up to where almost all of them lie.
func Histogram(x []float64) *stat.Histogram {
	top := stat.Quantile(x, .96)
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
	return h
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
