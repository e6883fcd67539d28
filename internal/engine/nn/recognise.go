package nn

import (
	"cmp"
	"math"
	"slices"
)

// A pattern reports whether a tensor is computed in a certain way. Patterns are tried from the
// first operand on, so that one may set what later ones compare with.
type pattern func(tensor string) bool

// anyTensor sets x, and same compares with it.
func anyTensor(x *string) pattern { return func(t string) bool { *x = t; return true } }
func same(x *string) pattern      { return func(t string) bool { return *x == t } }

// unary is a function of a tensor.
func (r *rewrite) unary(function string, of pattern) pattern {
	return func(t string) bool {
		n := r.producer[t]
		if n == nil {
			return false
		}
		u, ok := n.Op.(*Unary)
		return ok && u.Function == function && of(n.Inputs[0])
	}
}

// both is an operator of two tensors, in either order where it commutes.
func (r *rewrite) both(operator string, a, b pattern) pattern {
	return func(t string) bool {
		op, n := r.binary(t, operator)
		if op == nil || op.Constant != nil {
			return false
		}
		x, y := n.Inputs[0], n.Inputs[1]
		return a(x) && b(y) || operator == "Mul" && a(y) && b(x)
	}
}

// number is an operator of a tensor and a number that is not learned, such as x − c, but not c − x.
func (r *rewrite) number(operator string, fits func(c float64) bool, of pattern) pattern {
	return func(t string) bool {
		op, n := r.binary(t, operator)
		if op == nil || op.ConstantFirst && operator != "Add" && operator != "Mul" {
			return false
		}
		p := op.Constant
		return p != nil && len(p.Data) == 1 && p.from == nil && !r.learned[p] && fits(float64(p.Data[0])) && of(n.Inputs[0])
	}
}

// binary returns the node that computes a tensor, and its operator if it is that one.
func (r *rewrite) binary(tensor, operator string) (*Binary, *Node) {
	if n := r.producer[tensor]; n != nil {
		if op, ok := n.Op.(*Binary); ok && op.Operator == operator {
			return op, n
		}
	}
	return nil, nil
}

// lastMean is the mean over the last dimensions, which it keeps with size 1. axes is their number; if it is 0,
// lastMean sets it.
func (r *rewrite) lastMean(axes *int, of pattern) pattern {
	return func(t string) bool {
		n := r.producer[t]
		if n == nil {
			return false
		}
		op, is := n.Op.(*Reduce)
		if !is || op.Function != "Mean" || !op.Keep {
			return false
		}
		gone, err := op.reduced(r.shapes[n.Inputs[0]])
		first := slices.Index(gone, true)
		if err != nil || first < 0 || slices.Contains(gone[first:], false) {
			return false
		}
		*axes = cmp.Or(*axes, len(gone)-first)
		return *axes == len(gone)-first && of(n.Inputs[0])
	}
}

// near is a number rounded to float32.
func near(number float64) func(c float64) bool {
	return func(c float64) bool { return math.Abs(c-number) <= 1e-6*math.Abs(number) }
}

// equals is a number that float32 holds.
func equals(number float64) func(c float64) bool { return func(c float64) bool { return c == number } }

// findGelu makes a Gelu of what computes x·½·(1 + erf(x/√2)) step by step, in either
// order of the factors x, ½ and 1 + erf(x/√2).
func findGelu(r *rewrite) {
	var x string
	scaled := func(t string) bool {
		return r.number("Div", near(math.Sqrt2), same(&x))(t) || r.number("Mul", near(1/math.Sqrt2), same(&x))(t)
	}
	phi := r.number("Add", equals(1), r.unary("Erf", scaled))
	first := r.both("Mul", r.number("Mul", near(.5), anyTensor(&x)), phi)
	last := r.number("Mul", near(.5), r.both("Mul", anyTensor(&x), phi))
	for _, n := range r.Nodes {
		if (first(n.Output) || last(n.Output)) && slices.Equal(r.shapes[x], r.shapes[n.Output]) {
			r.become(n, &Unary{Function: "Gelu"}, x)
		}
	}
}

// findLayerNorm makes a LayerNorm of what computes
//
//	d / √(mean(d²) + ε),  d = x − mean(x),
//
// step by step, the means being over the last dimensions, and of what multiplies it
// by a constant of their shape and then adds one.
func findLayerNorm(r *rewrite) {
	for _, n := range r.Nodes {
		var x, d string
		var axes int
		var epsilon float64
		again := r.both("Sub", same(&x), r.lastMean(&axes, same(&x)))
		square := func(t string) bool {
			return r.number("Pow", equals(2), again)(t) || r.both("Mul", anyTensor(&d), same(&d))(t) && again(d)
		}
		positive := func(c float64) bool { epsilon = c; return c > 0 }
		root := r.unary("Sqrt", r.number("Add", positive, r.lastMean(&axes, square)))
		norm := r.both("Div", r.both("Sub", anyTensor(&x), r.lastMean(&axes, same(&x))), root)
		if norm(n.Output) && slices.Equal(r.shapes[x], r.shapes[n.Output]) {
			r.become(n, &LayerNorm{Axes: axes, Epsilon: epsilon}, x)
		}
	}
	for _, n := range r.Nodes {
		r.takeScale(n)
	}
}

// takeScale makes n, where it multiplies what only it reads of a LayerNorm without a
// scale, or adds to one without a shift, that LayerNorm with it.
func (r *rewrite) takeScale(n *Node) {
	op, is := n.Op.(*Binary)
	if !is || op.Constant == nil {
		return
	}
	from := r.alone(n.Inputs[0])
	if from == nil {
		return
	}
	norm, is := from.Op.(*LayerNorm)
	if !is || norm.Shift != nil {
		return
	}
	in := r.shapes[from.Output]
	if !slices.Equal(op.Constant.Shape, in[len(in)-norm.axes():]) {
		return
	}
	whole := *norm
	switch {
	case op.Operator == "Mul" && norm.Scale == nil:
		whole.Scale = op.Constant
	case op.Operator == "Add":
		whole.Shift = op.Constant
	default:
		return
	}
	r.become(n, &whole, from.Inputs[0])
}
