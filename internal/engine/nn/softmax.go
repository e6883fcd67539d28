package nn

import (
	"math"

	"tattle/internal/math/simd"
)

// Softmax is exp(x_i) / Σ_j exp(x_j) over the last dimension (ONNX Softmax-13). In
// float32 an entry is good to 4 + |x_i − max x|/2 ulp: the difference is rounded.
type Softmax struct{}

// Kind returns "Softmax".
func (*Softmax) Kind() string { return "Softmax" }

// Shape returns the input's shape. It returns an error if that has no dimension.
func (*Softmax) Shape(inputs ...[]int) ([]int, error) { return rowsInput(inputs) }

func (*Softmax) kernel32(in ...[]int) kernel[float32] { return newSoftmax[float32](in[0]) }
func (*Softmax) kernel64(in ...[]int) kernel[float64] { return newSoftmax[float64](in[0]) }

func newSoftmax[T Float](in []int) *rowwise[T] {
	return newRowwise(in, rowFunc[T]{
		value:   softmaxAny[T],
		tangent: softmaxProductAny[T],
		pull:    softmaxProductAny[T], // the Jacobian diag(y) − y·yᵀ is its own transpose
		bound:   softmaxError,
	})
}

// softmaxAny is softmaxRow, and its fast form for float32.
func softmaxAny[T Float](y, x []T) {
	if x, ok := any(x).([]float32); ok {
		y := any(y).([]float32)
		simd.ExpSum(y, x, simd.Max(x))
		sum, _ := simd.SumAndSquares(y)
		simd.Scale(float32(1/sum), y)
		return
	}
	softmaxRow(y, x)
}

// softmaxProductAny is softmaxProduct, and its fast form for float32.
func softmaxProductAny[T Float](dst, d, y []T) {
	if y, ok := any(y).([]float32); ok {
		dst, d := any(dst).([]float32), any(d).([]float32)
		_, mean := simd.DotAndSum(y, d)
		simd.ScaleShift(dst, d, 1, float32(-mean))
		simd.Mul(dst, dst, y)
		return
	}
	softmaxProduct(dst, d, y)
}

func softmaxRow[T Float](y, x []T) {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, float64(v))
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - top)
	}
	for i, v := range x {
		y[i] = T(math.Exp(float64(v)-top) / sum)
	}
}

// softmaxProduct is dst = y∘(d − ⟨y, d⟩).
func softmaxProduct[T Float](dst, d, y []T) {
	mean := 0.0
	for i, v := range y {
		mean += float64(v) * float64(d[i])
	}
	for i, v := range y {
		dst[i] = T(float64(v) * (float64(d[i]) - mean))
	}
}

// softmaxError bounds two errors. With t_j = x̂_j − max x̂ the computed ŷ_i differs
// from ȳ_i, the exact softmax at x̂, by a factor within e^{±ρ_i}: rounding t_j moves
// its exponential by e^{±u|t_j|}, hence their sum, which is at least 1, relatively by
// at most u·Σ|t_j|e^{t_j} ≤ u·cols/e; math.Exp is good to 1 ulp, of which 8, that is
// 16u, are allowed in the entry and in the sum; the sum and the division round cols
// times. So
//
//	ρ_i = u·(|t_i| + 2·cols + 40),  |ŷ_i − ȳ_i| ≤ ŷ_i·expm1(ρ_i).
//
// From x̂ to x the logarithm of the odds y_i/(1 − y_i) = e^{x_i}/Σ_{j≠i} e^{x_j} moves
// by at most r_i = ex_i + max_j ex_j, and y_i therefore by at most
//
//	ȳ_i·(1 − ȳ_i)·expm1(r_i).
//
// 1 − ȳ_i is the sum of the other entries for the largest, and is taken as 1 for the
// rest; ȳ_j ≤ ŷ_j·e^{ρ_j}. Exponentials that underflow lose less than 2⁻¹⁰²² each,
// which underflow, times e^{r_i}, allows for. No error exceeds 1 but by the rounding of ŷ.
// Entries of −∞ give exactly 0.
func softmaxError(ey, x, y, ex []float64) {
	up := roundUp(len(x) + 40)
	top, widest, others := 0, 0.0, 0.0
	for i := range x {
		if x[i] > x[top] {
			top = i
		}
		widest = max(widest, ex[i])
	}
	rho := func(i int) float64 { return up * unit * (x[top] - x[i] + float64(2*len(x)+40)) }
	none := func(i int) bool { return math.IsInf(x[i], -1) && ex[i] == 0 }
	for i := range y {
		if i != top && !none(i) {
			others += y[i] * math.Exp(rho(i))
		}
	}
	for i := range x {
		if none(i) {
			ey[i] = 0
			continue
		}
		rest := 1.0
		if i == top {
			rest = min(1, others*up)
		}
		r := up * (ex[i] + widest)
		ey[i] = y[i]*math.Expm1(rho(i)) + y[i]*math.Exp(rho(i))*rest*math.Expm1(r) + underflow*math.Exp(r)
		if ey[i] *= up; !(ey[i] < up) {
			ey[i] = up
		}
	}
}
