package onnx

import (
	"cmp"
	"fmt"
	"slices"

	"tattle/internal/engine/nn"
)

// constants are the weights of a file and what is computed from them while reading, within
// bounds of memory.
type constants struct {
	weights  map[string][]byte // initializers
	values   map[string]*value // weights that were read, and computed constants
	params   map[derivation]*nn.Param
	pending  map[string]int // how many nodes have still to read a tensor
	folder   *folder        // nil if only the file's bytes are known
	room     int            // bytes that parameters may still take
	foldable int            // elements that computed constants may still have
}

// isConstant reports whether a tensor is a weight or was computed from such alone.
func (c *constants) isConstant(name string) bool {
	_, ok := c.weights[name]
	return ok || c.values[name] != nil
}

// value returns the constant of that name, read from the file at its first use.
func (c *constants) value(name string) *value {
	if v := c.values[name]; v != nil {
		return v
	}
	w := &wire{}
	t := w.tensor(c.weights[name])
	if w.err != nil {
		panic(malformedf("tensor %q: %v", name, w.err.(*FormatError).Detail))
	}
	t.name = name
	c.values[name] = c.load(&t)
	return c.values[name]
}

// load reads a tensor's elements, from the file or one beside it.
func (c *constants) load(t *tensor) *value {
	kind, ok := kindOf(t.kind)
	unsupportedIf(!ok, "tensor %q has elements of type %s", t.name, typeName(t.kind))
	if t.external {
		c.fetch(t)
	}
	shape, n := t.shape()
	v := &value{name: t.name, kind: kind, element: t.kind, shape: shape}
	if kind == isFloat {
		v.floats = t.floatValues(n)
	} else {
		v.ints = t.intValues(n)
	}
	return v
}

// release forgets the elements of constants that no node has still to read.
func (c *constants) release(n *node) {
	for _, in := range slices.Concat(n.inputs, n.captured) {
		if c.pending[in]--; c.pending[in] == 0 {
			delete(c.values, in)
		}
	}
}

// transform changes a constant's shape and elements, these perhaps in place.
type transform = func(shape []int, x []float32) ([]int, []float32)

// param returns the parameter made from a constant of floats, all finite; a nil transform
// leaves them as they are. Nodes that do the same to the same constant share it.
func (c *constants) param(v *value, done string, f transform) *nn.Param {
	return c.parameter(v, done, f, false)
}

// mask is param of a constant that may hold ±Inf, such as what is added to those scores of
// attention that do not count.
func (c *constants) mask(v *value, done string, f transform) *nn.Param {
	return c.parameter(v, "mask "+done, f, true)
}

func (c *constants) parameter(v *value, done string, f transform, infinite bool) *nn.Param {
	key := derivation{v.name, done}
	if p := c.params[key]; p != nil {
		return p
	}
	unsupportedIf(v.kind != isFloat, "tensor %q has type %s: it must be floats", v.name, typeName(v.element))
	v.mustBeSound(infinite)
	shape, x := v.shape, v.floats
	if v.shared || f != nil && c.pending[v.name] > 1 {
		x = slices.Clone(x)
	}
	v.shared = v.shared || f == nil || c.pending[v.name] <= 1
	if f != nil {
		shape, x = f(shape, x)
	}
	if v.folded {
		c.claim(len(x))
	} else if c.room -= 4 * len(x); c.room < 0 {
		panic(malformedf("the parameters take more than %d times the memory of the file", maxGrowth))
	}
	c.params[key] = &nn.Param{Name: v.name, Shape: shape, Data: x}
	return c.params[key]
}

// claim counts elements of constants that are about to be computed.
func (c *constants) claim(n int) {
	unsupportedIf(n < 0 || n > c.foldable, "computes more constants than a file of this size should need: over %d elements", maxFolded)
	c.foldable -= n
}

// claimAll claims the elements of a shape, and returns how many there are.
func (c *constants) claimAll(shape []int) int {
	n, ok := nn.SizeWithin(shape, maxFolded)
	if !ok {
		n = -1
	}
	c.claim(n)
	return n
}

// blank returns a constant of that type and shape with elements of 0.
func (c *constants) blank(element int64, shape []int) *value {
	if len(shape) > maxDims {
		c.claim(-1)
	}
	c.claimAll(shape)
	return newValue(element, shape)
}

