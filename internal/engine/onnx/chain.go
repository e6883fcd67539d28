package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

// chain is a tensor within the computation of one node: the result of an operator and a view that may
// not be in the graph yet. The last operator of a node is added as its output, so that most
// nodes become one operator. A chain may be used several times.
type chain struct {
	r *nodeReader
	*result
	shape []int // shape to view it in
}

// result is what a chain views.
type result struct {
	from   *operand // until something is applied to it
	op     nn.Op    // to be added; nil for none
	inputs []string // of op, or the tensor
	have   []int    // shape of op's output, or of the tensor
}

// chain starts with an operand in its nn shape. A constant becomes a tensor.
func (r *nodeReader) chain(o operand) *chain {
	tensor := o.tensor
	if o.value != nil {
		tensor = r.constantTensor(o)
	}
	return &chain{r, &result{from: &o, inputs: []string{tensor}, have: o.inner()}, o.inner()}
}

// whole starts with an operand in its ONNX shape.
func (r *nodeReader) whole(o operand) *chain { return r.chain(o).view(o.shape) }

// along starts with an operand so that the axes of its ONNX shape that are
// used count from shift on: in its nn shape, unless axis 0 is one of them.
func (r *nodeReader) along(o operand, axes ...int) (c *chain, shift int) {
	if slices.Contains(axes, 0) || len(o.inner()) == len(o.shape) {
		return r.whole(o), 0
	}
	return r.chain(o), 1
}

// view changes the shape, at no cost.
func (c *chain) view(shape []int) *chain {
	malformedIf(nn.Size(shape) != nn.Size(c.shape), "a tensor of shape %v cannot have shape %v", c.shape, shape)
	return &chain{c.r, c.result, slices.Clone(shape)}
}

// flush adds what is pending and returns the tensor in the shape wanted.
func (c *chain) flush() string {
	if c.op != nil {
		c.inputs = []string{c.r.emitInner(c.op, c.inputs...)}
		c.op = nil
	}
	if !slices.Equal(c.have, c.shape) {
		var viewed string
		if c.from != nil {
			viewed = c.r.view(*c.from, c.shape)
		} else {
			viewed = c.r.emitInner(&nn.Reshape{To: c.shape}, c.inputs...)
		}
		c.result = &result{inputs: []string{viewed}, have: c.shape}
	}
	return c.inputs[0]
}

// then applies an operator to the chain and others.
func (c *chain) then(op nn.Op, more ...*chain) *chain {
	inputs, shapes := []string{c.flush()}, [][]int{c.shape}
	for _, m := range more {
		inputs, shapes = append(inputs, m.flush()), append(shapes, m.shape)
	}
	out := outputShape(op, shapes...)
	return &chain{c.r, &result{op: op, inputs: inputs, have: out}, out}
}

// transpose permutes the dimensions, where that changes anything.
func (c *chain) transpose(perm []int) *chain {
	if slices.Equal(perm, nn.Indices(len(perm))) {
		return c
	}
	return c.then(&nn.Transpose{Perm: slices.Clone(perm)})
}

// lastAxis applies an operator with an axis of the chain moved to the end.
func (c *chain) lastAxis(axis int, op nn.Op) *chain {
	perm := append(slices.Delete(nn.Indices(len(c.shape)), axis, axis+1), axis)
	back := make([]int, len(perm))
	for i, p := range perm {
		back[p] = i
	}
	return c.transpose(perm).then(op).transpose(back)
}

// number applies an operator with one number as its second argument.
func (c *chain) number(operator string, v float64) *chain {
	return c.then(&nn.Binary{Operator: operator, Constant: scalar(v)})
}

// scalar returns a parameter of no dimensions.
func scalar(v float64) *nn.Param { return &nn.Param{Shape: []int{}, Data: []float32{float32(v)}} }

// end makes the result the node's output, of an ONNX shape.
func (c *chain) end(out int, shape []int) {
	malformedIf(nn.Size(shape) != nn.Size(c.shape), "an output of shape %v cannot have shape %v", c.shape, shape)
	op := c.op
	switch {
	case op != nil:
	case slices.Equal(c.have, inner(shape)) && c.r.op != "Reshape":
		op = &nn.Identity{}
	default:
		op = &nn.Reshape{To: inner(shape)}
	}
	c.r.emit(op, out, shape, c.inputs...)
}
