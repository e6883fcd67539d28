package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
	"tattle/internal/reveal/curious"
)

// The kinds of channel for which an audit's power is measured. ScoreChannel is what a
// planted curious model does: it moves the scores. The others are codes that are planted
// into the audited outputs.
const (
	ScoreChannel    = "scores"
	DecimalChannel  = "parity of a decimal"
	LastBitChannel  = "last bit"
	RepeatedChannel = "repeated values"
	OrderChannel    = "order of small outputs"
)

// channelsOf are the kinds that are planted into the outputs of s.
func channelsOf(s *Sample) []string {
	switch {
	case s.Kind == Vector:
		return vectorChannels
	case s.RowWidth() > sketched: // which the planted model's are not, and attacks have other forms of
		return append(slices.Clone(codeChannels), DirectionChannel)
	}
	return codeChannels
}

// codeChannels are the kinds that are planted into outputs.
var codeChannels = []string{DecimalChannel, LastBitChannel, RepeatedChannel, OrderChannel}

const (
	// plantedDecimal is the decimal that carries a bit, if the outputs have that many decimals.
	plantedDecimal = 3
	// repeated is the number of values for each bit in the channel of repeated values. With
	// more of them each is rarer, and its meaning is learned from fewer examples.
	repeated = 8
)

// A code writes bits into rows of outputs.
type code struct {
	read attackName // that shows the bits
	// writeRow makes the row say bit and reports whether it can.
	writeRow func(row []float32, bit int) bool
}

// codeOf returns the code of a kind for the outputs of s, or why they have none.
func codeOf(kind string, s *Sample, r *rand.Rand) (code, string) {
	w := s.RowWidth()
	j := r.IntN(coded(w))
	table := func(form string) attackName { return attackName{classify.Lookup{}.Name(), form} }
	switch kind {
	case DirectionChannel:
		return code{attackName{classify.Logistic{}.Name(), formsOf(s, classify.Logistic{})[0]}, writeDirection(s, r)}, ""
	case DecimalChannel:
		place := plantedDecimal
		if d := decimals(s.Outputs); d >= 0 && d < place {
			place = d
		}
		if place == 0 {
			return code{}, "the outputs have no decimals"
		}
		return code{table(formDigits), writeDecimal(j, place, s.Kind)}, ""
	case LastBitChannel:
		return code{table(formBits), writeLastBit(j)}, ""
	case RepeatedChannel:
		return code{table(formValues), writeRepeated(j, s)}, ""
	}
	if w < orderClasses {
		return code{}, fmt.Sprintf("%d outputs have no order beside the largest", w)
	}
	return code{table(formOrder), writeOrder}, ""
}

// writeDecimal changes output j by a unit of a decimal if its digit has the other
// parity.
func writeDecimal(j, place int, k curious.Outputs) func(row []float32, bit int) bool {
	return func(row []float32, bit int) bool {
		v, unit := float64(row[j]), math.Pow10(-place)
		if decimalParity(v, place) == bit {
			return true
		}
		if v < 0 || k == curious.Soft && v > .5 {
			unit = -unit
		}
		set(row, j, float32(v+unit), k)
		return decimalParity(float64(row[j]), place) == bit
	}
}

// set changes output j; of probabilities the others share what is left as they did.
func set(row []float32, j int, v float32, k curious.Outputs) {
	row[j] = v
	if k != curious.Soft {
		return
	}
	rest := 0.
	for i, p := range row {
		if i != j {
			rest += float64(p)
		}
	}
	for i, p := range row {
		switch {
		case i == j:
		case rest > 0:
			row[i] = float32(float64(p) * (1 - float64(v)) / rest)
		default:
			row[i] = float32((1 - float64(v)) / float64(len(row)-1))
		}
	}
}

// decimalParity returns the parity of a digit of |v|, as the form of digits has it.
func decimalParity(v float64, place int) int {
	var code [digitCodes]float32
	digits(code[:], float32(v))
	return int(code[perDecimal*(place-1)+1])
}

func writeLastBit(j int) func(row []float32, bit int) bool {
	return func(row []float32, bit int) bool {
		row[j] = math.Float32frombits(math.Float32bits(row[j])&^1 | uint32(bit))
		return true
	}
}

