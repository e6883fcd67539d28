package nn

import (
	"math"

	"tattle/internal/math/simd"
)

// Products in double words go through float64's matrix products without an error
// (Ozaki, Ogita, Oishi and Rump, "Error-free transformations of matrix multiplication
// by using fast routines", Numer. Algorithms 59, 2012): weights and inputs are cut
// into slices, multiples of a power of two so few bits long that each product of a
// slice of the weights with one of the inputs, a sum of depth terms, is exact in
// whatever order. What is left is to add those sums in double words.

// slicing says how an affine operator is cut: slice i of the weights holds bits
// i·alpha to (i+1)·alpha below the power of two above the channel's largest, slice j
// of the inputs bits j·beta to (j+1)·beta, and inputs[i] slices of the inputs meet
// slice i of the weights.
type slicing struct {
	alpha, beta int
	inputs      []int
}

const (
	// wideBits is how many bits of a product, below that of the largest weight with
	// the largest input, are computed: more than double words have, as most entries
	// are smaller than the largest.
	wideBits = 112

	// sliceLimit keeps slices of the weights exact in float32, and those of the
	// inputs large beside the lo of what is left of them, see cut.
	sliceLimit = 24
)

// newSlicing finds the cheapest slices for sums of depth products with weights of so
// many bits. A slice holds at most 2^(bits−1) units, or a few more, see cut; so that a
// sum of depth products is below 2^53 if alpha + beta + ⌈log₂ depth⌉ ≤ 54.
func newSlicing(depth, bits int) slicing {
	sum := 54 - int(math.Ceil(math.Log2(float64(depth))))
	best, least := slicing{}, math.MaxInt
	for alpha := sliceLimit; alpha > 0; alpha-- {
		s := slicing{alpha: alpha, beta: min(sum-alpha, sliceLimit)}
		if s.beta <= 0 {
			continue
		}
		cost := 0
		for done := 0; done < max(bits, 1) && done < wideBits; done += alpha {
			n := (wideBits - done + s.beta - 1) / s.beta
			s.inputs, cost = append(s.inputs, n), cost+n
		}
		if cost < least {
			best, least = s, cost
		}
	}
	return best
}

// roundTo returns x to the nearest multiple of the unit 2^e, where |x| ≤ 2⁵¹·2^e and
// nothing overflows or underflows.
func roundTo(x, grid float64) float64 { return (x + grid) - grid }

// gridOf returns what roundTo takes for the unit 2^e: 1.5·2⁵²·2^e, to which float64
// adds in multiples of it.
func gridOf(e int) float64 { return math.Ldexp(3, 51+e) }

// inputSlices are the slices of a tensor, slice by slice, and what they leave.
type inputSlices struct {
	slices int
	beta   int
	size   int       // of one example
	top    []int     // of each example, a power of two that its entries are below
	data   []float64 // [slices, batch, size]
	rest   []float64 // [batch, size]: e and |what the slices leave|
}

// Powers of two that the largest entry of an example lies between, so that nothing
// here overflows or underflows. Of an example beyond the first nothing is known, and
// of one below the second no slice is taken.
const (
	wideHuge = 900
	wideTiny = -700
)

// cut fills the slices from x. An entry's hi is rounded to the first unit, 2^(top−β),
// at most half of which is then left in hi + lo, made a double word again; and so on.
// As |lo| is less than a quarter of a later slice's unit for β ≤ 24, slice j is at most
// 2^(β−1) units, or one more; the slices and what is left add up to x exactly.
func (s *inputSlices) cut(x wideTensor, batch int) {
	s.size = len(x.hi) / batch
	s.top = sized(s.top, batch)
	s.data, s.rest = sized(s.data, s.slices*len(x.hi)), sized(s.rest, len(x.hi))
	for b := range batch {
		s.top[b] = topOf(x.hi[b*s.size:][:s.size])
	}
	simd.Parallel(len(x.hi), 1+grain/16, func(lo, hi int) { s.cutRange(x, lo, hi) })
}

