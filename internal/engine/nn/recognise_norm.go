package nn

import "slices"

// findLayerNorm makes a LayerNorm of what computes
//
//	d / √(mean(d²) + ε),  d = x − mean(x),
//
// step by step, the means being over the last dimensions, and of what multiplies it
// by a constant of their shape and then adds one.
func findLayerNorm(r *rewrite) {
	for _, n := range r.Nodes {
		if op, x, ok := r.layerNorm(n); ok {
			r.become(n, op, x)
		}
	}
	for _, n := range r.Nodes {
		r.takeScale(n)
	}
}

// layerNorm returns the operator that n is the last step of, and its input.
func (r *rewrite) layerNorm(n *Node) (op *LayerNorm, x string, ok bool) {
	d, root, ok := pair(n, "Div")
	if !ok || r.producer[root] == nil {
		return nil, "", false
	}
	if u, is := r.producer[root].Op.(*Unary); !is || u.Function != "Sqrt" {
		return nil, "", false
	}
	variance, epsilon, ok := r.by(r.producer[r.producer[root].Inputs[0]], "Add")
	if !ok || !(epsilon > 0) {
		return nil, "", false
	}
	square, axes, ok := r.lastMean(variance)
	if !ok {
		return nil, "", false
	}
	again, ok := r.squared(square)
	if !ok {
		return nil, "", false
	}
	x, count, ok := r.centred(d)
	y, other, also := r.centred(again)
	if !ok || !also || x != y || count != axes || other != axes || !slices.Equal(r.shapes[x], r.shapes[n.Output]) {
		return nil, "", false
	}
	return &LayerNorm{Axes: axes, Epsilon: epsilon}, x, true
}

// pair returns the two tensors that n combines by that operator.
func pair(n *Node, operator string) (a, b string, ok bool) {
	if n == nil {
		return "", "", false
	}
	op, is := n.Op.(*Binary)
	if !is || op.Operator != operator || op.Constant != nil {
		return "", "", false
	}
	return n.Inputs[0], n.Inputs[1], true
}

// lastMean reports whether a tensor is the mean of another over so many last
// dimensions, which it keeps with size 1.
func (r *rewrite) lastMean(tensor string) (of string, axes int, ok bool) {
	n := r.producer[tensor]
	if n == nil {
		return "", 0, false
	}
	op, is := n.Op.(*Reduce)
	if !is || op.Function != "Mean" || !op.Keep {
		return "", 0, false
	}
	gone, err := op.reduced(r.shapes[n.Inputs[0]])
	first := slices.Index(gone, true)
	if err != nil || first < 0 || slices.Contains(gone[first:], false) {
		return "", 0, false
	}
	return n.Inputs[0], len(gone) - first, true
}

// squared reports whether a tensor is the square of another.
func (r *rewrite) squared(tensor string) (of string, ok bool) {
	n := r.producer[tensor]
	if x, c, is := r.by(n, "Pow"); is {
		return x, c == 2
	}
	if n == nil {
		return "", false
	}
	a, b, is := times(n)
	return a, is && a == b
}

// centred reports whether a tensor is x less its mean.
func (r *rewrite) centred(tensor string) (x string, axes int, ok bool) {
	x, mean, ok := pair(r.producer[tensor], "Sub")
	if !ok {
		return "", 0, false
	}
	of, axes, ok := r.lastMean(mean)
	return x, axes, ok && of == x
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
