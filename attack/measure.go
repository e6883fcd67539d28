package attack

import (
	"context"

	"tattle/bound"
	"tattle/nn"
	"tattle/release"
)

// Options are the settings of Measure.
type Options struct {
	Draws       int               // of noise for each example; 0 is DefaultDraws
	Queries     int               // releases of one input, of which the attacker takes the mean; 0 is 1
	Post        Post              // nil for none
	Coordinates bound.Coordinates // nil for pixels
	Classifier  nn.Model          // the whole model, to say whether it takes a reconstruction for the original; nil not to
	Pictures    int               // reconstructions kept, of the first examples; 0 is DefaultPictures
	Seed        uint64
	Progress    func(done, total int) // examples; nil for none
}

// Defaults of Options.
const (
	DefaultDraws    = 4  // the spread over examples is far wider than that over draws
	DefaultPictures = 16 // what a gallery shows
)

// Result is what an attack reached.
type Result struct {
	Attack, About string
	Indices       []int
	Inputs        int         // p
	RMS           []float64   // [examples, m]: root mean square error of each coordinate over draws
	MeanSquare    []float64   // [examples]: per input, over draws and inputs
	Recognised    float64     // fraction of reconstructions that the classifier puts in the original's class; NaN where none was given
	Draws         int         // of noise for each example
	Pictures      [][]float32 // the reconstruction from the first draw, of the first examples
}

// Measure runs the attack on releases of those examples.
func Measure(ctx context.Context, a Attack, front nn.Model, noise release.Noise, data bound.Source, indices []int, o Options) (*Result, error) {
	return nil, ctx.Err()
}

// StatusDemonstrated is the standing of what an attack reached.
const StatusDemonstrated = "demonstrated"

// A Row is one entry of a report's attacks: errors over examples and coordinates.
type Row struct {
	Attack       string             `json:"attack"`
	Coordinates  string             `json:"coordinates"`
	Band         string             `json:"band"`          // "all", or the low band as "8x8"
	Values       int                `json:"values"`        // how many errors the quantiles are over
	RMSQuantiles map[string]float64 `json:"rms_quantiles"` // "0.05", "0.25", …
	MeanSquare   float64            `json:"mean_square"`   // of the band's coordinates, over examples
	Examples     int                `json:"examples"`
	Draws        int                `json:"draws"`
	Status       string             `json:"status"`
}

// Summaries returns the rows of all coordinates and, where there is one, of the
// low band of size×size.
func (r *Result) Summaries(c bound.Coordinates, size int) []Row { return nil }
