package onnx

import (
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/math/float16"
)

// Types of activations. All are float32 in the graph: a bool is 0 or 1, and an integer a
// float32 without a fraction, which holds those up to 2²⁴ exactly.
//
// Casts to float16 and bfloat16 round, and are computed as the file has them: the
// rounding is part of the function that is certified. Arithmetic in these formats is
// not supported, since its results depend on how a runtime rounds within an operator.

// narrowFormats are the types of 16 bits, and the function that rounds to each.
var narrowFormats = map[int64]struct {
	float16.Format
	function string
}{
	typeFloat16:  {float16.Half, "Float16"},
	typeBfloat16: {float16.Brain, "BFloat16"},
}

// setTypes notes the types of the node's outputs: those of its inputs, as far as they are
// integers or floats of 16 bits. It panics if the operator is not supported for these.
func (r *nodeReader) setTypes(op operator) {
	var element int64
	for _, in := range r.inputs {
		element = max(element, r.elements[in])
	}
	switch {
	case element == typeString && op.traits&exact == 0 && isStandard(r.domain) && op.traits&text == 0:
		panic(unsupportedf("computes with text"))
	case element == 0 || op.traits&converts != 0:
		return
	case element == typeInt64 && op.traits&(exact|integral) == 0:
		panic(unsupportedf("computes with integers that depend on the input"))
	case element != typeInt64 && op.traits&exact == 0:
		panic(unsupportedf("computes in %s, where results depend on how a runtime rounds: export the model in float32; casts to %s are supported", typeName(element), typeName(element)))
	}
	for _, out := range r.outputs {
		r.elements[out] = element
	}
}

// cast is ONNX Cast-13.
func (r *nodeReader) cast() { r.castTo(r.int("to", 0)) }

// castLike is ONNX CastLike-15: a cast to the type of the second input.
func (r *nodeReader) castLike() {
	element := r.elements[r.operand(1).name()]
	switch {
	case r.isConstant(r.inputs[1]):
		element = r.constant(1).element
	case element == 0:
		element = typeFloat
	}
	r.castTo(element)
}

// castTo casts an activation. To a wider float nothing changes, as all are float32; a bool
// says whether an entry differs from 0; an integer is an entry without its fraction.
func (r *nodeReader) castTo(element int64) {
	if r.scratch != nil {
		r.scratch.element = element
		r.operand(0).inner().end(0, r.operand(0).shape)
		return
	}
	kind, ok := kindOf(element)
	format, narrow := narrowFormats[element]
	text := r.elements[r.operand(0).name()] == typeString
	switch {
	case text && element == typeString:
		r.elements[r.outputs[0]] = typeString
		r.keepShape(&nn.Identity{})
	case text:
		panic(unsupportedf("a cast of text to %s", typeName(element)))
	case narrow:
		r.elements[r.outputs[0]] = element
		r.keepShape(&nn.Unary{Function: format.function})
	case ok && kind == isFloat:
		r.widen()
	case ok && kind == isBool:
		r.keepShape(&nn.Binary{Operator: "Xor", Constant: scalar(0)})
	case element == typeInt32 || element == typeInt64:
		r.truncate()
	default:
		panic(unsupportedf("a cast of activations to %s", typeName(element)))
	}
}

// truncate rounds towards 0: positive numbers down and negative ones up, as a sum of two
// terms of which one is 0. Integers stay as they are.
func (r *nodeReader) truncate() {
	x := r.operand(0)
	r.elements[r.outputs[0]] = typeInt64
	if x.value == nil && r.elements[x.name()] == typeInt64 {
		x.end(0, x.shape)
		return
	}
	x.inner().truncated().end(0, x.shape)
}

func (c *view) truncated() *view {
	below := c.then(&nn.Unary{Function: "Clip", Alpha: math.Inf(-1)}).then(&nn.Unary{Function: "Ceil"})
	return c.then(&nn.ReLU{}).then(&nn.Unary{Function: "Floor"}).with("Add", below)
}

// widen reads a cast to a wider float, which changes nothing: a rounding that nothing else
// reads gets the name of the output.
func (r *nodeReader) widen() {
	x := r.operand(0)
	format, narrow := narrowFormats[r.elements[x.name()]]
	before := r.made[x.name()]
	if narrow && before != nil && r.usage.readers[x.name()] == 1 && x.name() != r.graph.Output {
		if u, ok := before.Op.(*nn.Unary); ok && u.Function == format.function {
			r.renameOutput(x)
			return
		}
	}
	r.keepShape(&nn.Identity{})
}

// roundInput rounds an input of 16 bits, as a program that feeds the model does.
func (d *decoder) roundInput(v declared) {
	format, ok := narrowFormats[v.element]
	if !ok {
		return
	}
	d.graph.Input = d.freshTensor(v.name + "_wide")
	d.inner[d.graph.Input] = d.graph.InputShape
	d.elements[v.name] = v.element
	d.put(d.fresh(v.name+"_cast"), &nn.Unary{Function: format.function}, v.name, d.graph.InputShape, d.graph.Input)
}

// roundNarrow rounds the elements of a computed constant of 16 bits to its format.
func (v *value) roundNarrow() {
	format, ok := narrowFormats[v.element]
	if !ok {
		return
	}
	for i, x := range v.floats {
		if r := float32(format.Round(float64(x))); r != x {
			v.floats[i] = r
		}
	}
}

// converted casts a constant. Floats are cut to integers towards zero, and where they
// are out of range, which ONNX leaves open, to the nearest there is; NaN is 0.
// Integers wrap around. Floats of 16 bits are rounded by setOutput.
func (c *constants) converted(v *value, to int64) *value {
	kind, ok := kindOf(to)
	unsupportedIf(!ok, "a cast to %s", typeName(to))
	if _, narrow := narrowFormats[to]; kind == isFloat && v.kind == isFloat && !narrow {
		out := v.reshaped(v.shape)
		out.element = to
		return out
	}
	out := c.blank(to, v.shape)
	for i, x := range v.floats {
		if kind == isFloat {
			out.floats[i] = x
		} else {
			out.ints[i] = fromFloat(float64(x), to)
		}
	}
	for i, x := range v.ints {
		if kind == isFloat {
			out.floats[i] = float32(x)
		} else {
			out.ints[i] = elementTypes[to].wrap(x)
		}
	}
	return out
}

// fromFloat casts a float to an integer type or bool.
func fromFloat(x float64, to int64) int64 {
	if to == typeBool {
		if x != 0 {
			return 1
		}
		return 0
	}
	if x != x {
		return 0
	}
	t := elementTypes[to]
	bits := 8 * t.size
	low, high := int64(math.MinInt64)>>(64-bits), int64(math.MaxInt64)>>(64-bits)
	if !t.signed {
		low, high = 0, max(high, high<<1|1)
	}
	switch x = math.Trunc(x); {
	case x <= float64(low):
		return low
	case x >= float64(high):
		return high
	}
	return int64(x)
}
