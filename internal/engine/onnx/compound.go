package onnx

import (
	"math"

	"tattle/internal/engine/nn"
)

// compounds are the functions of one number that are read as several operators, with the attributes
// that are their settings a and b.
var compounds = map[string]struct {
	traits   traits
	settings []setting
	of       func(x *chain, a, b float64) *chain
}{
	"Celu": {0, []setting{{"alpha", 1}}, func(x *chain, a, _ float64) *chain { return x.exponentialUnit(1, a, a) }},
	"Elu":  {0, []setting{{"alpha", 1}}, func(x *chain, a, _ float64) *chain { return x.exponentialUnit(1, a, 1) }},
	"Selu": {0, []setting{{"alpha", 1.67326319218681884765625}, {"gamma", 1.05070102214813232421875}}, func(x *chain, a, b float64) *chain {
		return x.exponentialUnit(b, b*a, 1)
	}},
	"HardSigmoid": {0, []setting{{"alpha", .2}, {"beta", .5}}, func(x *chain, a, b float64) *chain {
		return x.number("Mul", a).number("Add", b).clipped(0, 1)
	}},
	"Mish": {of: func(x *chain, _, _ float64) *chain { return x.with("Mul", x.softplus().function("Tanh")) }},
	"Not":  {discrete, nil, func(x *chain, _, _ float64) *chain { return x.number("Equal", 0) }},
	"Reciprocal": {of: func(x *chain, _, _ float64) *chain {
		return x.then(&nn.Binary{Operator: "Div", Constant: scalar(1), ConstantFirst: true})
	}},
	"Softplus": {of: func(x *chain, _, _ float64) *chain { return x.softplus() }},
	"Softsign": {of: func(x *chain, _, _ float64) *chain { return x.with("Div", x.function("Abs").number("Add", 1)) }},
	"Swish": {0, []setting{{"alpha", 1}}, func(x *chain, a, _ float64) *chain {
		return x.with("Mul", x.number("Mul", a).function("Sigmoid"))
	}},
	"ThresholdedRelu": {0, []setting{{"alpha", 1}}, func(x *chain, a, _ float64) *chain {
		return x.number("Greater", a).then(&nn.Where{Else: scalar(0)}, x)
	}},
}

// setting is an attribute of a function and its default.
type setting struct {
	name   string
	absent float64
}

// compound returns the reader of one of the compounds.
func compound(settings []setting, of func(x *chain, a, b float64) *chain) func(*nodeReader) {
	return func(r *nodeReader) {
		var v [2]float64
		for i, s := range settings {
			v[i] = r.float(s.name, s.absent)
		}
		x := r.operand(0)
		of(r.chain(x), v[0], v[1]).end(0, x.shape)
	}
}

// function applies a function of nn.Unary without settings.
func (c *chain) function(name string) *chain { return c.then(&nn.Unary{Function: name}) }

func (c *chain) clipped(low, high float64) *chain {
	return c.then(&nn.Unary{Function: "Clip", Alpha: low, Beta: high})
}

// exponentialUnit is right·x where x > 0, else left·(e^(x/scale) − 1).
func (c *chain) exponentialUnit(right, left, scale float64) *chain {
	below := c.clipped(math.Inf(-1), 0).number("Div", scale).function("Exp").number("Sub", 1).number("Mul", left)
	return c.then(&nn.ReLU{}).number("Mul", right).with("Add", below)
}

// softplus is log(1 + e^x) = max(x, 0) − log σ(|x|), which no number overflows. Its derivative at 0 is ½,
// half of that of the maximum.
func (c *chain) softplus() *chain {
	return c.number("Max", 0).with("Sub", c.function("Abs").function("Sigmoid").function("Log"))
}

// geluTanh is x·σ(z), z = 2·√(2/π)·(x + .044715·x³), which is ½x·(1 + tanh(z/2)).
func (c *chain) geluTanh() *chain {
	const a = 2 * 0.7978845608028654 // 2·√(2/π)
	z := c.with("Mul", c.with("Mul", c).number("Mul", .044715*a).number("Add", a))
	return c.with("Mul", z.function("Sigmoid"))
}
