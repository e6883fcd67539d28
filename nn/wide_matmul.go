package nn

import (
	"math"

	"tattle/internal/simd"
)

// wideMatmul is MatMul in double words, as wideAffine but with slices of both inputs. Slice i of
// one meets slice j of the other where i + j < slices; the other products are left out.
type wideMatmul struct {
	*matmul[float64]
	*wideRoom
	slices  int
	beta    int
	one     frame[float64]
	y       wideTensor
	batch   int
	lost    []float64 // of each example, two: bounds on the products left out, without and with those of what no slice holds
	spectra pool[spectrum]
	collect func(lo, hi int)
	bound   func(lo, hi int)

	// Of the matrices that are bounded, in more: the norms, and what they have of entries and
	// columns.
	norms      []float64
	size, cols int
}

// newWideMatmul: slices have entries of at most 2^(beta−1) units, or one more, so that sums of
// k products are below 2⁵³ and exact.
func newWideMatmul(k *matmul[float64], room *wideRoom) *wideMatmul {
	w := &wideMatmul{matmul: k, wideRoom: room}
	w.beta = min(sliceLimit, (54-int(math.Ceil(math.Log2(float64(max(1, k.k))))))/2)
	w.slices = (wideBits + w.beta - 1) / w.beta
	w.collect, w.bound = w.collectRange, w.boundRange
	return w
}

func (w *wideMatmul) wide(y wideTensor, x []wideTensor, batch int) {
	for i, in := range [2]*inputSlices{&w.inputs, &w.second} {
		in.slices, in.beta = w.slices, w.beta
		in.cut(x[i], batch)
	}
	n, s := len(y.hi), w.slices
	w.room = sized(w.room, s*(s+1)/2*n)
	at := 0
	for i := range s {
		for j := range s - i {
			w.product(w.room[at:at+n], w.inputs.slice(i), w.second.slice(j), batch)
			at += n
		}
	}
	w.y, w.batch = y, batch
	w.magnitudes(x, batch)
	w.own = sized(w.own, n)
	w.lost = w.lost[:0]
	for b := range batch {
		w.drop(b)
	}
	simd.Parallel(n, 1+grain/32, w.collect)
	w.confine(x)
}

// slice returns one of the slices.
func (s *inputSlices) slice(i int) []float64 {
	n := len(s.rest)
	return s.data[i*n : (i+1)*n]
}

func (w *wideMatmul) product(y, a, b []float64, batch int) {
	w.one.batch, w.one.y, w.one.x = batch, y, append(w.one.x[:0], a, b)
	w.forward(&w.one)
}

// magnitudes overwrites y.e with bounds on the products with what the slices leave of the
// inputs, and their errors, together rest: with A = Ã + α, Ã the slices, |α| ≤ rest_A and
// |Ã| ≤ |Â| + rest_A, and B alike,
//
//	|A·B − Ã·B̃| ≤ |Ã|·rest_B + rest_A·|B̃| + rest_A·rest_B ≤ (|Â| + 2·rest_A)·rest_B + rest_A·(|B̂| + rest_B).
func (w *wideMatmul) magnitudes(x []wideTensor, batch int) {
	na, nb, n := len(x[0].hi), len(x[1].hi), len(w.y.hi)
	w.more = sized(w.more, na+nb+n)
	a, b, y := w.more[:na], w.more[na:na+nb], w.more[na+nb:]
	for i, h := range x[0].hi {
		a[i] = math.Abs(h) + 2*w.inputs.rest[i]
	}
	for i, h := range x[1].hi {
		b[i] = math.Abs(h) + w.second.rest[i]
	}
	w.product(w.y.e, a, w.second.rest, batch)
	w.product(y, w.inputs.rest, b, batch)
	simd.Add(w.y.e, w.y.e, y)
}

