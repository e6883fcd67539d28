package nn

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/simd"
)

// Log is the natural logarithm of each entry: −Inf at 0, NaN below. Where a
// probability that may underflow to 0 comes in, something smaller than matters is
// best added to it before, for 0·Log(0) is NaN.
type Log struct{}

// Kind returns "Log".
func (*Log) Kind() string { return "Log" }

// Shape returns the input's shape.
func (*Log) Shape(inputs ...[]int) ([]int, error) { return oneInput(inputs) }

// Params returns nil.
func (*Log) Params() []*Param { return nil }

func (*Log) kernel32(...[]int) kernel[float32] { return newLog[float32]() }
func (*Log) kernel64(...[]int) kernel[float64] { return newLog[float64]() }

// logarithm is the kernel of Log: elementwise passes.
type logarithm[T Float] struct{ apply, quotient, step *pass[T] }

func newLog[T Float]() *logarithm[T] {
	return &logarithm[T]{newPass(logEach[T]), newPass(divideEach[T]), newPass(logShift[T])}
}

func (k *logarithm[T]) forward(f *frame[T]) { k.apply.run(f.y, f.x[0], f.x[0], f.batch, 1) }

func (k *logarithm[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.quotient.run(dy, dx[0], f.x[0], f.batch, n)
}

func (k *logarithm[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] != nil {
		k.quotient.run(dx[0], dy, f.x[0], f.batch, n)
	}
}

func (k *logarithm[T]) shift(f *frame[T], dy []T, dx [][]T, n int) {
	k.step.run(dy, dx[0], f.x[0], f.batch, n)
}

func logEach[T Float](dst, _, x []T) {
	for i, v := range x {
		dst[i] = T(math.Log(float64(v)))
	}
}

func divideEach[T Float](dst, d, x []T) {
	for i, v := range x {
		dst[i] = d[i] / v
	}
}

// logShift is log(x+d) − log(x) = log1p(d/x). Where |d/x| > 1/2 the two differ
// visibly and are subtracted.
func logShift[T Float](dst, d, x []T) {
	for i, v := range x {
		from, by := float64(v), float64(d[i])
		if t := by / from; math.Abs(t) <= .5 {
			dst[i] = T(math.Log1p(t))
		} else {
			dst[i] = T(math.Log(from+by) - math.Log(from))
		}
	}
}

// roundoff: over x̂ ± ex, where that is positive, the logarithm moves by at most
// −log1p(−ex/x̂), more downward than upward; math.Log and math.Log1p are good to 1
// ulp, of which 8, that is 16u, are allowed. The quotient is rounded up first, since
// near 1 its error is magnified.
func (k *logarithm[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	up := roundUp(20)
	for i, x := range f.x[0] {
		t := ex[0][i] / x * roundUp(1)
		if !(x > 0 && t < 1) {
			ey[i] = math.Inf(1)
			continue
		}
		ey[i] = up*(-math.Log1p(-t)+16*unit*math.Abs(f.y[i])) + underflow
	}
}

// Mul multiplies two tensors of the same shape entry by entry.
type Mul struct{}

// Kind returns "Mul".
func (*Mul) Kind() string { return "Mul" }

// Shape returns the shape of the inputs; it errs where they differ.
func (*Mul) Shape(inputs ...[]int) ([]int, error) {
	if len(inputs) != 2 {
		return nil, fmt.Errorf("takes two inputs, has %d", len(inputs))
	}
	if !slices.Equal(inputs[0], inputs[1]) {
		return nil, fmt.Errorf("inputs have shapes %v and %v, want the same", inputs[0], inputs[1])
	}
	return inputs[0], nil
}

// Params returns nil.
func (*Mul) Params() []*Param { return nil }

func (*Mul) kernel32(...[]int) kernel[float32] { return newMul[float32]() }
func (*Mul) kernel64(...[]int) kernel[float64] { return newMul[float64]() }

type multiply[T Float] struct{ product, more *pass[T] }

func newMul[T Float]() *multiply[T] {
	return &multiply[T]{newPass(simd.Mul[T]), newPass(func(dst, d, x []T) {
		for i, v := range x {
			dst[i] += d[i] * v
		}
	})}
}

func (k *multiply[T]) forward(f *frame[T]) { k.product.run(f.y, f.x[0], f.x[1], f.batch, 1) }

func (k *multiply[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.product.run(dy, dx[0], f.x[1], f.batch, n)
	k.more.run(dy, dx[1], f.x[0], f.batch, n)
}

func (k *multiply[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	for i, d := range dx {
		if d != nil {
			k.product.run(d, dy, f.x[1-i], f.batch, n)
		}
	}
}

// shift is dx·y + x·dy + dx·dy.
func (k *multiply[T]) shift(f *frame[T], dy []T, dx [][]T, n int) {
	k.jvp(f, dy, dx, n)
	k.more.run(dy, dx[0], dx[1], f.batch, 1)
}

// roundoff: |x̂·ŷ − x·y| ≤ |x̂|·ey + |ŷ|·ex + ex·ey, and u times the product for its
// own rounding.
func (k *multiply[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	up := roundUp(6)
	for i, y := range f.y {
		a, b := math.Abs(f.x[0][i]), math.Abs(f.x[1][i])
		e := up*(a*ex[1][i]+b*ex[0][i]+ex[0][i]*ex[1][i]+2*unit*math.Abs(y)) + underflow
		if math.IsNaN(e) { // 0 times an error without bound
			e = math.Inf(1)
		}
		ey[i] = e
	}
}
