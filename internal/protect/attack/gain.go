package attack

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/internal/math/stat"
)

// Confidence is the confidence of the limits on gains, shared by the attacks of which the
// best is chosen.
const Confidence = .999

// A Gain is by how much an attack's mean-square error is below that of Mean, the prior
// alone, on the same examples and draws.
type Gain struct {
	MeanSquare float64  `json:"mean_square"` // of a coordinate, over examples and draws
	Low        *float64 `json:"low"`         // its lower limit over examples like these; nil for fewer than two
	Confidence float64  `json:"confidence"`  // of the limit
}

// Better reports whether the attack is shown to err by less than the prior alone.
func (g Gain) Better() bool { return g.Low != nil && *g.Low > 0 }

// Closer reports whether an attack is shown to err by less than the prior alone, or was never
// compared with it.
func (g *Gain) Closer() bool { return g == nil || g.Better() }

// Here reports whether an attack erred by less than the prior alone on the examples of the run, though
// this is not shown for examples like them.
func (g *Gain) Here() bool { return !g.Closer() && g.MeanSquare > 0 }

// Gain compares r with what the prior alone reached, over the coordinates in band, all
// where it is nil. The limit is that of Student's t for the mean of the paired
// differences of examples, at confidence 1 − (1 − Confidence)/attacks: so it holds for
// whichever of so many attacks is chosen for its error. It panics if the two are not
// of the same examples and coordinates.
func (r *Result) Gain(prior *Result, band []int, attacks int) Gain {
	if len(r.MeanSquare) != len(prior.MeanSquare) || len(r.RMS) != len(prior.RMS) || attacks < 1 {
		panic(fmt.Sprintf("attack: %d errors of %d examples compared with %d of %d, for %d attacks", len(r.RMS), len(r.MeanSquare), len(prior.RMS), len(prior.MeanSquare), attacks))
	}
	difference := prior.squares(band)
	for i, v := range r.squares(band) {
		difference[i] -= v
	}
	g := Gain{Confidence: 1 - (1-Confidence)/float64(attacks)}
	var std float64
	g.MeanSquare, std = stat.MeanStd(difference)
	if n := float64(len(difference)); n >= 2 {
		low := g.MeanSquare - stat.StudentQuantile(g.Confidence, n-1)*std/math.Sqrt(n)
		g.Low = &low
	}
	return g
}

// Interval returns the 95 % interval, by Student's t, of the mean-square error over examples like these, of
// the coordinates in band, all where it is nil. It returns nil for fewer than two examples.
func (r *Result) Interval(band []int) *[2]float64 {
	squares := r.squares(band)
	n := float64(len(squares))
	if n < 2 {
		return nil
	}
	mean, std := stat.MeanStd(squares)
	half := stat.StudentQuantile(.975, n-1) * std / math.Sqrt(n)
	return &[2]float64{max(0, mean-half), mean + half}
}

// squares are the mean-square errors of examples over the coordinates in band, all
// where it is nil; of people, the mean of their examples'.
func (r *Result) squares(band []int) []float64 {
	out := make([]float64, len(r.MeanSquare))
	m := len(r.RMS) / len(out)
	for i := range out {
		x := r.RMS[i*m : (i+1)*m]
		if band == nil {
			for _, v := range x {
				out[i] += v * v / float64(m)
			}
			continue
		}
		for _, k := range band {
			out[i] += x[k] * x[k] / float64(len(band))
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