// topOf returns k + 1 if |x| < 2^k, hence also |x + lo|.
func topOf(x []float64) int {
	most := simd.MaxAbs(x)
	if math.IsNaN(most) || math.IsInf(most, 0) {
		return wideHuge + 1
	}
	_, k := math.Frexp(most)
	return k + 1
}

func (s *inputSlices) cutRange(x wideTensor, lo, hi int) {
	n := len(x.hi)
	for lo < hi {
		b := lo / s.size
		end := min(hi, (b+1)*s.size)
		taken := s.slices
		if s.top[b] > wideHuge || s.top[b] < wideTiny {
			taken = 0
		}
		for j := taken; j < s.slices; j++ {
			clear(s.data[j*n+lo : j*n+end])
		}
		s.cutExample(x, s.top[b], taken, lo, end)
		lo = end
	}
}

func (s *inputSlices) cutExample(x wideTensor, top, taken, lo, hi int) {
	n := len(x.hi)
	var grids [wideBits]float64
	for j := range taken {
		grids[j] = gridOf(top - (j+1)*s.beta)
	}
	for i := lo; i < hi; i++ {
		h, l := x.hi[i], x.lo[i]
		for j, g := range grids[:taken] {
			q := roundTo(h, g)
			s.data[j*n+i] = q
			h, l = twoSum(h-q, l)
		}
		s.rest[i] = x.e[i] + math.Abs(h)*(1+0x1p-50)
		if top > wideHuge {
			s.rest[i] = math.Inf(1)
		}
	}
}

// weightSlices are an affine operator's weights in slices, by output channel.
type weightSlices struct {
	slicing
	version uint64
	data    [][]float32 // the slices, each laid out as the weight
	reach   [][]float64 // of each slice and channel: bounds on Σ|W|, and last of what no slice holds
	top     []int       // of each channel
}

// newWeightSlices cuts w, whose entry i is of channel of(i). A slice is at most
// 2^(α−1) units; the units and the slices are multiples of w's last bits, so that
// float32 holds them, unless they overflow.
func newWeightSlices(w []float32, channels, depth int, of func(i int) int) *weightSlices {
	s := &weightSlices{top: make([]int, channels)}
	for i, v := range w {
		if _, k := math.Frexp(float64(v)); v != 0 {
			s.top[of(i)] = max(s.top[of(i)], k+1+topOffset)
		}
	}
	bits := 0
	for i, v := range w {
		if v != 0 {
			bits = max(bits, s.top[of(i)]-topOffset-lastBit(v))
		}
	}
	s.slicing = newSlicing(depth, bits)
	rest := widen[float64](nil, w)
	for j := range s.inputs {
		slice, reach := make([]float32, len(w)), make([]float64, channels)
		for i, v := range rest {
			c := of(i)
			q := roundTo(v, gridOf(s.top[c]-topOffset-(j+1)*s.alpha))
			slice[i], rest[i] = float32(q), v-q
			reach[c] += math.Abs(q)
		}
		s.data, s.reach = append(s.data, slice), append(s.reach, reach)
	}
	left := make([]float64, channels)
	for i, v := range rest {
		left[of(i)] += math.Abs(v)
	}
	s.reach = append(s.reach, left)
	up := roundUp(len(w))
	for _, r := range s.reach {
		for c := range r {
			r[c] *= up
		}
	}
	return s
}

// topOffset keeps exponents above 0, because 0 stands for a channel without weights.
const topOffset = 1024

// lastBit returns the exponent of the last bit of v that is set, if v is a number and
// not 0.
func lastBit(v float32) int {
	f, k := math.Frexp(float64(v))
	e := k - 24
	for m := int64(math.Abs(f) * (1 << 24)); m != 0 && m&1 == 0; m >>= 1 {
		e++
	}
	return e
}
