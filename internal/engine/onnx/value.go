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

// value is a constant: a weight of the file, or computed from weights. Its
// elements are never changed in place.
type value struct {
	name    string
	kind    valueKind
	element int64     // type of the elements in ONNX; integers wrap around at its width
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

// isFinite reports whether all elements are finite.
func (v *value) isFinite() bool {
	return !slices.ContainsFunc(v.floats, func(x float32) bool { return x-x != 0 })
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
