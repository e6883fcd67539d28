package nn

import (
	"fmt"
	"maps"
	"slices"
)

// Arithmetic combines two tensors entry by entry, after broadcasting them to one
// another as ONNX and NumPy do: shapes are aligned at their last dimensions, and a
// dimension of 1 or none is repeated. Operator is the ONNX operator's name: Add, Sub,
// Mul, Div, Pow, Min or Max. Both are inputs, or the second, or with ConstantFirst the
// first, is the Constant, which is not learned.
//
// Where Min and Max tie each side has half of the derivative, as in PyTorch. Pow with
// exponent 0 is 1 with derivative 0, everywhere, and the derivative with respect to the
// exponent of 0 to the power of something is 0.
type Arithmetic struct {
	Operator      string
	Constant      *Param // nil: two inputs
	ConstantFirst bool
}

// ArithmeticOperators returns the operators that [Arithmetic] knows, sorted.
func ArithmeticOperators() []string { return slices.Sorted(maps.Keys(arithmeticLoops[float64]())) }

// Kind returns the operator's name.
func (o *Arithmetic) Kind() string { return o.Operator }

// Params returns nil: the constant is not learned.
func (*Arithmetic) Params() []*Param { return nil }

// Shape returns the shape that the two broadcast to. It errs where they do not, and
// where the operator is unknown.
func (o *Arithmetic) Shape(inputs ...[]int) ([]int, error) {
	if _, ok := arithmeticLoops[float64]()[o.Operator]; !ok {
		return nil, fmt.Errorf("operator %q is not one of %q", o.Operator, ArithmeticOperators())
	}
	shapes, err := pairShapes(inputs, o.Constant, o.ConstantFirst)
	if err != nil {
		return nil, err
	}
	return broadcastShape(shapes...)
}

func (o *Arithmetic) kernel32(in ...[]int) kernel[float32] { return newArithmetic[float32](o, in) }
func (o *Arithmetic) kernel64(in ...[]int) kernel[float64] { return newArithmetic[float64](o, in) }

func newArithmetic[T Float](o *Arithmetic, in [][]int) *pairwise[T] {
	loops := arithmeticLoops[T]()[o.Operator]
	return newPairwise(loops, in, o.Constant, o.ConstantFirst)
}

// pairShapes returns the shapes of two operands, of which one may be a constant.
func pairShapes(inputs [][]int, constant *Param, first bool) ([][]int, error) {
	if constant == nil {
		if len(inputs) != 2 {
			return nil, fmt.Errorf("takes two inputs, has %d", len(inputs))
		}
		return inputs, nil
	}
	if len(inputs) != 1 {
		return nil, fmt.Errorf("takes one input beside its constant, has %d", len(inputs))
	}
	if err := constant.check("constant", constant.Shape...); err != nil {
		return nil, err
	}
	if first {
		return [][]int{constant.Shape, inputs[0]}, nil
	}
	return [][]int{inputs[0], constant.Shape}, nil
}

// PRelu is x where x > 0 and Slope·x elsewhere, also in the derivative at 0 (ONNX
// PRelu-16). The slope, which is learned, is repeated to the shape of the input.
type PRelu struct{ Slope *Param }

// Kind returns "PRelu".
func (*PRelu) Kind() string { return "PRelu" }

// Params returns the slope.
func (o *PRelu) Params() []*Param { return present(o.Slope) }

// Shape returns the input's shape. It errs where the slope does not broadcast to it.
func (o *PRelu) Shape(inputs ...[]int) ([]int, error) {
	if o.Slope == nil {
		return nil, fmt.Errorf("slope is missing")
	}
	shapes, err := pairShapes(inputs, o.Slope, false)
	if err != nil {
		return nil, err
	}
	out, err := broadcastShape(shapes...)
	if err == nil && !slices.Equal(out, inputs[0]) {
		return nil, fmt.Errorf("slope of shape %v is not repeated to %v", o.Slope.Shape, inputs[0])
	}
	return out, err
}

func (o *PRelu) kernel32(in ...[]int) kernel[float32] {
	return newPairwise(preluLoops[float32](), in, o.Slope, false)
}

func (o *PRelu) kernel64(in ...[]int) kernel[float64] {
	return newPairwise(preluLoops[float64](), in, o.Slope, false)
}
