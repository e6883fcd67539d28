package nn

import (
	"math"
)

// LogSoftmax is x_i − log Σ_j exp(x_j) over the last dimension (ONNX LogSoftmax-13).
type LogSoftmax struct{}

// Kind returns "LogSoftmax".
func (*LogSoftmax) Kind() string { return "LogSoftmax" }

// Shape returns the input's shape. It returns an error if that has no dimension.
func (*LogSoftmax) Shape(inputs ...[]int) ([]int, error) { return rowsInput(inputs) }

func (*LogSoftmax) kernel32(in ...[]int) kernel[float32] { return newLogSoftmax[float32](in[0]) }
func (*LogSoftmax) kernel64(in ...[]int) kernel[float64] { return newLogSoftmax[float64](in[0]) }

// logSoftmax is the kernel of LogSoftmax, in float64.
type logSoftmax[T Float] struct{ *rowwise[T] }

func newLogSoftmax[T Float](in []int) logSoftmax[T] {
	return logSoftmax[T]{newRowwise(in, rowFunc[T]{
		value:   logSoftmaxRow[T],
		tangent: logSoftmaxTangent[T],
		pull:    logSoftmaxPull[T],
		bound:   logSoftmaxError,
	})}
}

func (logSoftmax[T]) handsOn() {}

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

// logSoftmaxError: computed, t_i = x̂_i − top rounds once; Σ e^{t_j}, at least 1, is off
// relatively by at most u·cols/e for the rounding of the t_j (|t|·e^t ≤ 1/e), by 16u
// allowed to math.Exp and by cols roundings; its logarithm is off by as much and by 16u
// of itself, and the last subtraction by u·|ŷ_i|. So
//
//	|ŷ_i − ȳ_i| ≤ u·(|t_i| + |ŷ_i| + 2·cols + 40 + 16·log cols).
//
// From x̂ to x the logarithm of the odds of entry i moves by at most r_i = ex_i + max_j
// ex_j, and y_i, which is less steep, by no more; nor by more than (1 − p_i)·expm1(r_i),
// as in Softmax, 1 − p_i being the sum of the other entries for the largest. Entries of
// −∞ stay so, exactly.
func logSoftmaxError(ey, x, y, ex []float64) {
	n := float64(len(x))
	up := roundUp(len(x) + 40)
	top, widest, others := 0, 0.0, 0.0
	for i := range x {
		if x[i] > x[top] {
			top = i
		}
		widest = max(widest, ex[i])
	}
	own := func(i int) float64 {
		return up * unit * (x[top] - x[i] + math.Abs(y[i]) + 2*n + 40 + 16*math.Log(n))
	}
	none := func(i int) bool { return math.IsInf(x[i], -1) && ex[i] == 0 }
	for i := range x {
		if i != top && !none(i) {
			others += math.Exp(y[i] + own(i))
		}
	}
	for i := range x {
		if none(i) { // ŷ is −∞ too
			ey[i] = 0
			continue
		}
		r := up * (ex[i] + widest)
		if i == top {
			if sharp := up*others*math.Expm1(r) + underflow; sharp < r {
				r = sharp
			}
		}
		ey[i] = up*(own(i)+r) + underflow
	}
}
