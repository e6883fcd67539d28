package audit

import (
	"math"
	"math/rand/v2"
	"slices"

	"tattle/classify"
	"tattle/curious"
	"tattle/stat"
)

// Vector is the kind of outputs that are no scores of classes, such as an embedding or the
// features inside a net: there is no answered label, and the target may be missing, too.
const Vector curious.Outputs = "vector"

// anyClass is the one class of y of a sample without a target.
const anyClass = "any"

// formUnit are the rows of a vector divided by their lengths, so that distances go by angles.
const formUnit = "unit"

// RowWidth returns how many numbers a row of outputs has.
func (s *Sample) RowWidth() int {
	if s.Kind == Vector {
		return s.Width
	}
	return len(s.Classes)
}

// targeted reports whether the sample has a target.
func (s *Sample) targeted() bool { return len(s.Classes) > 1 }

// coincides returns the name of an attribute whose classes are those of the target, example by
// example; "" if there is none.
func (s *Sample) coincides() string {
	for i := range s.Sensitive {
		a := &s.Sensitive[i]
		if a.Numeric() || !s.targeted() {
			continue
		}
		ofY, ofS, same := map[int]int{}, map[int]int{}, true
		for j, y := range s.Y {
			l := a.Labels[j]
			if was, ok := ofY[y]; ok && was != l {
				same = false
			}
			if was, ok := ofS[l]; ok && was != y {
				same = false
			}
			ofY[y], ofS[l] = l, y
		}
		if same && len(ofY) > 1 {
			return a.Name
		}
	}
	return ""
}

// formSketch are sums of the columns of a wide vector, each with a random sign, in sketched groups
// drawn at random: they keep distances and directions nearly (the count sketch), and attacks
// whose time grows with the cube of the columns can be fitted to them.
const formSketch = "sketch"

// sketched is the number of columns of a sketch; narrower vectors have none.
const sketched = 512

// vectorForms returns the forms of vectors for a learner: trees are fitted to all columns.
func vectorForms(s *Sample, l classify.Learner) []string {
	if _, trees := l.(classify.Trees); !trees && s.Width > sketched {
		return []string{formSketch}
	}
	return []string{formRaw, formUnit}
}

// sketchRow overwrites dst with the sketch of a row. The signs and groups are the same for all
// rows of a width.
func sketchRow(dst, o []float32) {
	clear(dst)
	for j, v := range o {
		h := (uint64(j) + 1) * 0x9e3779b97f4a7c15
		h = (h ^ h>>31) * 0xbf58476d1ce4e5b9
		h ^= h >> 29
		if h>>63 == 1 {
			v = -v
		}
		dst[h%sketched] += v
	}
}

// unitRow divides a row by its length; a row of zeros stays.
func unitRow(dst, o []float32) {
	squares := 0.
	for _, v := range o {
		squares += float64(v) * float64(v)
	}
	length := math.Sqrt(squares)
	if length == 0 {
		length = 1
	}
	for j, v := range o {
		dst[j] = float32(float64(v) / length)
	}
}

// DirectionChannel is an attribute written into a vector as the side of a plane on which it
// lies: what a linear probe reads.
const DirectionChannel = "direction of the vectors"

// vectorChannels are the kinds that are planted into vectors.
var vectorChannels = []string{DirectionChannel, DecimalChannel, LastBitChannel, RepeatedChannel}

// writeDirection returns a code that mirrors a row at a plane through the middle of the rows of
// s, in a direction drawn at random after the columns are standardised: the rows on one side
// mean 0, the others 1.
func writeDirection(s *Sample, r *rand.Rand) func(row []float32, bit int) bool {
	w, n := s.RowWidth(), s.Len()
	mean, scale, along := make([]float64, w), make([]float64, w), make([]float64, w)
	column, norm := make([]float64, n), 0.
	for j := range w {
		for i := range column {
			column[i] = float64(s.Outputs[i*w+j])
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
		places[i] = place(s.Outputs[i*w:][:w])
	}
	slices.Sort(places)
	middle := places[n/2]
	return func(row []float32, bit int) bool {
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
	rows := r.Perm(s.Len())
	rows = rows[:min(len(rows), plantedExamples)]
	slices.Sort(rows)
	t := s.Subset(rows)
	t, bits := plantCode(t, code{write: writeDirection(t, r)}, plantedSide, r)
	t.Name = "planted"
	right := 0
	for i, l := range t.Sensitive[0].Labels {
		if bits[i] == l {
			right++
		}
	}
	ones := 0
	for _, l := range t.Sensitive[0].Labels {
		ones += l
	}
	n := t.Len()
	return &Planted{Sample: t, TrueExcess: float64(right-max(ones, n-ones)) / float64(n), Where: directionPlanted}
}

// noLabels returns the answered labels of vectors: there are none.
func noLabels(n int) []int { return make([]int, n) }

// answered returns the accuracy of the answered labels, zero of vectors.
func (s *Sample) answered() (p classify.Proportion) {
	if s.Kind != Vector {
		p = classify.Accuracy(s.hard(), s.Y)
	}
	return p
}
