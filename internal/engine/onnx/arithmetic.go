package onnx

import (
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// pairwise returns the reader of an operator of two inputs that broadcast.
func pairwise(operator string) func(*nodeReader) {
	return func(r *nodeReader) {
		a, b := r.operand(0), r.operand(1)
		if operator != "Pow" { // whose result has the base's type
			r.mustAgree(0, 1)
		}
		shape := broadcast(a.shape, b.shape)
		if a.value != nil && b.value == nil {
			b.inner().constant(operator, a, true, shape).end(0, shape)
			return
		}
		a.inner().combine(operator, b, shape).end(0, shape)
	}
}

// combine applies an operator to a view and an operand; the result has the ONNX shape.
func (c *view) combine(operator string, b *view, shape []int) *view {
	if b.value != nil {
		return c.constant(operator, b, false, shape)
	}
	return c.with(operator, b.inner())
}

// with applies an operator to two tensors.
func (c *view) with(operator string, b *view) *view {
	return c.then(&nn.Binary{Operator: operator}, b)
}

// constant applies an operator to a view and a constant; the result has the ONNX shape.
func (c *view) constant(operator string, k *view, first bool, shape []int) *view {
	parameter := c.r.param
	if operators()[operator].traits&infinite != 0 {
		parameter = c.r.mask
	}
	p := broadcastable(k.value, len(inner(shape)), parameter)
	return c.then(&nn.Binary{Operator: operator, Constant: p, ConstantFirst: first})
}

// broadcastable makes a constant a parameter of at most rank dimensions: if it
// has one more, that is the batch's.
func broadcastable(v *value, rank int, parameter func(*value, string, transform) *nn.Param) *nn.Param {
	if len(v.shape) <= rank {
		return parameter(asFloats(v), "", nil)
	}
	return parameter(asFloats(v), "inner", func(shape []int, x []float32) ([]int, []float32) { return inner(shape), x })
}

// operands returns all inputs, which must be of one kind, and their shapes.
func (r *nodeReader) operands() (all []*view, shapes [][]int) {
	malformedIf(len(r.inputs) == 0, "a node without inputs")
	for i := range r.inputs {
		all = append(all, r.operand(i))
		shapes = append(shapes, all[i].shape)
		r.mustAgree(0, i)
	}
	return all, shapes
}

// accumulate combines all inputs by an operator that commutes, an activation first.
func (r *nodeReader) accumulate(operator string) (c *view, shape []int) {
	all, shapes := r.operands()
	shape = broadcast(shapes...)
	if i := slices.IndexFunc(all, func(o *view) bool { return o.value == nil }); i > 0 {
		all[0], all[i] = all[i], all[0]
	}
	c = all[0].inner()
	so := all[0].shape
	for _, o := range all[1:] {
		so = broadcast(so, o.shape)
		c = c.combine(operator, o, so)
	}
	return c, shape
}

// several returns the reader of an operator of any number of inputs.
func several(operator string) func(*nodeReader) {
	return func(r *nodeReader) {
		c, shape := r.accumulate(operator)
		c.end(0, shape)
	}
}

func (r *nodeReader) mean() {
	c, shape := r.accumulate("Add")
	if n := len(r.inputs); n > 1 {
		c = c.number("Div", float64(n))
	}
	c.end(0, shape)
}

// where is ONNX Where-16: a choice between two inputs by a third.
func (r *nodeReader) where() {
	all := [3]*view{r.operand(0), r.operand(1), r.operand(2)}
	if r.scratch != nil {
		r.mustAgree(1, 2)
		r.scratch.element = r.constant(1).element
	}
	shape := broadcast(all[0].shape, all[1].shape, all[2].shape)
	op := &nn.Where{}
	var inputs []*view
	for i, p := range []**nn.Param{&op.Condition, &op.Then, &op.Else} {
		if all[i].value == nil {
			inputs = append(inputs, all[i].inner())
		} else {
			*p = broadcastable(all[i].value, len(inner(shape)), r.mask)
		}
	}
	inputs[0].then(op, inputs[1:]...).end(0, shape)
}

// mustAgree panics if two inputs that are computed at once are of different kinds.
func (r *nodeReader) mustAgree(i, j int) {
	if r.scratch == nil {
		return
	}
	a, b := r.constant(i), r.constant(j)
	malformedIf(a.kind != b.kind, "inputs have types %s and %s: they must be the same", typeName(a.element), typeName(b.element))
}

// mod is ONNX Mod-13 of constants: what is left of a quotient rounded down, or with fmod to zero.
func (r *nodeReader) mod() {
	a, b, fmod := r.operand(0), r.operand(1), r.flag("fmod", false)
	v := r.constant(0)
	malformedIf(v.kind == isFloat && !fmod, "fmod 0 of inputs of type %s", typeName(v.element))
	r.mustAgree(0, 1)
	q := a.inner().with("Div", b.inner())
	if fmod {
		q = q.truncated()
	} else {
		q = q.then(&nn.Unary{Function: "Floor"})
	}
	a.inner().with("Sub", q.with("Mul", b.inner())).end(0, broadcast(a.shape, b.shape))
}

// A compoundFunction is a function of one number that is read as several operators, with the attributes that are its settings a and b.
type compoundFunction struct {
	traits   traits
	settings []setting
	of       func(x *view, a, b float64) *view
}

func compounds() map[string]compoundFunction {
	return map[string]compoundFunction{
		"Celu": {0, []setting{{"alpha", 1}}, func(x *view, a, _ float64) *view { return x.exponentialUnit(1, a, a) }},
		"Elu":  {0, []setting{{"alpha", 1}}, func(x *view, a, _ float64) *view { return x.exponentialUnit(1, a, 1) }},
		"Selu": {0, []setting{{"alpha", 1.67326319218681884765625}, {"gamma", 1.05070102214813232421875}}, func(x *view, a, b float64) *view {
			return x.exponentialUnit(b, b*a, 1)
		}},
		"HardSigmoid": {0, []setting{{"alpha", .2}, {"beta", .5}}, func(x *view, a, b float64) *view {
			return x.number("Mul", a).number("Add", b).clipped(0, 1)
		}},
		"Mish": {of: func(x *view, _, _ float64) *view { return x.with("Mul", x.softplus().function("Tanh")) }},
		"Not":  {discrete, nil, func(x *view, _, _ float64) *view { return x.number("Equal", 0) }},
		"Reciprocal": {of: func(x *view, _, _ float64) *view {
			return x.then(&nn.Binary{Operator: "Div", Constant: scalar(1), ConstantFirst: true})
		}},
		"Softplus": {of: func(x *view, _, _ float64) *view { return x.softplus() }},
		"Softsign": {of: func(x *view, _, _ float64) *view { return x.with("Div", x.function("Abs").number("Add", 1)) }},
		"Swish": {0, []setting{{"alpha", 1}}, func(x *view, a, _ float64) *view {
			return x.with("Mul", x.number("Mul", a).function("Sigmoid"))
		}},
		"ThresholdedRelu": {0, []setting{{"alpha", 1}}, func(x *view, a, _ float64) *view {
			return x.number("Greater", a).then(&nn.Where{Else: scalar(0)}, x)
		}},
	}
}

// setting is an attribute of a function and its default.
type setting struct {
	name   string
	absent float64
}

// compound returns the reader of one of the compounds.
func compound(settings []setting, of func(x *view, a, b float64) *view) func(*nodeReader) {
	return func(r *nodeReader) {
		var v [2]float64
		for i, s := range settings {
			v[i] = r.float(s.name, s.absent)
		}
		x := r.operand(0)
		of(x.inner(), v[0], v[1]).end(0, x.shape)
	}
}

// function applies a function of nn.Unary without settings.
func (c *view) function(name string) *view { return c.then(&nn.Unary{Function: name}) }

func (c *view) clipped(low, high float64) *view {
	return c.then(&nn.Unary{Function: "Clip", Alpha: low, Beta: high})
}

// exponentialUnit is right·x where x > 0, else left·(e^(x/scale) − 1).
func (c *view) exponentialUnit(right, left, scale float64) *view {
	below := c.clipped(math.Inf(-1), 0).number("Div", scale).function("Exp").number("Sub", 1).number("Mul", left)
	return c.then(&nn.ReLU{}).number("Mul", right).with("Add", below)
}

// softplus is log(1 + e^x) = max(x, 0) − log σ(|x|), which no number overflows. Its derivative at 0 is ½,
// half of that of the maximum.
func (c *view) softplus() *view {
	return c.number("Max", 0).with("Sub", c.function("Abs").function("Sigmoid").function("Log"))
}

// geluTanh is x·σ(z), z = 2·√(2/π)·(x + .044715·x³), which is ½x·(1 + tanh(z/2)).
func (c *view) geluTanh() *view {
	const a = 2 * 0.7978845608028654 // 2·√(2/π)
	z := c.with("Mul", c.with("Mul", c).number("Mul", .044715*a).number("Add", a))
	return c.with("Mul", z.function("Sigmoid"))
}

// Functions of each entry of one input.

// elementwise returns the reader of an operator of package nn that keeps the shape.
func elementwise(op nn.Op) func(*nodeReader) {
	return func(r *nodeReader) { r.keepShape(op) }
}

// keepShape computes the output from input 0 by an operator that keeps the shape.
func (r *nodeReader) keepShape(op nn.Op) {
	x := r.operand(0)
	x.inner().then(op).end(0, x.shape)
}

func (r *nodeReader) leakyReLU() { r.keepShape(&nn.ReLU{Slope: r.float("alpha", 0.01)}) }

func (r *nodeReader) gelu() {
	switch approximate := r.text("approximate", "none"); approximate {
	case "none":
		r.keepShape(&nn.Unary{Function: "Gelu"})
	case "tanh":
		x := r.operand(0)
		x.inner().geluTanh().end(0, x.shape)
	default:
		panic(malformedf("attribute \"approximate\" is %q: it must be none or tanh", approximate))
	}
}

// dropout does nothing in inference; its probability is kept for training. One of
// ratio 0 may be in training mode: PyTorch leaves such in attention.
func (r *nodeReader) dropout() {
	p := r.float("ratio", 0.5)
	if r.has(1) {
		p = r.oneFloat(1)
	}
	if r.has(2) && p > 0 {
		for _, mode := range r.ints(2) {
			unsupportedIf(mode != 0, "training mode: export the model for inference")
		}
	}
	unsupportedIf(!(p >= 0 && p < 1), "ratio %v", p)
	r.keepShape(&nn.Dropout{P: p})
}

// clip has its limits as attributes before opset 11, as inputs from there on. Where
// they cross, the upper one holds.
func (r *nodeReader) clip() {
	limits := [2]float64{r.limit("min", -math.MaxFloat32), r.limit("max", math.MaxFloat32)}
	for i := range limits {
		o, ok := r.optional(i + 1)
		if ok && o.value == nil {
			r.clipComputed()
			return
		}
		if ok {
			limits[i] = r.oneFloat(i + 1)
		}
	}
	low, high := min(max(limits[0], -math.MaxFloat32), math.MaxFloat32), min(max(limits[1], -math.MaxFloat32), math.MaxFloat32)
	r.keepShape(&nn.Unary{Function: "Clip", Alpha: min(low, high), Beta: high})
}

// clipComputed is min(max(x, low), high) where a limit is an activation.
func (r *nodeReader) clipComputed() {
	x := r.operand(0)
	c := x.inner()
	for i, operator := range []string{"Max", "Min"} {
		limit, ok := r.optional(i + 1)
		switch {
		case !ok:
			continue
		case nn.Size(limit.shape) != 1:
			panic(malformedf("input %q has shape %v: it must be one value", limit.name(), limit.shape))
		case limit.value != nil:
			c = c.constant(operator, limit, false, x.shape)
		default:
			c = c.with(operator, limit.as([]int{}))
		}
	}
	c.end(0, x.shape)
}

// prelu multiplies what is negative by slopes, which broadcast to the input.
func (r *nodeReader) prelu() {
	x, slope := r.operand(0), r.operand(1)
	shape := broadcast(x.shape, slope.shape)
	malformedIf(len(shape) != len(x.shape) || nn.Size(shape) != nn.Size(x.shape),
		"slopes of shape %v do not broadcast to %v", slope.shape, x.shape)
	negative := x.inner().clipped(math.Inf(-1), 0).combine("Mul", slope, shape)
	x.inner().then(&nn.ReLU{}).with("Add", negative).end(0, shape)
}
