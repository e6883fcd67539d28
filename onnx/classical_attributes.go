package onnx

import (
	"encoding/binary"
	"math"
)

// exactInts returns integers as numbers that float32 holds exactly.
func exactInts(name string, x []int64) []float64 {
	f := make([]float64, len(x))
	for i, v := range x {
		if f[i] = float64(v); int64(f[i]) != v || float64(float32(f[i])) != f[i] {
			panic(unsupportedf("attribute %q holds %d: integers are computed in float32, which has no such number", name, v))
		}
	}
	return f
}

// count returns a positive integer attribute.
func (n *node) count(name string, absent int64) int {
	v := n.int(name, absent)
	if v < 1 || v > maxActivation {
		panic(malformedf("attribute %q is %d", name, v))
	}
	return int(v)
}

// integers returns an attribute of integers, nil if there is none.
func (n *node) integers(name string) []int64 {
	a, _ := n.typed(name, kindInts)
	return a.ints
}

// strings returns an attribute of strings, nil if there is none.
func (n *node) strings(name string) []string {
	a, _ := n.typed(name, kindStrings)
	var list []string
	for _, s := range a.strings {
		list = append(list, string(s))
	}
	return list
}

// doubles returns an attribute of floats, which may be infinite or NaN, from the attribute
// name or the tensor name_as_tensor; nil if there is neither.
func (n *node) doubles(name string) []float64 {
	if a, ok := n.typed(name, kindFloats); ok {
		x := make([]float64, len(a.floats)/4)
		for i := range x {
			x[i] = float64(bits32(binary.LittleEndian.Uint32(a.floats[4*i:])))
		}
		return x
	}
	return n.tensorFloats(name + "_as_tensor")
}

// tensorFloats returns a tensor attribute of floats, in float64; nil if there is none.
func (n *node) tensorFloats(name string) []float64 {
	a, ok := n.typed(name, kindTensor)
	if !ok {
		return nil
	}
	t := &a.tensor
	if t.external {
		panic(unsupportedf("attribute %q is in another file", name))
	}
	_, size, err := t.shape()
	if err != nil {
		panic(err)
	}
	if kind, ok := kindOf(t.kind); !ok || kind != isFloat {
		panic(malformedf("attribute %q has elements of type %s", name, typeName(t.kind)))
	}
	if t.kind != typeDouble {
		narrow, err := t.floatValues(size)
		if err != nil {
			panic(err)
		}
		x := make([]float64, size)
		for i, v := range narrow {
			x[i] = float64(v)
		}
		return x
	}
	b, err := t.bytes(size, 8, t.doubles)
	if err != nil {
		panic(err)
	}
	x := make([]float64, size)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return x
}

// tensorInts returns a tensor attribute of integers, nil if there is none.
func (n *node) tensorInts(name string) []int64 {
	a, ok := n.typed(name, kindTensor)
	if !ok {
		return nil
	}
	t := &a.tensor
	_, size, err := t.shape()
	if kind, ok := kindOf(t.kind); err == nil && (!ok || kind == isFloat || t.external) {
		err = malformedf("attribute %q has elements of type %s", name, typeName(t.kind))
	}
	if err != nil {
		panic(err)
	}
	x, err := t.intValues(size)
	if err != nil {
		panic(err)
	}
	return x
}

func bits32(b uint32) float32 { return math.Float32frombits(b) }