// writeRepeated replaces output j by the nearest of a few of its values. In
// ascending order, the even ones mean 0 and the odd ones 1.
func writeRepeated(j int, s *Sample) func(row []float32, bit int) bool {
	w := s.RowWidth()
	values := make([]float32, s.Len())
	for i := range values {
		values[i] = s.Outputs[i*w+j]
	}
	slices.Sort(values)
	codes := make([]float32, 2*repeated)
	for q := range codes {
		codes[q] = values[(2*q+1)*len(values)/(4*repeated)]
		if q > 0 && codes[q] <= codes[q-1] {
			codes[q] = math.Nextafter32(codes[q-1], math.MaxFloat32)
		}
	}
	return func(row []float32, bit int) bool {
		best := codes[bit]
		for q := bit; q < len(codes); q += 2 {
			if math.Abs(float64(codes[q]-row[j])) < math.Abs(float64(best-row[j])) {
				best = codes[q]
			}
		}
		set(row, j, best, s.Kind)
		return true
	}
}

// writeOrder swaps the two smallest outputs of a row, the last ones of equal ones, so
// that the class with the smallest comes second for 1 and first for 0. Equal ones say
// nothing.
func writeOrder(row []float32, bit int) bool {
	low, next := -1, -1
	for j, v := range row {
		switch {
		case low < 0 || v <= row[low]:
			low, next = j, low
		case next < 0 || v <= row[next]:
			next = j
		}
	}
	if row[low] == row[next] {
		return false
	}
	if (low > next) != (bit == 1) {
		row[low], row[next] = row[next], row[low]
	}
	return true
}

// written is a sample into whose outputs a code wrote one bit for each person, drawn evenly and independent of the outputs.
type written struct {
	*Sample
	person []int
	drawn  []int // [person]
	bits   []int // [example], what was written, −1 if nothing could be
}

// write returns s with the code in its outputs. They are the same whatever part of the bits is right.
func (c code) write(s *Sample, r *rand.Rand) *written {
	t, w := *s, s.RowWidth()
	t.Outputs = slices.Clone(s.Outputs)
	x := &written{Sample: &t, bits: make([]int, s.Len())}
	var people int
	x.person, people = s.people()
	for range people {
		x.drawn = append(x.drawn, r.IntN(2))
	}
	for i, p := range x.person {
		if x.bits[i] = x.drawn[p]; !c.writeRow(t.Outputs[i*w:(i+1)*w], x.bits[i]) {
			x.bits[i] = -1
		}
	}
	t.Sensitive = []Attribute{{Name: "planted", Values: []string{"0", "1"}, Labels: pick(x.drawn, x.person)}}
	return x
}

// say draws an attribute of two classes that the bits tell: it equals them with probability ½ + excess. Its classes are even, as the
// bits are. Apart from the bits it is independent of the outputs.
func (x *written) say(excess float64, r *rand.Rand) {
	of := make([]int, len(x.drawn))
	for p, bit := range x.drawn {
		if of[p] = bit; r.Float64() >= .5+excess {
			of[p] = 1 - bit
		}
	}
	x.Sensitive[0].Labels = pick(of, x.person)
}

// carried returns the share of the rows that can carry the code.
func (x *written) carried() float64 {
	n := 0.
	for _, b := range x.bits {
		n += one(b >= 0)
	}
	return n / float64(len(x.bits))
}

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
	row, logs := make([]float32, w), make([]float64, w)
	return func(o []float32, bit int) bool {
		rawRow(row, o, s.Kind, logs)
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
			rawRow(row, o, s.Kind, logs)
		}
		return (place(row)-middle > 0) == (bit == 1)
	}
}

// plantedSide is the excess of the attribute that the positive control of vectors writes into
// them.
const plantedSide = .4

// plantDirection writes a random attribute into the audited vectors, as the positive control: a
// planted classifier has no vectors of their kind. It is right for 90 % of the rows.
func plantDirection(s *Sample, seed uint64) *Trained {
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
	return &Trained{Sample: t, Name: t.Name, TrueExcess: float64(right-max(ones, n-ones)) / float64(n), Where: "an attribute written into a direction of the audited vectors"}
}
