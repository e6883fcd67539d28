package nn

import "math"

// Where takes each entry from one of two tensors: from the first where the condition
// is not 0, else from the second, after broadcasting the three to one another (ONNX
// Where-16). They are inputs in that order, but for those that are constants here,
// which are not learned. The derivative with respect to the condition is 0.
type Where struct{ Condition, Then, Else *Param }

// Kind returns "Where".
func (*Where) Kind() string { return "Where" }

// Constants returns the three operands, nil for an input.
func (o *Where) Constants() []*Param { return []*Param{o.Condition, o.Then, o.Else} }

// Shape returns the shape to which the three broadcast. It returns an error if they do
// not.
func (o *Where) Shape(inputs ...[]int) ([]int, error) {
	shapes, err := operandShapes(inputs, o.Constants())
	if err != nil {
		return nil, err
	}
	return BroadcastShape(shapes...)
}

func (o *Where) kernel32(in ...[]int) kernel[float32] {
	return newBroadcast(choice[float32](), in, o.Constants())
}

func (o *Where) kernel64(in ...[]int) kernel[float64] {
	return newBroadcast(choice[float64](), in, o.Constants())
}

// choice is the function of Where.
func choice[T Float]() broadcastFunc[T] {
	return broadcastFunc[T]{
		value: func(dst []T, x [maxOperands][]T) {
			for i, c := range x[0] {
				dst[i] = x[2][i]
				if c != 0 {
					dst[i] = x[1][i]
				}
			}
		},
		partial: func(dst, d []T, x [maxOperands][]T, _ []T, side int) {
			for i, c := range x[0] {
				dst[i] = 0
				if side > 0 && (c != 0) == (side == 1) {
					dst[i] = d[i]
				}
			}
		},
		bound: func(x, e [maxOperands]float64, _ float64) float64 {
			return whereBound(x[0], e[0], x[1], e[1], x[2], e[2])
		},
		exact: true,
	}
}

// whereBound is the error of the tensor chosen or, where the condition may be 0 or not,
// that of the other, which lies |a − b| away, if it is larger.
func whereBound(c, ec, a, ea, b, eb float64) float64 {
	mine, other := ea, eb
	if c == 0 {
		mine, other = eb, ea
	}
	if ec == 0 || math.Abs(c) > ec {
		return mine
	}
	return max(mine, roundUp(3)*(math.Abs(a-b)+other))
}
