package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

// unbounded reports whether an operator may have a constant ±Inf.
func unbounded(operator string) bool {
	_, truth := logical[operator]
	return truth || slices.Contains([]string{"Add", "Max", "Min", "Sub", "Where"}, operator)
}

// pairwise returns the reader of an operator of two inputs that broadcast.
func pairwise(operator string) func(*nodeReader) {
	return func(r *nodeReader) {
		a, b := r.operand(0), r.operand(1)
		if operator != "Pow" { // whose result has the base's type
			r.mustAgree(0, 1)
		}
		shape := broadcast(a.shape, b.shape)
		if a.value != nil && b.value == nil {
			r.chain(b).constant(operator, a, true, shape).end(0, shape)
			return
		}
		r.chain(a).combine(operator, b, shape).end(0, shape)
	}
}

// combine applies an operator to the chain and an operand; the result has the ONNX shape.
func (c *chain) combine(operator string, b operand, shape []int) *chain {
	if b.value != nil {
		return c.constant(operator, b, false, shape)
	}
	return c.with(operator, c.r.chain(b))
}

// with applies an operator to two tensors.
func (c *chain) with(operator string, b *chain) *chain {
	return c.then(&nn.Binary{Operator: operator}, b)
}

// constant applies an operator to the chain and a constant; the result has the ONNX shape.
func (c *chain) constant(operator string, k operand, first bool, shape []int) *chain {
	parameter := c.r.param
	if unbounded(operator) {
		parameter = c.r.mask
	}
	p := broadcastable(k.value, len(inner(shape)), parameter)
	return c.then(&nn.Binary{Operator: operator, Constant: p, ConstantFirst: first})
}

// broadcastable makes a constant a parameter of at most rank dimensions: if it
// has one more, that is the batch's.
func broadcastable(v *value, rank int, parameter func(*value, string, transform) *nn.Param) *nn.Param {
	if len(v.shape) <= rank {
		return parameter(asFloats(v), "", nil)
	}
	return parameter(asFloats(v), "inner", func(shape []int, x []float32) ([]int, []float32) { return inner(shape), x })
}

// operands returns all inputs, which must be of one kind, and their shapes.
func (r *nodeReader) operands() (all []operand, shapes [][]int) {
	malformedIf(len(r.inputs) == 0, "a node without inputs")
	for i := range r.inputs {
		all = append(all, r.operand(i))
		shapes = append(shapes, all[i].shape)
		r.mustAgree(0, i)
	}
	return all, shapes
}

// accumulate combines all inputs by an operator that commutes, an activation first.
func (r *nodeReader) accumulate(operator string) (c *chain, shape []int) {
	all, shapes := r.operands()
	shape = broadcast(shapes...)
	if i := slices.IndexFunc(all, func(o operand) bool { return o.value == nil }); i > 0 {
		all[0], all[i] = all[i], all[0]
	}
	c = r.chain(all[0])
	so := all[0].shape
	for _, o := range all[1:] {
		so = broadcast(so, o.shape)
		c = c.combine(operator, o, so)
	}
	return c, shape
}

// several returns the reader of an operator of any number of inputs.
func several(operator string) func(*nodeReader) {
	return func(r *nodeReader) {
		c, shape := r.accumulate(operator)
		c.end(0, shape)
	}
}

func (r *nodeReader) mean() {
	c, shape := r.accumulate("Add")
	if n := len(r.inputs); n > 1 {
		c = c.number("Div", float64(n))
	}
	c.end(0, shape)
}

// where is ONNX Where-16: a choice between two inputs by a third.
func (r *nodeReader) where() {
	all := [3]operand{r.operand(0), r.operand(1), r.operand(2)}
	if r.scratch != nil {
		r.mustAgree(1, 2)
		r.scratch.element = r.constant(1).element
	}
	shape := broadcast(all[0].shape, all[1].shape, all[2].shape)
	op := &nn.Where{}
	var inputs []*chain
	for i, p := range []**nn.Param{&op.Condition, &op.Then, &op.Else} {
		if all[i].value == nil {
			inputs = append(inputs, r.chain(all[i]))
		} else {
			*p = broadcastable(all[i].value, len(inner(shape)), r.mask)
		}
	}
	inputs[0].then(op, inputs[1:]...).end(0, shape)
}

// mustAgree panics if two inputs that are computed at once are of different kinds.
func (r *nodeReader) mustAgree(i, j int) {
	if r.scratch == nil {
		return
	}
	a, b := r.constant(i), r.constant(j)
	malformedIf(a.kind != b.kind, "inputs have types %s and %s: they must be the same", typeName(a.element), typeName(b.element))
}

// mod is ONNX Mod-13 of constants: what is left of a quotient rounded down, or with fmod to zero.
func (r *nodeReader) mod() {
	a, b, fmod := r.operand(0), r.operand(1), r.flag("fmod", false)
	v := r.constant(0)
	malformedIf(v.kind == isFloat && !fmod, "fmod 0 of inputs of type %s", typeName(v.element))
	r.mustAgree(0, 1)
	q := r.chain(a).with("Div", r.chain(b))
	if fmod {
		q = q.truncated()
	} else {
		q = q.then(&nn.Unary{Function: "Floor"})
	}
	r.chain(a).with("Sub", q.with("Mul", r.chain(b))).end(0, broadcast(a.shape, b.shape))
}
