package onnx

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// script are choices that a fuzzer makes: what to change in a model, and how. It
// gives zeros when it is used up.
type script struct{ b []byte }

func (s *script) next() int {
	if len(s.b) == 0 {
		return 0
	}
	v := s.b[0]
	s.b = s.b[1:]
	return int(v)
}

// of returns a choice below n.
func (s *script) of(n int) int { return s.next() % max(n, 1) }

func chosen[T any](s *script, x []T) (v T) {
	if len(x) > 0 {
		v = x[s.of(len(x))]
	}
	return v
}

// telling are integers at which readers go wrong.
var telling = []int64{0, 1, -1, 2, 3, -2, 4, 7, 16, 255, 1 << 16, 1 << 20, 1 << 31, 1<<31 - 1, -1 << 31, 1 << 40, 1 << 62, math.MaxInt64, math.MinInt64}

// pieces is a model in pieces.
type pieces struct {
	opset, classical         int64
	nodes                    []node
	weights, inputs, outputs [][]byte // encoded
}

// mutated changes the model that data encode as the script says, or returns the data
// where they encode none.
func mutated(data, choices []byte) []byte {
	s := &script{choices}
	w := &wire{}
	m := w.model(data)
	if w.err != nil || len(choices) == 0 {
		return data
	}
	x := &pieces{opset: m.opset, classical: m.classical, nodes: m.graph.nodes}
	for _, v := range m.graph.initializers {
		x.weights = append(x.weights, v.body)
	}
	for _, v := range m.graph.inputs {
		x.inputs = append(x.inputs, v.body)
	}
	for _, v := range m.graph.outputs {
		x.outputs = append(x.outputs, v.body)
	}
	changes := []func(*script){
		x.operator, x.operator, x.rewire, x.rewire, x.attribute, x.attribute, x.attribute, x.weight, x.weight, x.weight,
		x.version, x.promote, x.demote, x.remove, x.repeat, x.swap, x.input, x.fold, x.list, x.list,
	}
	for len(s.b) > 0 {
		changes[s.of(len(changes))](s)
	}
	out := x.bytes()
	if s := (&script{choices}); s.next() == 255 {
		out = out[:len(out)*s.next()/256]
	}
	return out
}

func (x *pieces) node(s *script) *node {
	if len(x.nodes) == 0 {
		return &node{outputs: []string{"y"}}
	}
	return &x.nodes[s.of(len(x.nodes))]
}

// allNames are the operators of the readers and the folder.
func allNames() []string {
	return slices.Sorted(maps.Keys(standardOperators()))
}

var opNames []string

func (x *pieces) operator(s *script) {
	if opNames == nil {
		opNames = allNames()
	}
	n := x.node(s)
	if n.domain == classicalDomain {
		n.op = chosen(s, slices.Sorted(maps.Keys(classicalOperators())))
		return
	}
	n.op = chosen(s, opNames)
}

// tensors lists all names.
func (x *pieces) tensors() []string {
	names := []string{"", "x"}
	for _, n := range x.nodes {
		names = append(names, n.outputs...)
	}
	w := &wire{}
	for _, b := range x.weights {
		names = append(names, w.tensor(b).name)
	}
	return names
}

func (x *pieces) rewire(s *script) {
	n, name := x.node(s), chosen(s, x.tensors())
	if i := s.of(len(n.inputs) + 1); i < len(n.inputs) {
		n.inputs = slices.Clone(n.inputs)
		n.inputs[i] = name
	} else if len(n.inputs) < 8 {
		n.inputs = append(slices.Clip(n.inputs), name)
	}
}

