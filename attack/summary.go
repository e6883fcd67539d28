package attack

import (
	"fmt"
	"math"
	"strconv"

	"tattle/bound"
	"tattle/stat"
)

// statusDemonstrated is the standing of what an attack reached.
const statusDemonstrated = "demonstrated"

// A Row is one entry of a report's attacks: errors over examples and coordinates.
type Row struct {
	Attack       string             `json:"attack"`
	Coordinates  string             `json:"coordinates"`
	Band         string             `json:"band"`          // "all", or the low band as "8x8"
	Keep         []int              `json:"-"`             // the band's coordinates; nil for all
	Values       int                `json:"values"`        // how many errors the quantiles are over
	RMSQuantiles map[string]float64 `json:"rms_quantiles"` // "0.05", "0.25", …
	MeanSquare   float64            `json:"mean_square"`   // of the band's coordinates, over examples and draws
	Examples     int                `json:"examples"`
	Draws        int                `json:"draws"`
	Status       string             `json:"status"`
}

// Summaries returns the rows of all coordinates, which are those of the
// measurement (nil for pixels, as in Options), and, where there is one, of their low band
// of size×size. Without examples there are none.
func (r *Result) Summaries(c bound.Coordinates, size int) []Row {
	if len(r.MeanSquare) == 0 {
		return nil
	}
	if c == nil {
		c = bound.Pixels(len(r.RMS) / len(r.MeanSquare))
	}
	out := []Row{r.row(c, "all", nil)}
	if band := c.Band(size); size > 0 && len(band) > 0 && len(band) < c.Len() {
		out = append(out, r.row(c, fmt.Sprintf("%dx%d", size, size), band))
	}
	return out
}

func (r *Result) row(c bound.Coordinates, name string, band []int) Row {
	if len(r.RMS) != len(r.MeanSquare)*c.Len() {
		panic(fmt.Sprintf("attack: %d errors of %d examples are not of %d coordinates", len(r.RMS), len(r.MeanSquare), c.Len()))
	}
	values := r.RMS
	if band != nil {
		values = nil
		for i := range r.MeanSquare {
			for _, k := range band {
				values = append(values, r.RMS[i*c.Len()+k])
			}
		}
	}
	row := Row{Attack: r.Attack, Coordinates: c.Name(), Band: name, Keep: band, Values: len(values), Status: statusDemonstrated,
		RMSQuantiles: map[string]float64{}, MeanSquare: r.BandMeanSquare(band), Examples: len(r.MeanSquare), Draws: r.Draws}
	for i, q := range stat.Quantiles(values, bound.QuantileLevels...) {
		row.RMSQuantiles[strconv.FormatFloat(bound.QuantileLevels[i], 'g', -1, 64)] = q
	}
	return row
}

// RootMeanSquare is the error per input over all examples and draws.
func (r *Result) RootMeanSquare() float64 {
	mean, _ := stat.MeanStd(r.MeanSquare)
	return math.Sqrt(mean)
}