func newValue(element int64, shape []int) *value {
	kind, ok := kindOf(element)
	unsupportedIf(!ok, "elements of type %s", typeName(element))
	v := &value{kind: kind, element: element, shape: shape, folded: true}
	if kind == isFloat {
		v.floats = make([]float32, nn.Size(shape))
	} else {
		v.ints = make([]int64, nn.Size(shape))
	}
	return v
}

// valueKind is how the elements of a constant are kept.
type valueKind uint8

const (
	isFloat valueKind = iota // float32, float64, float16, bfloat16: as float32
	isInt                    // integers of any width: as int64
	isBool                   // as 0 and 1
)

// value is a constant: a weight of the file, or computed from weights. Its
// elements are never changed in place.
type value struct {
	name    string
	kind    valueKind
	element int64     // type of the elements in ONNX; integers wrap around at its width
	shape   []int     // in ONNX; empty for a scalar
	floats  []float32 // where kind is isFloat
	ints    []int64   // otherwise
	wide    []float64 // where a node computes with them, or computed them
	folded  bool      // computed while reading, not held by the file
	shared  bool      // another value or a parameter has the same floats
}

// size is the number of elements.
func (v *value) size() int { return len(v.floats) + len(v.ints) }

// elementType is a type of elements of ONNX.
type elementType struct {
	name   string
	kind   valueKind
	size   int // in bytes; 0 if such elements are not read
	signed bool
}

var elementTypes = map[int64]elementType{
	typeFloat: {"float32", isFloat, 4, true}, typeDouble: {"float64", isFloat, 8, true},
	typeFloat16: {"float16", isFloat, 2, true}, typeBfloat16: {"bfloat16", isFloat, 2, true},
	typeInt8: {"int8", isInt, 1, true}, typeUint8: {"uint8", isInt, 1, false},
	typeInt16: {"int16", isInt, 2, true}, typeUint16: {"uint16", isInt, 2, false},
	typeInt32: {"int32", isInt, 4, true}, typeUint32: {"uint32", isInt, 4, false},
	typeInt64: {"int64", isInt, 8, true}, typeUint64: {"uint64", isInt, 8, false},
	typeBool: {"bool", isBool, 1, false}, typeString: {name: "string"},
	14: {name: "complex64"}, 15: {name: "complex128"}, 17: {name: "float8e4m3fn"}, 18: {name: "float8e4m3fnuz"}, 19: {name: "float8e5m2"},
	20: {name: "float8e5m2fnuz"}, 21: {name: "uint4"}, 22: {name: "int4"}, 23: {name: "float4e2m1"},
}

// kindOf returns how elements of an ONNX type are kept.
func kindOf(element int64) (k valueKind, ok bool) {
	t := elementTypes[element]
	return t.kind, t.size > 0
}

// typeName returns the name of an element type.
func typeName(element int64) string {
	return cmp.Or(elementTypes[element].name, fmt.Sprintf("type %d", element))
}

// wrap takes an integer to the range of a type; to a bool, 0 or 1.
func (t elementType) wrap(v int64) int64 {
	shift := 64 - 8*t.size
	switch {
	case t.kind == isBool && v != 0:
		return 1
	case t.signed:
		return v << shift >> shift
	}
	return int64(uint64(v) << shift >> shift)
}

// reshaped returns the same elements in another shape, which has as many.
func (v *value) reshaped(shape []int) *value {
	r := *v
	v.shared, r.shared = true, true
	r.shape = shape
	return &r
}

// asFloats returns a constant as one of floats.
func asFloats(v *value) *value {
	if v.kind == isFloat {
		return v
	}
	f := *v
	f.kind, f.element, f.ints, f.folded, f.shared = isFloat, typeFloat, nil, true, false
	f.floats = make([]float32, len(v.ints))
	for i, x := range v.ints {
		f.floats[i] = float32(x)
	}
	return &f
}

// mustBeSound panics if an element is NaN or, unless infinite is set, infinite.
func (v *value) mustBeSound(infinite bool) {
	for i, x := range v.floats {
		switch {
		case x-x == 0 || infinite && x == x:
		case v.folded:
			panic(unsupportedf("tensor %q, computed from constants, holds %v at element %d", v.name, x, i))
		default:
			panic(malformedf("tensor %q holds %v at element %d: a net with such a weight computes nothing; train it again", v.name, x, i))
		}
	}
}
