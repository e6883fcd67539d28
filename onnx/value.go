package onnx

import (
	"fmt"
	"slices"
)

// valueKind is how the elements of a constant are kept.
type valueKind uint8

const (
	isFloat valueKind = iota // float32, float64, float16, bfloat16: as float32
	isInt                    // integers of any width: as int64
	isBool                   // as 0 and 1
)

// value is a constant: a weight of the file, or what was computed from such. Its
// elements are never changed in place.
type value struct {
	name    string
	kind    valueKind
	element int64     // type of the elements in ONNX: integers wrap around at its width
	shape   []int     // in ONNX; empty for a scalar
	floats  []float32 // where kind is isFloat
	ints    []int64   // otherwise
	folded  bool      // computed while reading, not held by the file
	shared  bool      // another value or a parameter has the same floats
}

// size is the number of elements.
func (v *value) size() int { return len(v.floats) + len(v.ints) }

// kindOf returns how elements of an ONNX type are kept.
func kindOf(element int64) (k valueKind, ok bool) {
	switch element {
	case typeFloat, typeDouble, typeFloat16, typeBfloat16:
		return isFloat, true
	case typeUint8, typeInt8, typeUint16, typeInt16, typeInt32, typeInt64, typeUint32, typeUint64:
		return isInt, true
	case typeBool:
		return isBool, true
	}
	return 0, false
}

// typeNames are the names of element types.
var typeNames = map[int64]string{
	typeFloat: "float32", typeUint8: "uint8", typeInt8: "int8", typeUint16: "uint16", typeInt16: "int16",
	typeInt32: "int32", typeInt64: "int64", typeString: "string", typeBool: "bool", typeFloat16: "float16",
	typeDouble: "float64", typeUint32: "uint32", typeUint64: "uint64", 14: "complex64", 15: "complex128",
	typeBfloat16: "bfloat16", 17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz",
	21: "uint4", 22: "int4", 23: "float4e2m1",
}

// typeName returns the name of an element type.
func typeName(element int64) string {
	if s, ok := typeNames[element]; ok {
		return s
	}
	return fmt.Sprintf("type %d", element)
}

// sizeOf is nn.Size for shapes that nobody has checked: ok is false where it
// passes limit.
func sizeOf(shape []int, limit int) (n int, ok bool) {
	if slices.Contains(shape, 0) {
		return 0, true
	}
	n = 1
	for _, s := range shape {
		if s < 0 || n > limit/s {
			return 0, false
		}
		n *= s
	}
	return n, n <= limit
}

// value returns the constant of that name, read from the file when first asked for.
func (d *decoder) value(name string) (*value, error) {
	if v := d.constants[name]; v != nil {
		return v, nil
	}
	w := &wire{}
	t := w.tensor(d.weights[name])
	if w.err != nil {
		return nil, malformed("tensor %q: %v", name, w.err.(*FormatError).Detail)
	}
	t.name = name
	v, err := d.load(&t)
	if err != nil {
		return nil, err
	}
	d.constants[name] = v
	return v, nil
}

// load reads a tensor's elements, from the file or one beside it.
func (d *decoder) load(t *tensor) (*value, error) {
	kind, ok := kindOf(t.kind)
	if !ok {
		return nil, beyond("tensor %q has elements of %s", t.name, typeName(t.kind))
	}
	if t.external {
		if err := d.fetch(t); err != nil {
			return nil, err
		}
	}
	shape, n, err := t.shape()
	if err != nil {
		return nil, err
	}
	v := &value{name: t.name, kind: kind, element: t.kind, shape: shape}
	if kind == isFloat {
		v.floats, err = t.floatValues(n)
	} else {
		v.ints, err = t.intValues(n)
	}
	return v, err
}

// isConstant reports whether a tensor is a weight or was computed from such alone.
func (d *decoder) isConstant(name string) bool {
	if d.constants[name] != nil {
		return true
	}
	_, ok := d.weights[name]
	return ok
}

// release forgets the elements of constants that no node is still to read.
func (d *decoder) release(n *node) {
	for _, in := range slices.Concat(n.inputs, n.captured) {
		if d.left[in]--; d.left[in] == 0 && d.constants[in] != nil {
			delete(d.constants, in)
		}
	}
}