// drop bounds, for each output of an example, the products that are left out. The first are those
// of slices i and j with i + j = t ≥ slices: for each t there are fewer than slices of them, and
// slice i is at most 2^(top−i·beta). The others are with what the slices leave of Â and B̂, which
// is at most left for each entry.
func (w *wideMatmul) drop(b int) {
	k, s := float64(w.k), float64(w.slices)
	topA, topB := w.inputs.above(b), w.second.above(b)
	pairs := 2 * s * k * topA * topB * math.Ldexp(1, -w.slices*w.beta)
	leftA, leftB := w.inputs.left(b), w.second.left(b)
	w.lost = append(w.lost, pairs*normUp, (pairs+k*(topA*leftB+leftA*topB+leftA*leftB))*normUp)
}

// above returns a power of two that the entries of an example and their slices are below.
func (s *inputSlices) above(b int) float64 {
	if s.top[b] > wideHuge {
		return math.Inf(1)
	}
	return math.Ldexp(1, s.top[b])
}

// left bounds what the slices leave of hi + lo of an entry.
func (s *inputSlices) left(b int) float64 {
	if s.top[b] < wideTiny {
		return s.above(b)
	}
	return s.above(b) * math.Ldexp(1, -s.slices*s.beta)
}

// collectRange adds up the sums of some outputs, the smallest first. The bounds' own terms are
// not negative and pass at most k + slices² + 10 roundings.
func (w *wideMatmul) collectRange(lo, hi int) {
	n, size, s := len(w.y.hi), len(w.y.hi)/w.batch, w.slices
	up := roundUp(w.k + s*s + 10)
	for o := lo; o < hi; o++ {
		var h, l, trail float64
		for t := s - 1; t >= 0; t-- {
			for i := range t + 1 { // slices i and t−i
				at := i*s - i*(i-1)/2 + t - i
				h, l = addFloat(h, l, w.room[at*n+o])
				trail += math.Abs(h)
			}
		}
		lost := w.lost[o/size*2:]
		w.y.hi[o], w.y.lo[o] = h, l
		w.own[o] = up*(addError*trail+lost[1]) + underflow
		w.y.e[o] = up*(w.y.e[o]+addError*trail+lost[0]) + underflow
	}
}

// confine bounds the norms of the errors. From x̂ to x a product moves by Â·δB + δA·B̂ + δA·δB,
// and ‖Â·δB‖ ≤ ‖Â‖₂·‖δB‖ in Frobenius norms; a matrix that enters m products has its error in
// each of them, which makes √m times the norm.
func (w *wideMatmul) confine(x []wideTensor) {
	w.spectral(x[0].hi, w.sizeA, w.lda)
	for b := range w.batch {
		w.y.norm[b] = simd.MaxAbs(rowOf(w.norms, b, w.batch))
	}
	w.spectral(x[1].hi, w.sizeB, w.ldb)
	for b := range w.batch {
		na := x[0].norm[b] * math.Sqrt(float64(mostUses(w.usesA)))
		nb := x[1].norm[b] * math.Sqrt(float64(mostUses(w.usesB)))
		moved := w.y.norm[b]*nb + na*simd.MaxAbs(rowOf(w.norms, b, w.batch)) + na*nb
		w.y.norm[b] = (moved + length(rowOf(w.own, b, w.batch))) * normUp
	}
}

func mostUses(uses [][]int) (most int) {
	for _, u := range uses {
		most = max(most, len(u))
	}
	return most
}

// matrixSteps are the steps of the bounds on the spectral norms of inputs.
const matrixSteps = 2

// spectral fills norms for the matrices hi + lo of a tensor, each of size entries in rows of
// cols. lo is below 2⁻⁵³ of hi, which normUp allows for up to 2⁶⁰ entries.
func (w *wideMatmul) spectral(hi []float64, size, cols int) {
	w.more = append(w.more[:0], hi...)
	w.size, w.cols = size, cols
	w.norms = sized(w.norms, len(hi)/max(1, size))
	simd.Parallel(len(w.norms), 1+grain/(1+size*min(cols, size/max(1, cols))), w.bound)
}

func (w *wideMatmul) boundRange(lo, hi int) {
	s := w.spectra.borrow()
	for i := lo; i < hi; i++ {
		w.norms[i] = s.above(w.more[i*w.size:][:w.size], w.size/w.cols, w.cols, matrixSteps) * normUp
	}
	w.spectra.giveBack(s)
}
