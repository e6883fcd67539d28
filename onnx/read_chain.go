package onnx

import (
	"slices"

	"tattle/nn"
)

// chain is a computation in the making for one node: tensors there are, and an
// operator and a view that are not in the graph yet. The last operator is added
// with the node's output, so that most nodes become one.
type chain struct {
	d      *decoder
	n      *node
	from   *operand // while nothing was applied to it
	op     nn.Op    // to be added; nil for none
	inputs []string // of op, or the one tensor there is
	have   []int    // shape that op's output or the tensor has …
	shape  []int    // … and the one it is to be viewed in
	err    error
}

// chain starts with an operand in its nn shape. A constant becomes a tensor.
func (d *decoder) chain(n *node, o operand) *chain {
	c := &chain{d: d, n: n, from: &o, have: o.inner(), shape: o.inner()}
	tensor := o.tensor
	if o.value != nil {
		tensor = d.floatConstant(n, o)
		c.err = d.fault
	}
	c.inputs = []string{tensor}
	return c
}

// whole starts with an operand in its ONNX shape.
func (d *decoder) whole(n *node, o operand) *chain { return d.chain(n, o).view(o.shape) }

// view reshapes; it costs nothing.
func (c *chain) view(shape []int) *chain {
	if c.err == nil && nn.Size(shape) != nn.Size(c.shape) {
		c.err = malformed("shape %v cannot be seen as %v", c.shape, shape)
	}
	c.shape = slices.Clone(shape)
	return c
}

// flush adds what is pending and returns the tensor in the shape wanted.
func (c *chain) flush() string {
	if c.err != nil {
		return ""
	}
	if c.op != nil {
		var tensor string
		if tensor, c.err = c.d.emitInner(c.n, c.op, c.inputs...); c.err != nil {
			return ""
		}
		c.op, c.inputs = nil, []string{tensor}
	}
	if !slices.Equal(c.have, c.shape) {
		var tensor string
		if c.from != nil {
			tensor = c.d.view(*c.from, c.shape)
		} else if tensor, c.err = c.d.emitInner(c.n, &nn.Reshape{To: c.shape}, c.inputs...); c.err != nil {
			return ""
		}
		c.inputs, c.have, c.from = []string{tensor}, c.shape, nil
	}
	return c.inputs[0]
}

// then applies an operator to the chain and further ones.
func (c *chain) then(op nn.Op, more ...*chain) *chain {
	inputs, shapes := []string{c.flush()}, [][]int{c.shape}
	for _, m := range more {
		inputs, shapes = append(inputs, m.flush()), append(shapes, m.shape)
		if c.err == nil {
			c.err = m.err
		}
	}
	if c.err != nil {
		return c
	}
	out, err := op.Shape(shapes...)
	if err != nil {
		c.err = malformed("%v", err)
		return c
	}
	c.op, c.inputs, c.have, c.shape, c.from = op, inputs, out, out, nil
	return c
}

// transpose permutes the dimensions, where that changes anything.
func (c *chain) transpose(perm []int) *chain {
	for i, p := range perm {
		if i != p {
			return c.then(&nn.Transpose{Perm: slices.Clone(perm)})
		}
	}
	return c
}

// number applies an operator with one number as its second argument.
func (c *chain) number(operator string, v float64) *chain {
	return c.then(&nn.Arithmetic{Operator: operator, Constant: scalar(v)})
}

// fork returns the same tensor for another use.
func (c *chain) fork() *chain {
	c.flush()
	other := *c
	return &other
}

// end gives the result to the node's output, of an ONNX shape.
func (c *chain) end(out int, shape []int) error {
	if c.err != nil {
		return c.err
	}
	if nn.Size(shape) != nn.Size(c.shape) {
		return malformed("gives %v, not %v", c.shape, shape)
	}
	op := c.op
	switch {
	case op != nil:
	case slices.Equal(c.have, inner(shape)) && c.n.op != "Reshape":
		op = &nn.Identity{}
	default:
		op = &nn.Reshape{To: inner(shape)}
	}
	return c.d.emit(c.n, op, out, shape, c.inputs...)
}

// scalar returns a parameter of no dimensions.
func scalar(v float64) *nn.Param { return &nn.Param{Shape: []int{}, Data: []float32{float32(v)}} }
