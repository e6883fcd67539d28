package onnx

import (
	"tattle/internal/float16"
	"tattle/nn"
)

// Casts to float16 and bfloat16 round, and are computed as the file has them: the
// rounding is part of the function that is certified. Arithmetic in these formats is
// not read, for its results depend on how a runtime rounds within an operator.

// narrowFormats are the types of 16 bits, and the function that rounds to each.
var narrowFormats = map[int64]struct {
	float16.Format
	function string
}{
	typeFloat16:  {float16.Half, "Float16"},
	typeBfloat16: {float16.Brain, "BFloat16"},
}

// narrowOps are the operators that are read of such numbers: they move, choose or
// compare them, or change their signs, which needs no rounding. It is true for those
// whose results are of the format, too.
var narrowOps = map[string]bool{
	"Cast": false, "CastLike": false,
	"Equal": false, "Greater": false, "GreaterOrEqual": false, "Less": false, "LessOrEqual": false,
	"Abs": true, "Ceil": true, "Clip": true, "Concat": true, "DepthToSpace": true, "Dropout": true, "Expand": true, "Flatten": true,
	"Floor": true, "Gather": true, "GatherElements": true, "GatherND": true, "GlobalMaxPool": true, "Hardmax": true, "Identity": true,
	"Max": true, "MaxPool": true, "Min": true, "Neg": true, "Pad": true, "ReduceMax": true, "ReduceMin": true, "Relu": true, "Reshape": true,
	"Round": true, "Scatter": true, "ScatterElements": true, "ScatterND": true, "Sign": true, "Slice": true, "SpaceToDepth": true,
	"Split": true, "Squeeze": true, "Tile": true, "Transpose": true, "Trilu": true, "Unsqueeze": true, "Where": true,
}

// readTyped reads a node, and notes which of its outputs are of 16 bits.
func (d *decoder) readTyped(n *node, op operator) error {
	var element int64
	for _, in := range n.inputs {
		element = max(element, d.narrow[in])
	}
	keeps, exact := narrowOps[n.op]
	if element != 0 && !exact {
		return beyond("computes in %s, whose result depends on how a runtime rounds inside: export the model in float32; casts to %s are computed", typeName(element), typeName(element))
	}
	if element != 0 && keeps {
		for _, out := range n.outputs {
			d.narrow[out] = element
		}
	}
	if d.readsIntegers(n) {
		return d.readIntegers(n, op)
	}
	return op.read(d, n)
}

// round adds the rounding of an activation to a type of 16 bits.
func (d *decoder) round(n *node, element int64) error {
	d.narrow[n.outputs[0]] = element
	return d.unary(n, &nn.Unary{Function: narrowFormats[element].function})
}

// widenBack reads a cast to a wider float, which changes nothing: where a rounding has no
// other reader, its output takes the name.
func (d *decoder) widenBack(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	before := d.made[x.tensor]
	if d.narrow[x.tensor] == 0 || before == nil || d.uses[x.tensor] != 1 || x.tensor == d.graph.Output {
		return d.identity(n)
	}
	if u, ok := before.Op.(*nn.Unary); !ok || u.Function != narrowFormats[d.narrow[x.tensor]].function {
		return d.identity(n)
	}
	out := n.outputs[0]
	before.Output = out
	d.made[out], d.shapes[out], d.inners[out] = before, x.shape, d.inners[x.tensor]
	delete(d.made, x.tensor)
	return nil
}

// roundInput rounds an input of 16 bits as whoever feeds the model does.
func (d *decoder) roundInput(v declared) {
	format, ok := narrowFormats[v.element]
	if !ok {
		return
	}
	d.graph.Input = d.freshTensor(v.name + "_wide")
	d.inners[d.graph.Input] = d.graph.InputShape
	d.narrow[v.name] = v.element
	d.put(d.fresh(v.name+"_cast"), &nn.Unary{Function: format.function}, v.name, d.graph.InputShape, []string{d.graph.Input})
}

// roundNarrow takes the elements of a constant of 16 bits to its format.
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
