package nn

import (
	"fmt"
	"slices"

	"tattle/internal/math/simd"
)

// Dense is an affine layer, y = W·x + b (ONNX Gemm, or MatMul-13 and Add), on each
// row of inputs [..., In].
type Dense struct {
	In, Out int
	Weight  *Param // [Out, In]
	Bias    *Param // [Out]; nil for none
	Fixed   bool   // the parameters are not learned
}

// Kind returns "Gemm".
func (o *Dense) Kind() string { return "Gemm" }

// Shape returns [..., Out]; it returns an error if the input is not [..., In] or a parameter
// does not fit.
func (o *Dense) Shape(inputs ...[]int) ([]int, error) {
	s, err := oneInput(inputs)
	if err != nil {
		return nil, err
	}
	if o.In <= 0 || o.Out <= 0 {
		return nil, fmt.Errorf("%d inputs and %d outputs: both must be positive", o.In, o.Out)
	}
	if len(s) == 0 || s[len(s)-1] != o.In {
		return nil, fmt.Errorf("input has shape %v, want [%d] or rows of it", s, o.In)
	}
	if err := checkAffine(o.Bias, o.Out, o.Weight, o.Out, o.In); err != nil {
		return nil, err
	}
	return append(slices.Clone(s[:len(s)-1]), o.Out), nil
}

// Params returns the weight and, where there is one, the bias, unless they are fixed.
func (o *Dense) Params() []*Param {
	if o.Fixed {
		return nil
	}
	return present(o.Weight, o.Bias)
}

func (o *Dense) kernel32(in ...[]int) kernel[float32] { return newDense[float32](o, in[0]) }
func (o *Dense) kernel64(in ...[]int) kernel[float64] { return newDense[float64](o, in[0]) }

// dense is the kernel of Dense. In inference the weight is packed once and kept;
// in training, where it changes at each step and the batch is small, it is not.
type dense[T Float] struct {
	*Dense
	rows int // of one example
}

func newDense[T Float](o *Dense, in []int) *dense[T] { return &dense[T]{o, Size(in[:len(in)-1])} }

func (k *dense[T]) forward(f *frame[T]) {
	k.mul(f.y, f.x[0], f.batch*k.rows, f.train)
	if k.Bias != nil {
		bias := values[T](k.Bias)
		simd.Parallel(f.batch*k.rows, 1+grain/k.Out, func(lo, hi int) {
			simd.AddRows(f.y[lo*k.Out:hi*k.Out], hi-lo, k.Out, bias)
		})
	}
}

// mul overwrites y, [rows, Out], with x·Wᵀ.
func (k *dense[T]) mul(y, x []T, rows int, train bool) {
	if train {
		simd.Gemm(false, true, rows, k.Out, k.In, 1, x, k.In, values[T](k.Weight), k.In, 0, y, k.Out)
		return
	}
	w := packed[T](k.Weight, true, k.In, k.Out, k.In)
	simd.GemmPacked(false, rows, 1, x, k.In, w, 0, y, k.Out)
}

func (k *dense[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.mul(dy, dx[0], f.batch*k.rows*n, f.train)
}

func (k *dense[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	rows := f.batch * k.rows * n
	switch {
	case dx[0] == nil:
	case f.train:
		simd.Gemm(false, false, rows, k.In, k.Out, 1, dy, k.Out, values[T](k.Weight), k.In, 0, dx[0], k.In)
	default:
		w := packed[T](k.Weight, false, k.Out, k.In, k.In)
		simd.GemmPacked(false, rows, 1, dy, k.Out, w, 0, dx[0], k.In)
	}
}

// grad sets ∂W = dyᵀ·x + keep·∂W and ∂b = Σ dy + keep·∂b, over all rows of the
// batch.
func (k *dense[T]) grad(f *frame[float32], dy []float32, keep float32) {
	rows := f.batch * k.rows
	simd.Gemm(true, false, k.Out, k.In, rows, 1, dy, k.Out, f.x[0], k.In, keep, k.Weight.Grad, k.In)
	if k.Bias == nil {
		return
	}
	if keep == 0 {
		clear(k.Bias.Grad)
	}
	simd.SumRows(k.Bias.Grad, rows, k.Out, dy)
}

// oneInput returns the shape of an operator's only input.
func oneInput(inputs [][]int) ([]int, error) {
	if len(inputs) != 1 {
		return nil, fmt.Errorf("takes one input, has %d", len(inputs))
	}
	return inputs[0], nil
}
