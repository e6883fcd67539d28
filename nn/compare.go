package nn

import (
	"fmt"
	"math"
	"slices"
)

// Compare compares two tensors entry by entry, after broadcasting them to one another,
// and is 1 where it holds and else 0; its derivative is 0. Operator is the ONNX operator's
// name: Equal, Greater, GreaterOrEqual, Less, LessOrEqual or, where 0 is false and
// anything else true, And, Or, Xor. Both are inputs, or the second, or with
// ConstantFirst the first, is the Constant.
type Compare struct {
	Operator      string
	Constant      *Param // nil: two inputs
	ConstantFirst bool
}

// CompareOperators returns the operators that [Compare] knows.
func CompareOperators() []string {
	return []string{"And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Or", "Xor"}
}

// Kind returns the operator's name.
func (o *Compare) Kind() string { return o.Operator }

// Params returns nil: the constant is not learned.
func (*Compare) Params() []*Param { return nil }

// Shape returns the shape that the two broadcast to. It errs where they do not, and
// where the operator is unknown.
func (o *Compare) Shape(inputs ...[]int) ([]int, error) {
	if !slices.Contains(CompareOperators(), o.Operator) {
		return nil, fmt.Errorf("operator %q is not one of %q", o.Operator, CompareOperators())
	}
	shapes, err := pairShapes(inputs, o.Constant, o.ConstantFirst)
	if err != nil {
		return nil, err
	}
	return broadcastShape(shapes...)
}

func (o *Compare) kernel32(in ...[]int) kernel[float32] {
	return newPairwise(compareLoops[float32](o.Operator), in, o.Constant, o.ConstantFirst)
}

func (o *Compare) kernel64(in ...[]int) kernel[float64] {
	return newPairwise(compareLoops[float64](o.Operator), in, o.Constant, o.ConstantFirst)
}

func compareLoops[T Float](operator string) loops[T] {
	holds := comparison(operator)
	value := func(a, b T) T {
		if holds(float64(a), float64(b)) {
			return 1
		}
		return 0
	}
	none := func(dst, _, _, _, _ []T) { clear(dst) }
	return loops[T]{
		value: func(dst, a, b []T) {
			for i := range dst {
				dst[i] = value(a[i], b[i])
			}
		},
		left: none, right: none, truth: true,
		shift: func(dst, da, db, a, b, y []T) {
			for i := range dst {
				dst[i] = value(a[i]+da[i], b[i]+db[i]) - y[i]
			}
		},
		bound: func(a, ea, b, eb, y float64) float64 {
			if settled(operator, a, ea, b, eb) {
				return 0
			}
			return 1
		},
	}
}

func comparison(operator string) func(a, b float64) bool {
	switch operator {
	case "Equal":
		return func(a, b float64) bool { return a == b }
	case "Greater":
		return func(a, b float64) bool { return a > b }
	case "GreaterOrEqual":
		return func(a, b float64) bool { return a >= b }
	case "Less":
		return func(a, b float64) bool { return a < b }
	case "LessOrEqual":
		return func(a, b float64) bool { return a <= b }
	case "And":
		return func(a, b float64) bool { return a != 0 && b != 0 }
	case "Or":
		return func(a, b float64) bool { return a != 0 || b != 0 }
	}
	return func(a, b float64) bool { return (a != 0) != (b != 0) }
}

// settled tells that the comparison has one answer for all a ± ea and b ± eb: those
// of order where the intervals are apart, those of truth where 0 is in or out for
// certain, on both sides or on the one that decides.
func settled(operator string, a, ea, b, eb float64) bool {
	if ea == 0 && eb == 0 {
		return true
	}
	sureA, sureB := ea == 0 || math.Abs(a) > ea, eb == 0 || math.Abs(b) > eb
	switch operator {
	case "And":
		return sureA && sureB || sureA && a == 0 || sureB && b == 0
	case "Or":
		return sureA && sureB || sureA && a != 0 || sureB && b != 0
	case "Xor":
		return sureA && sureB
	}
	return math.Abs(a-b) > (ea+eb)*roundUp(4)
}
