package nn

import "tattle/internal/math/simd"

// Float is the element type of activations: float32 for training and searches,
// float64 for certificates.
type Float = simd.Float

// Op is an operator with its settings and parameters. The set of operators is
// closed: each is a struct of this package that compiles to kernels.
type Op interface {
	Kind() string                             // the ONNX operator's name
	Shape(inputs ...[]int) ([]int, error)     // of one example's output
	kernel32(inputs ...[]int) kernel[float32] // compiled for these input shapes
	kernel64(inputs ...[]int) kernel[float64]
}

// learned is an operator that has learned tensors.
type learned interface{ Params() []*Param }

// paramsOf returns the learned tensors of an operator, nil for none.
func paramsOf(op Op) []*Param {
	if l, ok := op.(learned); ok {
		return l.Params()
	}
	return nil
}

// frame is what one node keeps of a forward pass.
type frame[T Float] struct {
	batch int
	x     [][]T  // inputs, each [batch, ·], none of a Constant; the executor keeps what needs names while a Linearization lives
	y     []T    // output, [batch, ·]
	train bool   // batch statistics and dropout masks are drawn and kept
	alone bool   // no product follows: forward need not remember anything
	seed  uint64 // of this step and node, for dropout
	aux   any    // what the kernel itself wants to remember: pool winners, masks, batch statistics
}

// kernel is an operator compiled for one input shape and one precision. The products
// get the frame that forward filled, and must not change it. They may read f.aux. In
// inference they may read f.x and f.y only if the function needs says so of the kernel. k vectors per example share one
// frame: tangents and cotangents are [batch, k, ·]. A kernel whose output is empty
// is never called; its inputs may be empty.
type kernel[T Float] interface {
	// forward computes f.y from f.x.
	forward(f *frame[T])
	// jvp overwrites dy with J·dx, dx[i] belonging to f.x[i].
	jvp(f *frame[T], dy []T, dx [][]T, k int)
	// vjp overwrites each dx[i] with Jᵢᵀ·dy; a nil dx[i] is not wanted.
	vjp(f *frame[T], dx [][]T, dy []T, k int)
}

// learner is a kernel with parameters: it sets each Param.Grad to keep·Grad, which is not
// read where keep is 0, plus the gradient with respect to them, summed over the batch. Float32
// only, and the frame is of training.
type learner interface {
	grad(f *frame[float32], dy []float32, keep float32)
}

// inPlacer is a kernel of one input whose output (or, in vjp, whose input's
// cotangent) may lie in the same memory as what it is computed from.
type inPlacer interface{ inPlace() }

// passer is a kernel that returns its one input unchanged, in inference always
// and in training where passTrain is true: the executor leaves it out.
type passer interface{ passTrain() bool }

// switcher is a kernel that knows which of its outputs have a zero row of J.
type switcher[T Float] interface {
	active(f *frame[T], dst []bool)
}

// mustFit returns x. It panics if the operator does not fit its inputs, which has been checked before.
func mustFit[X any](x X, err error) X {
	if err != nil {
		panic("nn: " + err.Error())
	}
	return x
}
