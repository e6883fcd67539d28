package nn

import (
	"fmt"
	"maps"
	"slices"
)

// Binary combines two tensors entry by entry, after broadcasting them as ONNX and
// NumPy do: shapes are aligned at their last dimensions, and a dimension that is 1 or
// missing is repeated. Operator is the ONNX operator's name:
//
//   - Add, Sub, Mul, Div, Pow, Min or Max;
//   - a comparison, which is 1 where it holds and 0 elsewhere, with derivative 0:
//     Equal, Greater, GreaterOrEqual, Less, LessOrEqual or, with 0 for false and all
//     else true, And, Or, Xor.
//
// Both operands are inputs, or the second, with ConstantFirst the first, is Constant,
// which is not learned.
//
// Where Min and Max tie, each side has half of the derivative, as in PyTorch. Pow with
// exponent 0 is 1 with derivative 0 everywhere, and the derivative of a power of 0 with
// respect to the exponent is 0.
type Binary struct {
	Operator      string
	Constant      *Param // nil: two inputs
	ConstantFirst bool
}

// BinaryOperators returns the operators that [Binary] knows, sorted.
func BinaryOperators() []string { return slices.Sorted(maps.Keys(binaryFuncs[float64]())) }

// Compares reports whether the values of an operator of [Binary] are true and false.
func Compares(operator string) bool { return binaryFuncs[float64]()[operator].truth }

// Kind returns the operator's name.
func (o *Binary) Kind() string { return o.Operator }

// Shape returns the shape to which the operands broadcast. It returns an error if they
// do not, or if the operator is unknown.
func (o *Binary) Shape(inputs ...[]int) ([]int, error) {
	if binaryFuncs[float64]()[o.Operator].value == nil {
		return nil, fmt.Errorf("operator %q is not one of %q", o.Operator, BinaryOperators())
	}
	shapes, err := operandShapes(inputs, o.Constants())
	if err != nil {
		return nil, err
	}
	return BroadcastShape(shapes...)
}

// Constants returns the two operands, nil for an input.
func (o *Binary) Constants() []*Param {
	if o.ConstantFirst {
		return []*Param{o.Constant, nil}
	}
	return []*Param{nil, o.Constant}
}

func (o *Binary) kernel32(in ...[]int) kernel[float32] { return newBinary[float32](o, in) }
func (o *Binary) kernel64(in ...[]int) kernel[float64] { return newBinary[float64](o, in) }

func newBinary[T Float](o *Binary, in [][]int) *broadcast[T] {
	return newBroadcast(binaryFuncs[T]()[o.Operator].broadcast(), in, o.Constants())
}

// binaryFunc is what an operator of two numbers does over a run of entries.
type binaryFunc[T Float] struct {
	value func(dst, a, b []T)

	// left sets dst = d·∂y/∂a and right dst = d·∂y/∂b.
	left, right func(dst, d, a, b, y []T)

	// bound is the error of y, with its own rounding, where a and b are off by at most ea and eb. What underflow does is left out.
	bound func(a, ea, b, eb, y float64) float64

	truth bool // the values are 0 and 1, and the bounds are too
}

// broadcast returns the function of two operands.
func (f binaryFunc[T]) broadcast() broadcastFunc[T] {
	return broadcastFunc[T]{
		value: func(dst []T, x [maxOperands][]T) { f.value(dst, x[0], x[1]) },
		partial: func(dst, d []T, x [maxOperands][]T, y []T, side int) {
			by := f.left
			if side == 1 {
				by = f.right
			}
			by(dst, d, x[0], x[1], y)
		},
		bound: func(x, e [maxOperands]float64, y float64) float64 { return f.bound(x[0], e[0], x[1], e[1], y) },
		exact: f.truth,
	}
}
