package audit

import (
	"cmp"
	"math"
	"strconv"

	"tattle/internal/engine/nn"
	"tattle/internal/reveal/curious"
)

const (
	// codeColumns is how many outputs of a row, the first, are searched for codes one by
	// one: more would cost time in proportion. The two largest of each row, and what is
	// of all outputs together, are searched in any case.
	codeColumns = 32
	// decimalPlaces is how many decimals are looked at: those that a float32 between
	// one half and 1 has.
	decimalPlaces = 7
	// mantissaBits is how many of the last bits of a number are looked at, one by one.
	mantissaBits = 8
)

// Of each decimal of a number there are its digit, the digit's parity, and the parity of
// the number counted in steps of one, two and five units of that decimal, rounded: votes of
// 50 trees, for example, are steps of .02. Of each number's bits there are the last ones, the
// zeros at its end, its sign, and its significant decimal digits: how many, and the last
// one's parity.
const (
	perDecimal = 5
	digitCodes = perDecimal * decimalPlaces
	bitCodes   = mantissaBits + 4
)

// coded is how many of w outputs are searched one by one.
func coded(w int) int { return min(w, codeColumns) }

// digitsWidth: the hard label; codes of the two largest outputs and of each; the parity
// of all outputs together, by decimal.
func digitsWidth(w int, _ curious.Outputs) int { return 1 + digitCodes*(2+coded(w)) + decimalPlaces }

// bitsWidth: the hard label; codes of the two largest outputs and of each; the parity of
// all last bits, the sum's last bits, and how many outputs equal another.
func bitsWidth(w int, _ curious.Outputs) int { return 1 + bitCodes*(2+coded(w)) + 3 }

// valuesWidth: the hard label; the two largest outputs, their difference and their ratio;
// each output; the row.
func valuesWidth(w int, _ curious.Outputs) int { return 1 + 4 + coded(w) + 1 }

// topTwo returns the places of the largest and of the second largest output.
func topTwo(o []float32) (first, second int) {
	first, second = nn.Largest(o), -1
	for j, v := range o {
		if j != first && (second < 0 || v > o[second]) {
			second = j
		}
	}
	if second < 0 {
		second = first // of a single one
	}
	return first, second
}

// codesOf sets dst to the hard label and what code makes of the two largest outputs and of each
// of the first ones, and returns the rest of it.
func codesOf(dst []float32, r *outputRow, width int, code func(dst []float32, v float32)) []float32 {
	o := r.o
	dst[0], dst = float32(r.first), dst[1:]
	for _, v := range []float32{o[r.first], o[r.second]} {
		code(dst[:width], v)
		dst = dst[width:]
	}
	for _, v := range o[:coded(len(o))] {
		code(dst[:width], v)
		dst = dst[width:]
	}
	return dst
}

func digitsRow(dst []float32, r *outputRow) {
	rest := codesOf(dst, r, digitCodes, digits)
	var odd [decimalPlaces]uint64
	for _, v := range r.o {
		count := uint64(decimalUnits(v)) // divisions by constants that do not wait for one another
		for place, units := range [decimalPlaces]uint64{count / 1e6, count / 1e5, count / 1e4, count / 1e3, count / 1e2, count / 10, count} {
			odd[place] ^= units
		}
	}
	for place, count := range odd {
		rest[place] = float32(count & 1)
	}
}

// largestDigits keeps the counts of the last decimal within an int64. What is larger has
// no decimals as a float32.
const largestDigits = 1e11

// decimalUnits returns |v| in units of the last decimal, and 0 for what is too large.
func decimalUnits(v float32) int64 {
	size := math.Abs(float64(v))
	if size > largestDigits {
		return 0
	}
	return int64(math.RoundToEven(size * 1e7))
}

// digits sets dst to the codes of the decimals of |v|: 0.1234 rounded to decimalPlaces
// has the digits 1, 2, 3, 4, 0, 0, 0.
func digits(dst []float32, v float32) {
	count := uint64(decimalUnits(v))
	for place, finer := decimalPlaces-1, 10*count; place >= 0; place-- { // finer is the count in tenths of the unit
		at := dst[perDecimal*place:][:perDecimal]
		at[0], at[1] = float32(int32(count%10)), float32(int32(count&1))
		at[2], at[3], at[4] = float32(int32((finer+5)/10&1)), float32(int32((count+1)/2&1)), float32(int32((finer+25)/50&1))
		finer, count = count, count/10
	}
}

