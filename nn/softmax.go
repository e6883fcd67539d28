package nn

import (
	"math"

	"tattle/internal/simd"
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
	})
}

// softmaxAny is softmaxRow, and its fast form for float32.
func softmaxAny[T Float](y, x []T) {
	if x, ok := any(x).([]float32); ok {
		softmaxRow32(any(y).([]float32), x)
		return
	}
	softmaxRow(y, x)
}

func softmaxRow32(y, x []float32) {
	simd.ExpSum(y, x, simd.Max(x))
	sum, _ := simd.SumAndSquares(y)
	simd.Scale(float32(1/sum), y)
}

// softmaxProductAny is softmaxProduct, and its fast form for float32.
func softmaxProductAny[T Float](dst, d, y []T) {
	if y, ok := any(y).([]float32); ok {
		d := any(d).([]float32)
		_, mean := simd.DotAndSum(y, d)
		simd.NormTangent(any(dst).([]float32), d, y, y, 1, 0, float32(-mean))
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
