package onnx

import (
	"math"

	"tattle/internal/engine/nn"
)

// A node whose inputs are all constants is read like any other, but its operators run at once, in
// float64, instead of being added to the graph. Integers are exact up to 2⁵³; what only moves, chooses
// or compares them may also have the largest of their type, as the end of a Slice.

// maxExact is the largest integer that is computed with.
const maxExact = 1 << 53

// scratch holds the tensors of one node that is computed. Those that it computes have elements in
// float64 alone.
type scratch struct {
	r       *nodeReader
	tensors map[string]*value
	element int64 // of the node's outputs in ONNX
	exact   bool  // the node computes no new integers
}

// fold computes a node whose inputs are all constants.
func (r *nodeReader) fold(op operator) {
	outside := r.builder
	s := &scratch{r: r, tensors: map[string]*value{}, exact: op.traits&(exact|converts) != 0}
	r.builder = builder{graph: outside.graph, inner: map[string][]int{}, derived: map[derivation]string{}, scratch: s}
	defer func() { r.builder = outside }()
	for i := range r.node.inputs {
		if r.has(i) && op.traits&free == 0 {
			r.claim(r.constant(i).size())
		}
	}
	s.setType(op)
	op.read(r)
	for i, name := range r.outputs {
		shape, ok := r.shapes[name]
		if !ok {
			continue // it has its value, or none
		}
		delete(r.shapes, name)
		if v := s.tensors[name]; v.element != 0 {
			r.setOutput(i, r.converted(v, s.element).reshaped(shape))
		} else {
			r.setOutput(i, s.narrowed(v.wide, shape))
		}
	}
}

// setType sets the type of the outputs, unless the reader does: that of the first input, or bool. It
// panics if the operator does not compute with that type.
func (s *scratch) setType(op operator) {
	r := s.r
	switch {
	case len(r.inputs) == 0:
		return
	case op.traits&boolean != 0:
		s.element = typeBool
	default:
		s.element = r.constant(0).element
	}
	v := r.constant(0)
	malformedIf(v.kind != isFloat && op.traits&(exact|integral|converts|discrete) == 0, "an input of type %s", typeName(v.element))
}

// run computes an operator. What does not change the order of entries is not copied.
func (s *scratch) run(op nn.Op, output string, shape []int, inputs []string) {
	switch op.(type) {
	case *nn.Identity, *nn.Reshape, *nn.Dropout:
		s.tensors[output] = s.tensor(inputs[0])
		return
	}
	s.r.claimAll(shape)
	x, shapes := make([][]float64, len(inputs)), make([][]int, len(inputs))
	for i, name := range inputs {
		x[i], shapes[i] = s.widened(name), s.r.inner[name]
	}
	y, err := nn.Evaluate64(op, x, shapes...)
	malformedIf(err != nil, "%v", err)
	s.tensors[output] = &value{wide: y}
}

func (s *scratch) tensor(name string) *value {
	if v, ok := s.tensors[name]; ok {
		return v
	}
	return s.r.value(name)
}

// widened returns a tensor in float64.
func (s *scratch) widened(name string) []float64 {
	v := *s.tensor(name)
	if v.wide != nil {
		return v.wide
	}
	v.wide = append(nn.Float64s(v.floats), make([]float64, len(v.ints))...)
	for i, n := range v.ints {
		if v.wide[i] = float64(n); n > maxExact || n < -maxExact {
			s.mustBeExact(v.wide[i], n)
		}
	}
	s.tensors[name] = &v
	return v.wide
}

// narrowed returns what was computed as elements of the outputs' type. Fractions are rounded to zero,
// and integers wrap around.
func (s *scratch) narrowed(x []float64, shape []int) *value {
	out, element := newValue(s.element, shape), elementTypes[s.element]
	for i := range out.floats {
		out.floats[i] = float32(x[i])
	}
	for i := range out.ints {
		v := int64(x[i])
		if !(math.Abs(x[i]) <= maxExact) {
			malformedIf(x[i]-x[i] != 0, "a division by zero")
			v = fromFloat(x[i], typeInt64)
			s.mustBeExact(x[i], v)
		}
		out.ints[i] = element.wrap(v)
	}
	return out
}

// mustBeExact panics if an integer beyond maxExact, x in float64, is rounded or may be.
func (s *scratch) mustBeExact(x float64, v int64) {
	if !s.exact || fromFloat(x, typeInt64) != v {
		panic(unsupportedf("computes with the integer %d: constants of up to 2⁵³ are supported", v))
	}
}
