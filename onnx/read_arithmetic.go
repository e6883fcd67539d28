package onnx

import (
	"slices"

	"tattle/nn"
)

func arithmeticOperators() map[string]operator {
	return map[string]operator{
		"Add":  {(*decoder).add, nil},
		"Sub":  {pairwise("Sub"), nil},
		"Mul":  {pairwise("Mul"), nil},
		"Div":  {pairwise("Div"), nil},
		"Pow":  {pairwise("Pow"), nil},
		"Max":  {several("Max"), nil},
		"Min":  {several("Min"), nil},
		"Sum":  {several("Add"), nil},
		"Mean": {(*decoder).mean, nil},

		"And":            {pairwise("And"), nil},
		"Equal":          {pairwise("Equal"), nil},
		"Greater":        {pairwise("Greater"), nil},
		"GreaterOrEqual": {pairwise("GreaterOrEqual"), nil},
		"Less":           {pairwise("Less"), nil},
		"LessOrEqual":    {pairwise("LessOrEqual"), nil},
		"Or":             {pairwise("Or"), nil},
		"Xor":            {pairwise("Xor"), nil},
		"Where":          {(*decoder).where, nil},
		"Trilu":          {(*decoder).trilu, []string{"upper"}},
	}
}

// logical give 0 and 1.
var logical = []string{"And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Or", "Xor"}

// unbounded are the operators that have a use for a constant ±Inf.
var unbounded = slices.Concat(logical, []string{"Add", "Max", "Min", "Sub", "Where"})

// pairwise reads an operator of two broadcasting inputs, either of which may be
// constant.
func pairwise(operator string) func(*decoder, *node) error {
	return func(d *decoder, n *node) error {
		a, err := d.operand(n, 0)
		if err != nil {
			return err
		}
		b, err := d.operand(n, 1)
		if err != nil {
			return err
		}
		shape, err := broadcast(a.shape, b.shape)
		if err != nil {
			return err
		}
		return d.combine(n, operator, a, b, shape).end(0, shape)
	}
}

// combine computes operator(a, b), which broadcast to the ONNX shape.
func (d *decoder) combine(n *node, operator string, a, b operand, shape []int) *chain {
	if a.value != nil && b.value == nil {
		return d.chain(n, b).constant(operator, a, true, shape)
	}
	return d.chain(n, a).combine(operator, b, shape)
}

// combine applies an operator to the chain and an operand.
func (c *chain) combine(operator string, b operand, shape []int) *chain {
	if b.value != nil {
		return c.constant(operator, b, false, shape)
	}
	return c.with(operator, c.d.chain(c.n, b))
}

// with applies an operator to two tensors.
func (c *chain) with(operator string, b *chain) *chain {
	same := slices.Equal(c.shape, b.shape)
	switch {
	case operator == "Add" && same:
		return c.then(&nn.Add{}, b)
	case operator == "Mul" && same:
		return c.then(&nn.Mul{}, b)
	case slices.Contains(logical, operator):
		return c.then(&nn.Compare{Operator: operator}, b)
	}
	return c.then(&nn.Arithmetic{Operator: operator}, b)
}

// constant applies an operator to the chain and a constant, of which the result
// has the ONNX shape.
func (c *chain) constant(operator string, k operand, first bool, shape []int) *chain {
	make := c.d.param
	if slices.Contains(unbounded, operator) {
		make = c.d.mask
	}
	p, err := broadcastable(k.value, len(inner(shape)), make)
	if err != nil {
		c.err = err
		return c
	}
	if slices.Contains(logical, operator) {
		return c.then(&nn.Compare{Operator: operator, Constant: p, ConstantFirst: first})
	}
	return c.then(&nn.Arithmetic{Operator: operator, Constant: p, ConstantFirst: first})
}

// broadcastable makes of a constant a parameter of at most rank dimensions: where it
// has one more, that is the batch's.
func broadcastable(v *value, rank int, make func(*value, string, made) (*nn.Param, error)) (*nn.Param, error) {
	if len(v.shape) <= rank {
		return make(asFloats(v), "", nil)
	}
	return make(asFloats(v), "inner", func(shape []int, x []float32) ([]int, []float32, error) {
		return inner(shape), x, nil
	})
}

