package attack

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/internal/math/stat"
	"tattle/internal/protect/bound"
)

// Confidence is the confidence of the limits on gains, shared by the attacks of which the
// best is chosen.
const Confidence = .999

// Gain returns by how much the mean-square error of a coordinate is below that of guessing the mean, which is the result
// prior. low is a lower limit over examples like these, −Inf for fewer than two. It is Student's t for the mean
// of the paired differences, at confidence 1 − (1 − Confidence)/attacks. So it still holds if the best of that many attacks
// was chosen. Gain panics if the two results are not of the same examples and coordinates.
func (r *Result) Gain(prior *Result, attacks int) (mean, low float64) {
	if len(r.MeanSquare) != len(prior.MeanSquare) || len(r.RMS) != len(prior.RMS) || attacks < 1 {
		panic(fmt.Sprintf("attack: %d errors of %d examples compared with %d of %d, for %d attacks", len(r.RMS), len(r.MeanSquare), len(prior.RMS), len(prior.MeanSquare), attacks))
	}
	difference := prior.squares(nil)
	for i, v := range r.squares(nil) {
		difference[i] -= v
	}
	mean, half := student(difference, 1-(1-Confidence)/float64(attacks))
	return mean, mean - half
}

// student returns the mean of x and by how much it may be off, by Student's t at that level: +Inf for fewer than two values.
func student(x []float64, level float64) (mean, half float64) {
	mean, std := stat.MeanStd(x)
	n := float64(len(x))
	if n < 2 {
		return mean, math.Inf(1)
	}
	return mean, stat.StudentQuantile(level, n-1) * std / math.Sqrt(n)
}

// Interval returns the 95 % interval, by Student's t, of the mean-square error over examples like these, of
// the coordinates in band, all where it is nil. It returns nil for fewer than two examples.
func (r *Result) Interval(band []int) *[2]float64 {
	mean, half := student(r.squares(band), .975)
	if math.IsInf(half, 1) {
		return nil
	}
	return &[2]float64{max(0, mean-half), mean + half}
}

// squares are the mean-square errors of examples over the coordinates in band, all
// where it is nil; of people, the mean of their examples'.
func (r *Result) squares(band []int) []float64 {
	out, rms, m := make([]float64, len(r.MeanSquare)), r.RMS, len(r.RMS)/len(r.MeanSquare)
	if band != nil {
		rms, m = bound.Band{Keep: band}.Of(rms, m), len(band)
	}
	for i := range out {
		for _, v := range rms[i*m : (i+1)*m] {
			out[i] += v * v / float64(m)
		}
	}
	if r.People != nil {
		return stat.GroupMeans(out, r.People, 1+slices.Max(r.People))
	}
	return out
}

// BandMeanSquare is the mean-square error over examples, draws and the coordinates in
// band, all where it is nil.
func (r *Result) BandMeanSquare(band []int) float64 {
	mean, _ := stat.MeanStd(r.squares(band))
	return mean
}

// Best returns the result with the least mean-square error over examples, draws and the coordinates in band, all where it is
// nil; the first by name of equal ones. It returns nil if there is none.
func Best(all []*Result, band []int) *Result {
	if len(all) == 0 {
		return nil
	}
	return slices.MinFunc(all, func(a, b *Result) int {
		return cmp.Or(cmp.Compare(a.BandMeanSquare(band), b.BandMeanSquare(band)), strings.Compare(a.Attack, b.Attack))
	})
}

// A Row is the error of an attack over the coordinates of a band.
type Row struct {
	Band       string  // "all", or the low band as "8x8"
	Median     float64 // of the root mean square errors of coordinates over draws of the noise, over examples and coordinates
	MeanSquare float64 // over coordinates, examples and draws
	Examples   int
}

// RMS is the root mean square error over the band's coordinates, inputs and draws.
func (r Row) RMS() float64 { return math.Sqrt(r.MeanSquare) }

// Summaries returns the rows of all coordinates, which are those of the measurement, and, where there
// is one, of their low band of size×size. Without examples there are none.
func (r *Result) Summaries(c bound.Coordinates, size int) (rows []Row) {
	if len(r.MeanSquare) == 0 {
		return nil
	}
	for _, b := range bound.Bands(c, size) {
		rows = append(rows, Row{b.Name, stat.Quantile(b.Of(r.RMS, c.Len()), .5), r.BandMeanSquare(b.Keep), len(r.MeanSquare)})
	}
	return rows
}

// RootMeanSquare is the error per input over all examples and draws.
func (r *Result) RootMeanSquare() float64 {
	mean, _ := stat.MeanStd(r.MeanSquare)
	return math.Sqrt(mean)
}
