package attack

import (
	"fmt"
	"math"
	"strconv"

	"tattle/bound"
	"tattle/stat"
)

// StatusDemonstrated is the standing of what an attack reached.
const StatusDemonstrated = "demonstrated"

// A Row is one entry of a report's attacks: the root mean square error of each coordinate of a band over
// draws of the noise, as quantiles over examples and coordinates. It is a ceiling if it is below that of
// the prior alone.
type Row struct {
	Name        string `json:"name"`
	About       string `json:"about"` // one sentence: what it knows, how it was trained
	Coordinates string `json:"coordinates"`
	Band        string `json:"band"` // "all", or the low band as "8x8"
	Keep        []int  `json:"-"`    // the band's coordinates; nil for all
	Values      int    `json:"-"`    // how many errors the quantiles are over

	RMSQuantiles map[string]*float64 `json:"rms_quantiles"`      // "0.05", "0.25", …
	MeanSquare   float64             `json:"mean_square"`        // of the band's coordinates, over examples and draws
	Interval     *[2]float64         `json:"interval,omitempty"` // of MeanSquare, as Result.Interval has it
	Gain         *Gain               `json:"gain,omitempty"`     // over the prior alone; nil for that itself, and where it was not measured
	Examples     int                 `json:"examples"`
	Draws        int                 `json:"draws"`
	Recognised   *float64            `json:"recognised,omitempty"` // share of reconstructions that the model assigns to the original's class; nil where that was not measured
	Status       string              `json:"status"`
}

// RMS is the root mean square error over the band's coordinates, inputs and draws.
func (r Row) RMS() float64 { return math.Sqrt(r.MeanSquare) }

// Quantile returns the quantile of that level, NaN if there is none.
func (r Row) Quantile(level float64) float64 {
	return bound.Summary{StdQuantiles: r.RMSQuantiles}.Quantile(level)
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
	row := Row{Name: r.Attack, About: r.About, Coordinates: c.Name(), Band: name, Keep: band, Values: len(values), Status: StatusDemonstrated,
		RMSQuantiles: map[string]*float64{}, MeanSquare: r.BandMeanSquare(band), Interval: r.Interval(band), Examples: len(r.MeanSquare), Draws: r.Draws}
	if share := r.Recognised; !math.IsNaN(share) {
		row.Recognised = &share
	}
	for i, q := range stat.Quantiles(values, bound.QuantileLevels...) {
		row.RMSQuantiles[strconv.FormatFloat(bound.QuantileLevels[i], 'g', -1, 64)] = &q
	}
	return row
}

// RootMeanSquare is the error per input over all examples and draws.
func (r *Result) RootMeanSquare() float64 {
	mean, _ := stat.MeanStd(r.MeanSquare)
	return math.Sqrt(mean)
}
