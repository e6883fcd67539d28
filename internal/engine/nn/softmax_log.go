package nn

import "math"

// LogSoftmax is x_i − log Σ_j exp(x_j) over the last dimension (ONNX LogSoftmax-13).
type LogSoftmax struct{}

// Kind returns "LogSoftmax".
func (*LogSoftmax) Kind() string { return "LogSoftmax" }

// Shape returns the input's shape. It returns an error if that has no dimension.
func (*LogSoftmax) Shape(inputs ...[]int) ([]int, error) { return rowsInput(inputs) }

func (*LogSoftmax) kernel32(in ...[]int) kernel[float32] { return newLogSoftmax[float32](in[0]) }
func (*LogSoftmax) kernel64(in ...[]int) kernel[float64] { return newLogSoftmax[float64](in[0]) }

func newLogSoftmax[T Float](in []int) *rowwise[T] {
	return newRowwise(in, rowFunc[T]{
		value:   logSoftmaxRow[T],
		tangent: logSoftmaxTangent[T],
		pull:    logSoftmaxPull[T],
	})
}

// logSoftmaxRow subtracts the largest entry first, so that the logarithm is of no
// less than 1.
func logSoftmaxRow[T Float](y, x []T) {
	top, sum := math.Inf(-1), 0.0
	for _, v := range x {
		top = max(top, float64(v))
	}
	for _, v := range x {
		sum += math.Exp(float64(v) - top)
	}
	log := math.Log(sum)
	for i, v := range x {
		y[i] = T(float64(v) - top - log)
	}
}

// logSoftmaxTangent is dst = d − ⟨p, d⟩ with p = e^y.
func logSoftmaxTangent[T Float](dst, d, y []T) {
	mean := 0.0
	for i, v := range y {
		mean += math.Exp(float64(v)) * float64(d[i])
	}
	for i, v := range d {
		dst[i] = T(float64(v) - mean)
	}
}

// logSoftmaxPull is dst = d − p·Σd.
func logSoftmaxPull[T Float](dst, d, y []T) {
	sum := 0.0
	for _, v := range d {
		sum += float64(v)
	}
	for i, v := range y {
		dst[i] = T(float64(d[i]) - math.Exp(float64(v))*sum)
	}
}