// attribute takes one away or gives a node one that it may have, of some value.
func (x *pieces) attribute(s *script) {
	n := x.node(s)
	n.attributes = slices.Clone(n.attributes)
	if len(n.attributes) > 0 && s.of(4) == 0 {
		i := s.of(len(n.attributes))
		n.attributes = slices.Delete(n.attributes, i, i+1)
		return
	}
	known := strings.Fields(operators()[n.op].attributes)
	name := chosen(s, known)
	if name == "" {
		return
	}
	n.attributes = slices.DeleteFunc(n.attributes, func(m named) bool { return m.name == name })
	var b []byte
	switch s.of(5) {
	case 0:
		b = appendGiven(nil, name, int(chosen(s, telling)))
	case 1:
		b = appendGiven(nil, name, chosen(s, []float64{0, 1, -1, .5, 1e30, math.NaN(), math.Inf(1)}))
	case 2:
		b = attributeText(name, chosen(s, []string{"", "SAME_UPPER", "VALID", "reflect", "edge", "wrap", "add", "linear", "cubic", "nearest",
			"half_pixel", "align_corners", "asymmetric", "floor", "tanh", "bij,bjk->bik", "...i,i...->", "ij->ji", "CRD"}))
	default:
		var v []int
		for range s.of(6) {
			v = append(v, int(chosen(s, telling)))
		}
		b = appendGiven(nil, name, v)
	}
	w := &wire{}
	w.each(b, func(f field) { n.attributes = append(n.attributes, w.named(f, attributeName)) })
}

// weight changes a tensor's dimensions, elements or type.
func (x *pieces) weight(s *script) {
	if len(x.weights) == 0 {
		return
	}
	i := s.of(len(x.weights))
	w := &wire{}
	t := w.tensor(x.weights[i])
	dims := slices.Clone(t.dims)
	switch s.of(6) {
	case 0:
		if len(dims) > 0 {
			dims[s.of(len(dims))] = chosen(s, telling)
		}
	case 1:
		dims = append(dims, chosen(s, telling))
	case 2:
		dims = dims[:len(dims)-min(len(dims), 1)]
	case 3:
		t.kind = chosen(s, []int64{typeFloat, typeInt64, typeBool, typeDouble, typeInt32, typeFloat16, typeString, typeInt8})
	case 4: // as many elements as it then has
		n := s.of(5)
		dims, t.raw, t.hasRaw, t.ints, t.floats, t.doubles = []int64{int64(n)}, nil, true, nil, nil, nil
		t.kind = typeInt64
		for range n {
			t.raw = binary.LittleEndian.AppendUint64(t.raw, uint64(chosen(s, telling)))
		}
	case 5:
		if raw := slices.Clone(t.raw); len(raw) > 0 {
			raw[s.of(len(raw))] = byte(s.next())
			t.raw = raw
		} else if len(t.ints) > 0 {
			t.ints[s.of(len(t.ints))] = chosen(s, telling)
		}
	}
	b := appendBytes(nil, tensorName, []byte(t.name))
	for _, d := range dims {
		b = appendInt(b, tensorDims, d)
	}
	b = appendInt(b, tensorType, t.kind)
	for _, v := range t.ints {
		b = appendInt(b, tensorInt64s, v)
	}
	if t.floats != nil {
		b = appendBytes(b, tensorFloats, t.floats)
	}
	if t.doubles != nil {
		b = appendBytes(b, tensorDoubles, t.doubles)
	}
	if t.hasRaw {
		b = appendBytes(b, tensorRaw, t.raw)
	}
	x.weights[i] = b
}

func (x *pieces) version(s *script) { x.opset = int64(5 + s.of(22)) }

// promote makes an input of a weight, demote a weight of an input.
func (x *pieces) promote(s *script) {
	if len(x.weights) == 0 {
		return
	}
	i := s.of(len(x.weights))
	w := &wire{}
	x.inputs = append(x.inputs, activation(w.tensor(x.weights[i]).name, []int{1 + s.of(4)}))
	x.weights = slices.Delete(x.weights, i, i+1)
}

