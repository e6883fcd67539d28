package nn

import (
	"math"

	"tattle/internal/simd"
)

// Bounds of entries grow at each affine operator as if all errors had the sign that harms
// most: where the entries are d, some √d times faster than errors do. So beside them runs a
// bound on the Euclidean norm of all errors of an example, which an operator magnifies by its
// Lipschitz constant: the spectral norm of a matrix, 1/2 for a Softmax. It forgets where the
// errors are. Of the two the smaller counts: no entry is off by more than the norm, and the
// norm is at most that of the bounds.

// normUp lifts a sum of a few non-negative terms, or a root of a sum of up to 2³⁰ squares,
// above what it stands for.
const normUp = 1 + 0x1p-20

// length returns at least ‖x‖: squares that underflow take less than normSlack from it.
func length(x []float64) float64 { return math.Sqrt(simd.SumSquares(x))*normUp + normSlack }

// reachOf returns at least the largest |hi + lo| where |lo| ≤ 2⁻⁵³·|hi|.
func reachOf(hi []float64) float64 { return simd.MaxAbs(hi) * normUp }

// rowOf returns the part of x that belongs to example b.
func rowOf(x []float64, b, batch int) []float64 {
	n := len(x) / batch
	return x[b*n : (b+1)*n]
}

// settle makes a tensor that a kernel has filled consistent: entries that are not finite have
// no bound that an operator after it makes finite, and the two bounds confine each other.
func (y wideTensor) settle(batch int) {
	for b := range batch {
		hi, lo, e := rowOf(y.hi, b, batch), rowOf(y.lo, b, batch), rowOf(y.e, b, batch)
		if lost := checkWide(hi, lo, e); lost {
			y.norm[b] = math.Inf(1)
		}
		most := length(e)
		if !(y.norm[b] < most) {
			y.norm[b] = most
			continue
		}
		for i, v := range e {
			if !(v <= y.norm[b]) {
				e[i] = y.norm[b]
			}
		}
	}
}

// rounding bounds the norm of errors that are at most relative of each entry of an example and
// underflow.
func (y wideTensor) rounding(b, batch int, relative float64) float64 {
	hi := rowOf(y.hi, b, batch)
	return (relative*length(hi) + math.Sqrt(float64(len(hi)))*underflow) * normUp
}
