package attack

import (
	"math"

	"tattle/internal/math/stat"
	"tattle/internal/protect/bound"
)

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
