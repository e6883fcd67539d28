package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// attribute is a setting of a node.
type attribute struct {
	kind   int64
	bits   uint32 // of a float
	n      int64
	text   string
	tensor tensor
	graph  []byte
	floats []byte
	ints   []int64

	strings [][]byte // alias the file
}

// attribute returns the node's attribute of that name; ok is false if it has none.
func (n *node) attribute(name string) (a attribute, ok bool) {
	i := slices.IndexFunc(n.attributes, func(m named) bool { return m.name == name })
	if i < 0 {
		return a, false
	}
	w := &wire{}
	w.read(n.attributes[i].body, fields{
		attributeFloat: &a.bits, attributeInt: &a.n, attributeString: (*long)(&a.text), attributeGraph: &a.graph,
		attributeTensor: func(f field) { a.tensor = w.tensor(w.bytes(f)) },
		attributeFloats: (*floatBytes)(&a.floats), attributeInts: &a.ints, attributeTexts: &a.strings, attributeType: &a.kind,
	})
	if e, ok := w.err.(*FormatError); ok {
		e.Detail = fmt.Sprintf("attribute %q: %s", name, e.Detail)
		panic(e)
	}
	return a, true
}

// typed returns an attribute of that type; a file need not give the type.
func (n *node) typed(name string, kind int64) (a attribute, ok bool) {
	a, ok = n.attribute(name)
	malformedIf(ok && a.kind != kind && a.kind != 0, "attribute %q has the wrong type", name)
	return a, ok
}

// int returns an integer attribute.
func (n *node) int(name string, absent int64) int64 {
	a, ok := n.typed(name, kindInt)
	return or(a.n, ok, absent)
}

// or returns x if there is one.
func or[T any](x T, ok bool, absent T) T {
	if ok {
		return x
	}
	return absent
}

// flag returns an integer attribute that is 0 or 1.
func (n *node) flag(name string, absent bool) bool {
	a, ok := n.typed(name, kindInt)
	malformedIf(a.n != 0 && a.n != 1, "attribute %q is %d: it must be 0 or 1", name, a.n)
	return or(a.n == 1, ok, absent)
}

// text returns a string attribute.
func (n *node) text(name, absent string) string {
	a, ok := n.typed(name, kindString)
	return or(a.text, ok, absent)
}

// float returns a float attribute, which must be finite.
func (n *node) float(name string, absent float64) float64 {
	v := n.limit(name, absent)
	malformedIf(v-v != 0, "attribute %q is %v", name, v)
	return v
}

// limit returns a float attribute, which may be ±Inf.
func (n *node) limit(name string, absent float64) float64 {
	a, ok := n.typed(name, kindFloat)
	if !ok {
		return absent
	}
	v := math.Float32frombits(a.bits)
	malformedIf(v != v, "attribute %q is %v", name, v)
	return shortest(v)
}

// shortest returns the float64 of the shortest decimal that is v in float32.
func shortest(v float32) float64 {
	d, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	return d
}

// maxWindow bounds kernel sizes, strides, dilations and paddings.
const maxWindow = 1 << 20

// window reads an attribute of len(x) integers, each at least low, into x, which holds
// the default.
func (n *node) window(name string, low int64, x []int) (present bool) {
	a, ok := n.typed(name, kindInts)
	if !ok {
		return false
	}
	malformedIf(len(a.ints) != len(x), "attribute %q has %d values: it must have %d", name, len(a.ints), len(x))
	for i, v := range a.ints {
		malformedIf(v < low || v > maxWindow,
			"attribute %q is %v: values must be %d to %d", name, a.ints, low, maxWindow)
		x[i] = int(v)
	}
	return true
}

// anyFloats returns an attribute of floats, which may be infinite or NaN; nil if there is none.
func (n *node) anyFloats(name string) []float64 {
	a, ok := n.typed(name, kindFloats)
	if !ok {
		return nil
	}
	x := make([]float64, len(a.floats)/4)
	for i := range x {
		x[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(a.floats[4*i:])))
	}
	return x
}

// numbers returns an attribute of floats, which must be finite; nil if there is none.
func (n *node) numbers(name string) []float64 {
	x := n.anyFloats(name)
	for _, v := range x {
		if v-v != 0 {
			panic(malformedf("attribute %q holds %v", name, v))
		}
	}
	return x
}