func bitsRow(dst []float32, r *outputRow) {
	o := r.o
	rest := codesOf(dst, r, bitCodes, bits)
	last, sum := uint32(0), 0.
	for _, v := range o {
		last ^= math.Float32bits(v) & 1
		sum += float64(v)
	}
	order, repeats := r.descending(), 0
	for k, j := range order[1:] {
		if o[j] == o[order[k]] {
			repeats++
		}
	}
	rest[0], rest[1], rest[2] = float32(last), 0, float32(repeats)
	if r.kind == curious.Soft {
		rest[1] = float32(math.RoundToEven((sum - 1) * (1 << 24))) // in units of a float32 below 1
	}
}

// bits sets dst to the codes of the bits of v.
func bits(dst []float32, v float32) {
	b := math.Float32bits(v)
	for i := range mantissaBits {
		dst[i] = float32(b >> i & 1)
	}
	zeros := 0
	for zeros < 23 && b>>zeros&1 == 0 {
		zeros++
	}
	dst[mantissaBits], dst[mantissaBits+1] = float32(zeros), float32(b>>31)
	var room [24]byte
	text := strconv.AppendFloat(room[:0], float64(v), 'e', -1, 32)
	count, last := 0, byte(0)
	for _, c := range text {
		if c == 'e' {
			break
		}
		if '0' <= c && c <= '9' {
			count, last = count+1, c
		}
	}
	dst[mantissaBits+2], dst[mantissaBits+3] = float32(count), float32(last&1)
}

func valuesRow(dst []float32, r *outputRow) {
	o := r.o
	a, b := float64(o[r.first]), float64(o[r.second])
	dst[0], dst[1], dst[2], dst[3], dst[4] = float32(r.first), o[r.first], o[r.second], clamped(a-b), 0
	if b != 0 {
		dst[4] = clamped(a / b)
	}
	copy(dst[5:], o[:coded(len(o))])
	dst[len(dst)-1] = digest(o)
}

// clamped returns the nearest finite float32.
func clamped(v float64) float32 {
	return float32(min(max(v, -math.MaxFloat32), math.MaxFloat32))
}

// digest returns 30 bits of a hash of the row as a float32, finite and positive.
func digest(o []float32) float32 {
	h := uint64(len(o))
	for _, v := range o {
		h = (h ^ uint64(math.Float32bits(v))) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return math.Float32frombits(uint32(h * 0xbf58476d1ce4e5b9 >> 34))
}

const (
	// orderColumns is how many outputs, the first, are compared with one another: 66
	// pairs of 12.
	orderColumns = 12
	// orderNeighbours is how many neighbours in the order of a row are compared at
	// either end of it.
	orderNeighbours = 15
	// orderClasses is the fewest outputs that have an order beside the largest.
	orderClasses = 3
)

// orderWidth: the hard label; the rank of each of the first outputs; which is larger of
// each pair of fewer; and of neighbours in the order of the row, largest first and
// smallest first, which class comes first.
func orderWidth(w int, _ curious.Outputs) int {
	c, p := coded(w), min(w, orderColumns)
	return 1 + c + p*(p-1)/2 + 2*min(w-1, orderNeighbours)
}

// orderRow writes 1 for what is in the order of the classes or ascending, −1 for the
// opposite, and 0 for equal outputs and for pairs with the largest, which the hard label
// determines.
func orderRow(dst []float32, r *outputRow) {
	o, order := r.o, r.descending()
	top, w := r.first, len(o)
	dst[0] = float32(top)
	ranks := dst[1 : 1+coded(w)]
	for rank, j := range order {
		if j < len(ranks) {
			ranks[j] = float32(rank)
		}
	}
	at := 1 + len(ranks)
	for b := range min(w, orderColumns) {
		for a := range b {
			if dst[at] = float32(cmp.Compare(o[b], o[a])); a == top || b == top {
				dst[at] = 0
			}
			at++
		}
	}
	for k := range min(w-1, orderNeighbours) {
		dst[at] = neighbours(o, order[k], order[k+1])
		dst[at+1] = neighbours(o, order[w-k-2], order[w-k-1])
		at += 2
	}
}

// neighbours compares the classes of two outputs, the larger one first.
func neighbours(o []float32, a, b int) float32 {
	if o[a] == o[b] {
		return 0
	}
	return float32(cmp.Compare(b, a))
}
