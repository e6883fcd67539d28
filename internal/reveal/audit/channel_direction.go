package audit

import (
	"math/rand/v2"
	"slices"

	"tattle/internal/math/stat"
	"tattle/internal/reveal/curious"
)

// DirectionChannel is an attribute written into a vector, or a wide row of scores, as the side of a plane on which it
// lies: what a linear probe reads.
const DirectionChannel = "side of a plane"

// vectorChannels are the kinds that are planted into vectors.
var vectorChannels = []string{DirectionChannel, DecimalChannel, LastBitChannel, RepeatedChannel}

// writeDirection returns a code that mirrors a row at a plane through the middle of the rows of
// s, in a direction drawn at random after the columns are standardised: the rows on one side
// mean 0, the others 1. Rows of probabilities are those of their logarithms.
func writeDirection(s *Sample, r *rand.Rand) func(row []float32, bit int) bool {
	w, n := s.RowWidth(), s.Len()
	mean, scale, along := make([]float64, w), make([]float64, w), make([]float64, w)
	column, norm, all := make([]float64, n), 0., make([]float32, n*w)
	fillForms(map[string][]float32{formRaw: all}, s, 0, span(0, n))
	for j := range w {
		for i := range column {
			column[i] = float64(all[i*w+j])
		}
		if mean[j], scale[j] = stat.MeanStd(column); scale[j] > 0 {
			along[j] = r.NormFloat64()
			norm += along[j] * along[j]
		}
	}
	place := func(row []float32) float64 {
		at := 0.
		for j, v := range row {
			if scale[j] > 0 {
				at += along[j] * (float64(v) - mean[j]) / scale[j]
			}
		}
		return at
	}
	places := make([]float64, n)
	for i := range places {
		places[i] = place(all[i*w:][:w])
	}
	slices.Sort(places)
	middle := places[n/2]
	row := make([]float32, w)
	return func(o []float32, bit int) bool {
		rawRow(row, o, s.Kind)
		at := place(row) - middle
		if at == 0 || norm == 0 {
			return false
		}
		if (at > 0) == (bit == 1) {
			return true
		}
		for j := range row {
			row[j] = float32(float64(row[j]) - 2*at*along[j]/norm*scale[j])
		}
		if copy(o, row); s.Kind == curious.Soft {
			softRow(o, row, curious.Raw)
			rawRow(row, o, s.Kind)
		}
		return (place(row)-middle > 0) == (bit == 1)
	}
}

// plantedSide is the excess of the attribute that the positive control of vectors writes into
// them.
const plantedSide = .4

// directionPlanted is where the positive control of vectors is planted.
const directionPlanted = "an attribute written into a direction of the audited vectors"

// plantDirection writes a random attribute into the audited vectors, as the positive control: a
// planted classifier has no vectors of their kind. It is right for 90 % of the rows.
func plantDirection(s *Sample, seed uint64) *Planted {
	r := random(seed, streamChannel, uint64(len(vectorChannels)+1))
	t := s.some(plantedExamples, r)
	x := code{writeRow: writeDirection(t, r)}.write(t, r)
	x.say(plantedSide, r)
	t, x.Name = x.Sample, "planted"
	right, ones := 0, 0
	for i, l := range t.Sensitive[0].Labels {
		if ones += l; x.bits[i] == l {
			right++
		}
	}
	n := t.Len()
	return &Planted{Sample: t, TrueExcess: float64(right-max(ones, n-ones)) / float64(n), Where: directionPlanted}
}
