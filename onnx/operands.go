package onnx

import (
	"errors"
	"fmt"
	"slices"

	"tattle/nn"
)

// operand is one input of a node: a constant, or an activation.
type operand struct {
	tensor string // its name in ONNX; that of an activation is also its tensor's in package nn
	shape  []int  // in ONNX at batch 1, a leading 1 included; not nil
	value  *value // nil unless constant
}

// errBehind says that an input is behind something unsupported: what reads it is
// left out without a word.
var errBehind = errors.New("behind something unsupported")

// has reports whether the node has an input i.
func (n *node) has(i int) bool { return i < len(n.inputs) && n.inputs[i] != "" }

// operand returns the node's input i.
func (d *decoder) operand(n *node, i int) (operand, error) {
	o, ok, err := d.optional(n, i)
	if err == nil && !ok {
		err = malformed("lacks its input %d", i+1)
	}
	return o, err
}

// optional returns the node's input i, where it has one.
func (d *decoder) optional(n *node, i int) (o operand, ok bool, err error) {
	if !n.has(i) {
		return o, false, nil
	}
	name := n.inputs[i]
	if d.isConstant(name) {
		v, err := d.value(name)
		if err != nil {
			return o, false, err
		}
		return operand{name, v.shape, v}, true, nil
	}
	shape := d.shapes[name]
	if shape == nil {
		return o, false, errBehind
	}
	return operand{name, shape, nil}, true, nil
}

// constantValue returns the node's input i, which must be constant.
func (d *decoder) constantValue(n *node, i int) (*value, error) {
	o, err := d.operand(n, i)
	if err == nil && o.value == nil {
		err = beyond("input %q is computed, not constant", o.tensor)
	}
	return o.value, err
}

// constantInts returns the node's input i, which must be constant, and of
// integers or bools.
func (d *decoder) constantInts(n *node, i int) ([]int64, error) {
	v, err := d.constantValue(n, i)
	if err == nil && v.kind == isFloat {
		err = malformed("input %q is of %s, not of integers", v.name, typeName(v.element))
	}
	if err != nil {
		return nil, err
	}
	return v.ints, nil
}

// constantFloats returns the node's input i, which must be constant, and of floats.
func (d *decoder) constantFloats(n *node, i int) (*value, error) {
	v, err := d.constantValue(n, i)
	if err == nil && v.kind != isFloat {
		err = beyond("input %q is of %s, not of floats", v.name, typeName(v.element))
	}
	return v, err
}

// inner returns the shape in package nn: without one leading 1, the batch.
func (o operand) inner() []int { return inner(o.shape) }

func inner(shape []int) []int {
	if len(shape) > 0 && shape[0] == 1 {
		return shape[1:]
	}
	return shape
}

// use is a tensor and what was done to it.
type use struct{ tensor, done string }

// made is what is done to a constant's shape and elements, which it may change in
// place; nil leaves them as they are.
type made = func(shape []int, x []float32) ([]int, []float32, error)

// param returns the tensor made of a constant of floats, all finite. Nodes that do the
// same to the same constant share it.
func (d *decoder) param(v *value, done string, make made) (*nn.Param, error) {
	return d.tensor(v, done, make, (*value).finite)
}

// mask is param of a constant that may hold ±Inf: what is added to scores of attention
// that do not count, or chosen in their place.
func (d *decoder) mask(v *value, done string, make made) (*nn.Param, error) {
	return d.tensor(v, "mask "+done, make, (*value).numbers)
}

func (d *decoder) tensor(v *value, done string, make made, check func(*value) error) (*nn.Param, error) {
	key := use{v.name, done}
	if p := d.params[key]; p != nil {
		return p, nil
	}
	if v.kind != isFloat {
		return nil, beyond("tensor %q is of %s, not of floats", v.name, typeName(v.element))
	}
	if err := check(v); err != nil {
		return nil, err
	}
	shape, x := v.shape, v.floats
	if v.shared || make != nil && d.left[v.name] > 1 {
		x = slices.Clone(x)
	}
	v.shared = v.shared || make == nil || d.left[v.name] <= 1
	var err error
	if make != nil {
		shape, x, err = make(shape, x)
	}
	if err != nil {
		return nil, err
	}
	if err := d.charge(v, len(x)); err != nil {
		return nil, err
	}
	p := &nn.Param{Name: v.name, Shape: shape, Data: x}
	d.params[key] = p
	return p, nil
}

// charge counts the elements of a parameter made of v.
func (d *decoder) charge(v *value, n int) error {
	if v.folded {
		return d.claim(n)
	}
	if d.room -= 4 * n; d.room < 0 {
		return malformed("the parameters take more than %d times the memory of the file", maxGrowth)
	}
	return nil
}

// finite errs where an element is none that a net can compute with.
func (v *value) finite() error {
	for i, x := range v.floats {
		switch {
		case x-x == 0:
		case v.folded:
			return beyond("tensor %q, computed from constants, holds %v at element %d", v.name, x, i)
		default:
			return malformed("tensor %q holds %v at element %d: a net with such a weight computes nothing; train it again", v.name, x, i)
		}
	}
	return nil
}

// numbers errs where an element is NaN.
func (v *value) numbers() error {
	for i, x := range v.floats {
		if x != x && v.folded {
			return beyond("tensor %q, computed from constants, holds NaN at element %d", v.name, i)
		}
		if x != x {
			return malformed("tensor %q holds NaN at element %d", v.name, i)
		}
	}
	return nil
}

// weight is a param as the file has it.
func (d *decoder) weight(n *node, i int) (*nn.Param, error) {
	v, err := d.constantFloats(n, i)
	if err != nil {
		return nil, err
	}
	return d.param(v, "", nil)
}

// statistic is a weight that the node has to itself. Exporters keep equal
// tensors once; training must not move a parameter with the running mean.
func (d *decoder) statistic(n *node, i int) (*nn.Param, error) {
	v, err := d.constantFloats(n, i)
	if err != nil {
		return nil, err
	}
	return d.param(v, fmt.Sprint("statistic ", i, " of ", n.name), nil)
}
