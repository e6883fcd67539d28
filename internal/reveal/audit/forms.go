package audit

import (
	"math"

	"tattle/internal/engine/classify"
	"tattle/internal/math/simd"
	"tattle/internal/reveal/curious"
)

// The forms of the outputs that attacks are fitted to. Codes are in a number's digits and not in its size.
const (
	formRaw    = "raw"    // scores; of probabilities their floored logarithms less the row's mean
	formSoft   = "soft"   // probabilities, which sum to 1; of scores their softmax
	formTop1   = "top1"   // the hard label one-hot, its probability and, where scores are released, its score
	formDigits = "digits" // decimal digits and their parities
	formBits   = "bits"   // last bits of the float32, signs, and how many digits a number has
	formValues = "values" // exact numbers, as they are released, and of rows
	formOrder  = "order"  // which outputs are larger than which others, of those below the largest, too
	formUnit   = "unit"   // of vectors: the row divided by its length, so that distances go by angles
	// formSketch are sums of the columns of a wide raw form, each with a random sign, in sketched groups
	// drawn at random: they keep distances and directions nearly (the count sketch), and attacks
	// whose time grows with the cube of the columns can be fitted to them.
	formSketch = "sketch"
)

// formSorted are wide outputs in descending order, of probabilities their floored logarithms, at sortedEnds places from either end, which are closer
// together near the ends. They show what is in many columns alike, as in the spread of all outputs, and how the largest stand
// out; single columns do not.
const formSorted = "sorted"

// sortedEnds is how many numbers from either end of a sorted row are in its form.
const sortedEnds = 24

// formRow is a hash of the row, the only input of a coin.
const formRow = "row"

// probabilityFloor keeps logarithms finite: a softmax in float32 rounds what is
// smaller to nothing or nearly so.
const probabilityFloor = 1e-7

// forms says of each form how wide a row is that is made of w outputs, and how it is made.
var forms = map[string]struct {
	width func(w int, k curious.Outputs) int
	row   func(dst []float32, r *outputRow)
}{
	formRaw:    {sameWidth, func(dst []float32, r *outputRow) { copy(dst, r.raw) }},
	formSoft:   {sameWidth, func(dst []float32, r *outputRow) { copy(dst, r.soft) }},
	formTop1:   {topWidth, topRow},
	formDigits: {digitsWidth, digitsRow},
	formBits:   {bitsWidth, bitsRow},
	formValues: {valuesWidth, valuesRow},
	formOrder:  {orderWidth, orderRow},
	formUnit:   {sameWidth, unitRow},
	formSketch: {func(int, curious.Outputs) int { return sketched }, sketchRow},
	formSorted: {func(int, curious.Outputs) int { return 2 * sortedEnds }, sortedRow},
	formRow:    {func(int, curious.Outputs) int { return 1 }, func(dst []float32, r *outputRow) { dst[0] = digest(r.o) }},
}

// outputRow is a row of outputs, and what several of its forms need, computed once.
type outputRow struct {
	o             []float32
	kind          curious.Outputs
	first, second int       // the places of the largest and of the second largest output
	raw, soft     []float32 // the forms of these names
	logs          []float64 // room
	order         []int     // the places of the outputs, the largest first; nil until they are known
	sorter        classify.Sorter
}

// newOutputRow returns room for rows of w outputs.
func newOutputRow(w int, k curious.Outputs) *outputRow {
	return &outputRow{kind: k, raw: make([]float32, w), soft: make([]float32, w), logs: make([]float64, w)}
}

// set starts with another row.
func (r *outputRow) set(o []float32) {
	r.o, r.order = o, nil
	r.first, r.second = topTwo(o)
	rawRow(r.raw, o, r.kind, r.logs)
	if r.kind != Vector {
		softRow(r.soft, o, r.kind)
	}
}

// descending returns the places of the outputs, the largest first.
func (r *outputRow) descending() []int {
	if r.order == nil {
		r.order = r.sorter.Descending(r.o)
	}
	return r.order
}

func sameWidth(w int, _ curious.Outputs) int { return w }

// rawRow overwrites dst with the raw form of a row; logs is room for as many numbers.
func rawRow(dst, o []float32, k curious.Outputs, logs []float64) {
	if k != curious.Soft {
		copy(dst, o)
		return
	}
	mean := 0.
	for j, p := range o {
		logs[j] = math.Log(max(float64(p), probabilityFloor))
		mean += logs[j] / float64(len(o))
	}
	for j, v := range logs {
		dst[j] = float32(v - mean)
	}
}

// sketchRow overwrites dst with the sketch of a row. The signs and groups are the same for all
// rows of a width.
func sketchRow(dst []float32, r *outputRow) {
	clear(dst)
	for j, v := range r.raw {
		h := (uint64(j) + 1) * 0x9e3779b97f4a7c15
		h = (h ^ h>>31) * 0xbf58476d1ce4e5b9
		h ^= h >> 29
		if h>>63 == 1 {
			v = -v
		}
		dst[h%sketched] += v
	}
}

func sortedRow(dst []float32, r *outputRow) {
	order, o := r.descending(), r.o
	for i := range sortedEnds {
		part := float64(i) / (sortedEnds - 1)
		at := i + int(part*part*part*float64(len(o)/2-sortedEnds))
		dst[i], dst[2*sortedEnds-1-i] = o[order[at]], o[order[len(o)-1-at]]
	}
	for i, v := range dst {
		if r.kind == curious.Soft {
			dst[i] = float32(math.Log(max(float64(v), probabilityFloor)))
		}
	}
}

// unitRow divides a row by its length; a row of zeros stays.
func unitRow(dst []float32, r *outputRow) {
	squares := 0.
	for _, v := range r.o {
		squares += float64(v) * float64(v)
	}
	length := math.Sqrt(squares)
	if length == 0 {
		length = 1
	}
	for j, v := range r.o {
		dst[j] = float32(float64(v) / length)
	}
}

func softRow(dst, o []float32, k curious.Outputs) {
	if k == curious.Soft {
		copy(dst, o)
		if total, ok := distribution(o, sumTolerance); !ok {
			normalise(dst, total)
		}
		return
	}
	top, total := simd.Max(o), 0.
	for j, z := range o {
		dst[j] = z - top
	}
	simd.Exp(dst, dst)
	for _, e := range dst {
		total += float64(e)
	}
	for j, e := range dst {
		dst[j] = float32(float64(e) / total)
	}
}

func topWidth(w int, k curious.Outputs) int {
	if k == curious.Raw {
		return w + 2
	}
	return w + 1
}

func topRow(dst []float32, r *outputRow) {
	label, w := r.first, len(r.o)
	clear(dst)
	dst[label], dst[w] = 1, r.soft[label]
	if r.kind == curious.Raw {
		dst[w+1] = r.o[label]
	}
}

// normalise divides a row by its sum, or makes it uniform if the sum is 0.
func normalise(row []float32, total float64) {
	for j := range row {
		if total > 0 {
			row[j] = float32(float64(row[j]) / total)
		} else {
			row[j] = 1 / float32(len(row))
		}
	}
}