func (x *pieces) demote(s *script) {
	if len(x.inputs) < 2 {
		return
	}
	i := s.of(len(x.inputs))
	w := &wire{}
	x.weights = append(x.weights, intTensor(w.declared(x.inputs[i]).name, chosen(s, telling), chosen(s, telling)))
	x.inputs = slices.Delete(x.inputs, i, i+1)
}

func (x *pieces) remove(s *script) {
	if len(x.nodes) > 1 {
		i := s.of(len(x.nodes))
		x.nodes = slices.Delete(slices.Clone(x.nodes), i, i+1)
	}
}

// repeat does once more with a node's output what the node did.
func (x *pieces) repeat(s *script) {
	if len(x.nodes) == 0 || len(x.nodes) > 64 {
		return
	}
	i := s.of(len(x.nodes))
	n := x.nodes[i]
	n.inputs, n.outputs = slices.Clone(n.inputs), slices.Clone(n.outputs)
	was := n.outputs[0]
	x.nodes = slices.Insert(slices.Clone(x.nodes), i+1, n)
	x.nodes[i].outputs = slices.Clone(n.outputs)
	x.nodes[i].outputs[0] = was + "'"
	if len(n.inputs) > 0 {
		x.nodes[i+1].inputs[s.of(len(n.inputs))] = was + "'"
	}
}

// list changes a number of an attribute that is a list of integers.
func (x *pieces) list(s *script) {
	n := x.node(s)
	if len(n.attributes) == 0 {
		return
	}
	i := s.of(len(n.attributes))
	w, name := &wire{}, n.attributes[i].name
	var ints []int64
	w.each(n.attributes[i].body, func(f field) {
		if f.number == attributeInts {
			ints = w.ints(ints, f)
		}
	})
	if w.err != nil || len(ints) == 0 {
		return
	}
	v := chosen(s, telling)
	if s.of(2) == 0 {
		v = ints[s.of(len(ints))]
	}
	ints[s.of(len(ints))] = v
	n.attributes = slices.Clone(n.attributes)
	w.each(intList(name, ints...), func(f field) { n.attributes[i].body = f.b })
}

func (x *pieces) swap(s *script) {
	x.nodes = slices.Clone(x.nodes)
	if n := len(x.nodes); n > 0 {
		i, j := s.of(n), s.of(n)
		x.nodes[i], x.nodes[j] = x.nodes[j], x.nodes[i]
	}
}

func (x *pieces) input(s *script) {
	var shape []int
	for range s.of(5) {
		shape = append(shape, int(chosen(s, telling[1:11])))
	}
	if len(x.inputs) > 0 {
		x.inputs[0] = activation("x", shape)
	}
}

// fold puts the shape of a tensor where another was.
func (x *pieces) fold(s *script) {
	n := node{op: chosen(s, []string{"Shape", "Size", "Identity", "NonZero", "Constant"}), inputs: []string{chosen(s, x.tensors())}, outputs: []string{string(rune('A' + len(x.nodes)))}}
	to := x.node(s)
	if len(to.inputs) > 0 {
		to.inputs = slices.Clone(to.inputs)
		to.inputs[s.of(len(to.inputs))] = n.outputs[0]
	}
	x.nodes = slices.Insert(slices.Clone(x.nodes), s.of(len(x.nodes)+1), n)
}

func (x *pieces) bytes() []byte {
	var g []byte
	for _, n := range x.nodes {
		var attributes [][]byte
		for _, a := range n.attributes {
			attributes = append(attributes, appendBytes(nil, nodeAttribute, a.body))
		}
		g = append(g, nodeField(n.domain, n.op, n.name, n.inputs, n.outputs, attributes...)...)
	}
	for i, bodies := range [][][]byte{x.weights, x.inputs, x.outputs} {
		for _, b := range bodies {
			g = appendBytes(g, []protowire.Number{graphInitializer, graphInput, graphOutput}[i], b)
		}
	}
	return modelBytes(x.opset, x.classical, g)
}
