package onnx

import (
	"math"
	"slices"

	"tattle/nn"
)

// cast rounds to a float of 16 bits and changes nothing to a wider one, all of which are
// float32 here; a bool is what differs from 0, and an integer what is left without the
// fraction.
func (d *decoder) cast(n *node) error {
	to, err := n.int("to", 0)
	if err != nil {
		return err
	}
	return d.castTo(n, to)
}

// castLike casts to the type of its second input.
func (d *decoder) castLike(n *node) error {
	like, err := d.operand(n, 1)
	switch {
	case err != nil:
		return err
	case like.value != nil:
		return d.castTo(n, like.value.element)
	case d.integers[like.tensor]:
		return d.truncate(n)
	case d.narrow[like.tensor] != 0:
		return d.round(n, d.narrow[like.tensor])
	}
	return d.widenBack(n)
}

func (d *decoder) castTo(n *node, element int64) error {
	kind, ok := kindOf(element)
	switch {
	case narrowFormats[element].function != "":
		return d.round(n, element)
	case ok && kind == isFloat:
		return d.widenBack(n)
	case ok && kind == isBool:
		return d.unary(n, &nn.Compare{Operator: "Xor", Constant: scalar(0)})
	case element == typeInt32 || element == typeInt64:
		return d.truncate(n)
	}
	return beyond("of activations to %s", typeName(element))
}

// truncate rounds towards 0: what is above is rounded down and what is below up, one
// of which is 0. Where its operand is an integer already nothing is left to do.
func (d *decoder) truncate(n *node) error {
	d.integers[n.outputs[0]] = true
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	if x.value == nil && d.integers[x.tensor] {
		return d.chain(n, x).end(0, x.shape)
	}
	c := d.chain(n, x).fork()
	below := c.fork().then(&nn.Unary{Function: "Clip", Alpha: math.Inf(-1)}).then(&nn.Unary{Function: "Ceil"})
	return c.fork().then(&nn.ReLU{}).then(&nn.Unary{Function: "Floor"}).with("Add", below).end(0, x.shape)
}

// The operators that read integers which are computed, here as floats: those that give
// integers again, and those that give others. A float32 holds integers up to 2²⁴.
var (
	integral = []string{"Abs", "Add", "Concat", "Expand", "Flatten", "Gather", "Identity", "Max", "Min", "Mul", "Neg", "Pad",
		"ReduceMax", "ReduceMin", "ReduceSum", "Reshape", "Sign", "Slice", "Split", "Squeeze", "Sub", "Sum", "Tile", "Transpose", "Unsqueeze", "Where"}
	fractional = []string{"Cast", "CastLike", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"}
)

// readsIntegers reports whether an input is of integers that are computed.
func (d *decoder) readsIntegers(n *node) bool {
	return slices.ContainsFunc(n.inputs, func(in string) bool { return d.integers[in] })
}

// readIntegers reads such a node where the same is computed of integers as of the floats
// that they are here: no quotients.
func (d *decoder) readIntegers(n *node, op operator) error {
	switch {
	case slices.Contains(fractional, n.op):
		return op.read(d, n)
	case !slices.Contains(integral, n.op):
		return beyond("of integers that are computed")
	}
	for _, out := range n.outputs {
		d.integers[out] = out != ""
	}
	return op.read(d, n)
}