// operands returns all inputs of a node, the first activation in front, and
// what they broadcast to.
func (d *decoder) operands(n *node) (all []operand, shape []int, err error) {
	var shapes [][]int
	for i := range n.inputs {
		o, err := d.operand(n, i)
		if err != nil {
			return nil, nil, err
		}
		all, shapes = append(all, o), append(shapes, o.shape)
	}
	if len(all) == 0 {
		return nil, nil, malformed("has no inputs")
	}
	if i := slices.IndexFunc(all, func(o operand) bool { return o.value == nil }); i > 0 {
		all[0], all[i] = all[i], all[0]
	}
	shape, err = broadcast(shapes...)
	return all, shape, err
}

// fold combines all inputs of a node by an operator that commutes.
func (d *decoder) fold(n *node, operator string) (c *chain, shape []int, count int, err error) {
	all, shape, err := d.operands(n)
	if err != nil {
		return nil, nil, 0, err
	}
	c = d.chain(n, all[0])
	so := all[0].shape
	for _, o := range all[1:] {
		if so, err = broadcast(so, o.shape); err != nil {
			return nil, nil, 0, err
		}
		c = c.combine(operator, o, so)
	}
	return c, shape, len(all), nil
}

func several(operator string) func(*decoder, *node) error {
	return func(d *decoder, n *node) error {
		c, shape, _, err := d.fold(n, operator)
		if err != nil {
			return err
		}
		return c.end(0, shape)
	}
}

func (d *decoder) mean(n *node) error {
	c, shape, count, err := d.fold(n, "Add")
	if err != nil {
		return err
	}
	if count > 1 {
		c = c.number("Div", float64(count))
	}
	return c.end(0, shape)
}

// where reads a choice between two inputs by a third.
func (d *decoder) where(n *node) error {
	var all [3]operand
	var shapes [3][]int
	for i := range all {
		var err error
		if all[i], err = d.operand(n, i); err != nil {
			return err
		}
		shapes[i] = all[i].shape
	}
	shape, err := broadcast(shapes[:]...)
	if err != nil {
		return err
	}
	op := &nn.Where{}
	var inputs []*chain
	for i, p := range []**nn.Param{&op.Condition, &op.Then, &op.Else} {
		if all[i].value == nil {
			inputs = append(inputs, d.chain(n, all[i]))
		} else if *p, err = broadcastable(all[i].value, len(inner(shape)), d.mask); err != nil {
			return err
		}
	}
	if len(inputs) == 0 {
		return beyond("of constants")
	}
	return inputs[0].then(op, inputs[1:]...).end(0, shape)
}

// trilu keeps one triangle of the last two dimensions.
func (d *decoder) trilu(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	upper, err := n.flag("upper", true)
	if err != nil {
		return err
	}
	k := 0
	if n.has(1) {
		if k, err = d.oneInt(n, 1); err != nil {
			return err
		}
	}
	rank := len(x.shape)
	if rank < 2 {
		return malformed("of %d dimensions", rank)
	}
	rows, cols := x.shape[rank-2], x.shape[rank-1]
	if err := d.claim(rows * cols); err != nil {
		return err
	}
	mask := &nn.Param{Shape: []int{rows, cols}, Data: make([]float32, rows*cols)}
	for i := range mask.Data {
		if j := i%max(cols, 1) - i/max(cols, 1); upper && j >= k || !upper && j <= k {
			mask.Data[i] = 1
		}
	}
	return d.whole(n, x).then(&nn.Where{Condition: mask, Else: scalar(0)}).end(0, x.shape)
}

// oneInt returns the node's input i, a constant integer.
func (d *decoder) oneInt(n *node, i int) (int, error) {
	x, err := d.constantInts(n, i)
	if err != nil {
		return 0, err
	}
	if len(x) != 1 {
		return 0, malformed("input %q has %d values, not one", n.inputs[i], len(x))
	}
	const limit = 1 << 40
	return int(min(max(x[0], -limit), limit)), nil
}
