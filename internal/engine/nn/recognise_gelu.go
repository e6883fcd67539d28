package nn

import (
	"math"
	"slices"
)

// scalar returns the value of a constant of one entry that is not learned.
func (r *rewrite) scalar(p *Param) (float64, bool) {
	if p == nil || len(p.Data) != 1 || p.from != nil || r.learned[p] {
		return 0, false
	}
	return float64(p.Data[0]), true
}

// by reports whether n is operator(x, c), with x a tensor, returning that and the
// number c.
func (r *rewrite) by(n *Node, operator string) (x string, c float64, ok bool) {
	if n == nil {
		return "", 0, false
	}
	op, is := n.Op.(*Binary)
	if !is || op.Operator != operator || op.ConstantFirst && (operator == "Sub" || operator == "Div" || operator == "Pow") {
		return "", 0, false
	}
	c, ok = r.scalar(op.Constant)
	return n.Inputs[0], c, ok
}

// times returns the two factors of a product of two tensors.
func times(n *Node) (a, b string, ok bool) {
	if op, is := n.Op.(*Binary); is && op.Operator == "Mul" && op.Constant == nil {
		return n.Inputs[0], n.Inputs[1], true
	}
	return "", "", false
}

// near reports whether c is that number, rounded to float32.
func near(c, number float64) bool { return math.Abs(c-number) <= 1e-6*math.Abs(number) }

// findGelu makes a Gelu of what computes x·½·(1 + erf(x/√2)) step by step, in either
// order of the factors x, ½ and 1 + erf(x/√2).
func findGelu(r *rewrite) {
	for _, n := range r.Nodes {
		if x, ok := r.gelu(n); ok && slices.Equal(r.shapes[x], r.shapes[n.Output]) {
			r.become(n, &Unary{Function: "Gelu"}, x)
		}
	}
}

// gelu returns the x of which n is the Gelu.
func (r *rewrite) gelu(n *Node) (x string, ok bool) {
	if inner, c, is := r.by(n, "Mul"); is && near(c, .5) {
		if m := r.producer[inner]; m != nil {
			if a, b, is := times(m); is {
				return r.eitherWay(a, b, func(x, phi string) bool { return r.onePlusErf(phi, x) })
			}
		}
		return "", false
	}
	a, b, is := times(n)
	if !is {
		return "", false
	}
	half, ok := r.eitherWay(a, b, func(half, phi string) bool {
		x, c, is := r.by(r.producer[half], "Mul")
		return is && near(c, .5) && r.onePlusErf(phi, x)
	})
	if !ok {
		return "", false
	}
	return r.producer[half].Inputs[0], true
}

// eitherWay tries both orders and returns the first of the one that fits.
func (r *rewrite) eitherWay(a, b string, fits func(a, b string) bool) (string, bool) {
	if fits(a, b) {
		return a, true
	}
	return b, fits(b, a)
}

// onePlusErf reports whether a tensor is 1 + erf(x/√2), of the shape of x.
func (r *rewrite) onePlusErf(tensor, x string) bool {
	inner, one, ok := r.by(r.producer[tensor], "Add")
	if !ok || one != 1 || r.producer[inner] == nil {
		return false
	}
	erf := r.producer[inner]
	if u, is := erf.Op.(*Unary); !is || u.Function != "Erf" {
		return false
	}
	scaled := r.producer[erf.Inputs[0]]
	if from, c, is := r.by(scaled, "Div"); is && from == x {
		return near(c, math.Sqrt2)
	}
	from, c, is := r.by(scaled, "Mul")
	return is && from == x && near(c, 1/math.Sqrt2)
}
