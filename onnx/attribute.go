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
}

// attribute reads one, or returns false where the node has none of that name.
func (n *node) attribute(name string) (a attribute, ok bool, err error) {
	i := slices.IndexFunc(n.attributes, func(m named) bool { return m.name == name })
	if i < 0 {
		return a, false, nil
	}
	w := &wire{}
	w.each(n.attributes[i].body, func(f field) {
		switch f.number {
		case attributeFloat:
			a.bits = w.float32bits(f)
		case attributeInt:
			a.n = w.int(f)
		case attributeString:
			a.text = w.text(f)
		case attributeGraph:
			a.graph = w.bytes(f)
		case attributeTensor:
			a.tensor = w.tensor(w.bytes(f))
		case attributeFloats:
			a.floats = w.fixed(a.floats, f, 4)
		case attributeInts:
			a.ints = w.ints(a.ints, f)
		case attributeType:
			a.kind = w.int(f)
		}
	})
	if e, ok := w.err.(*FormatError); ok {
		e.Detail = fmt.Sprintf("attribute %q: %s", name, e.Detail)
	}
	return a, true, w.err
}

// typed reads an attribute and checks its type, where the file says one.
func (n *node) typed(name string, kind int64) (a attribute, ok bool, err error) {
	a, ok, err = n.attribute(name)
	if err == nil && ok && a.kind != kind && a.kind != 0 {
		err = malformed("attribute %q has the wrong type", name)
	}
	return a, ok, err
}

// int reads an integer attribute.
func (n *node) int(name string, absent int64) (int64, error) {
	a, ok, err := n.typed(name, kindInt)
	if !ok {
		return absent, err
	}
	return a.n, err
}

// flag reads an integer attribute that is 0 or 1.
func (n *node) flag(name string, absent bool) (bool, error) {
	a, ok, err := n.typed(name, kindInt)
	if !ok || err != nil {
		return absent, err
	}
	if a.n != 0 && a.n != 1 {
		return false, malformed("attribute %q is %d, not 0 or 1", name, a.n)
	}
	return a.n == 1, nil
}

// text reads a string attribute.
func (n *node) text(name, absent string) (string, error) {
	a, ok, err := n.typed(name, kindString)
	if !ok {
		return absent, err
	}
	return a.text, err
}

// float reads a float attribute, which must be finite.
func (n *node) float(name string, absent float64) (float64, error) {
	v, err := n.limit(name, absent)
	if err == nil && v-v != 0 {
		err = malformed("attribute %q is %v", name, v)
	}
	return v, err
}

// limit reads a float attribute, which may be ±Inf.
func (n *node) limit(name string, absent float64) (float64, error) {
	a, ok, err := n.typed(name, kindFloat)
	if !ok || err != nil {
		return absent, err
	}
	v := math.Float32frombits(a.bits)
	if v != v {
		err = malformed("attribute %q is %v", name, v)
	}
	return shortest(v), err
}

// shortest returns the float64 of the shortest decimal that is v in float32.
func shortest(v float32) float64 {
	d, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	return d
}

// maxWindow bounds kernel sizes, strides, dilations and paddings.
const maxWindow = 1 << 20

// window reads an attribute of len(x) integers into x, which holds what an
// absent one means.
func (n *node) window(name string, low int64, x []int) (present bool, err error) {
	a, ok, err := n.typed(name, kindInts)
	if !ok || err != nil {
		return false, err
	}
	if len(a.ints) != len(x) {
		return true, malformed("attribute %q has %d values, want %d", name, len(a.ints), len(x))
	}
	for i, v := range a.ints {
		if v < low || v > maxWindow {
			return true, malformed("attribute %q is %v", name, a.ints)
		}
		x[i] = int(v)
	}
	return true, nil
}

// numbers reads an attribute of floats.
func (n *node) numbers(name string) ([]float64, error) {
	a, ok, err := n.typed(name, kindFloats)
	if !ok || err != nil {
		return nil, err
	}
	x := make([]float64, len(a.floats)/4)
	for i := range x {
		v := math.Float32frombits(binary.LittleEndian.Uint32(a.floats[4*i:]))
		if v-v != 0 {
			return nil, malformed("attribute %q holds %v", name, v)
		}
		x[i] = float64(v)
	}
	return x, nil
}
