package onnx

import (
	"math"

	"tattle/nn"
)

func unaryOperators() map[string]operator {
	m := map[string]operator{
		"Celu":            {alpha("Celu", 1), []string{"alpha"}},
		"Clip":            {(*decoder).clip, []string{"max", "min"}},
		"Elu":             {alpha("Elu", 1), []string{"alpha"}},
		"Gelu":            {(*decoder).gelu, []string{"approximate"}},
		"HardSigmoid":     {alphaBeta("HardSigmoid", "alpha", .2, "beta", .5), []string{"alpha", "beta"}},
		"LeakyRelu":       {(*decoder).leakyReLU, []string{"alpha"}},
		"Log":             {plain(&nn.Log{}), nil},
		"PRelu":           {(*decoder).prelu, nil},
		"Relu":            {plain(&nn.ReLU{}), nil},
		"Selu":            {alphaBeta("Selu", "alpha", seluAlpha, "gamma", seluGamma), []string{"alpha", "gamma"}},
		"Swish":           {alpha("Swish", 1), []string{"alpha"}},
		"ThresholdedRelu": {alpha("ThresholdedRelu", 1), []string{"alpha"}},
	}
	for _, f := range []string{"Abs", "Ceil", "Cos", "Erf", "Exp", "Floor", "HardSwish", "Mish", "Neg", "Not", "Reciprocal", "Round",
		"Sigmoid", "Sign", "Sin", "Softplus", "Softsign", "Sqrt", "Tanh"} {
		m[f] = operator{alpha(f, 0), nil}
	}
	return m
}

// The defaults of Selu-6.
const (
	seluAlpha = 1.67326319217681884765625
	seluGamma = 1.05070102214813232421875
)

// unary adds an operator of one activation, elementwise.
func (d *decoder) unary(n *node, op nn.Op) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	return d.chain(n, x).then(op).end(0, x.shape)
}

func plain(op nn.Op) func(*decoder, *node) error {
	return func(d *decoder, n *node) error { return d.unary(n, op) }
}

// alpha reads a function with at most one setting.
func alpha(function string, absent float64) func(*decoder, *node) error {
	return func(d *decoder, n *node) error {
		a, err := n.float("alpha", absent)
		if err != nil {
			return err
		}
		return d.unary(n, &nn.Unary{Function: function, Alpha: a})
	}
}

// alphaBeta reads a function with two.
func alphaBeta(function, first string, a float64, second string, b float64) func(*decoder, *node) error {
	return func(d *decoder, n *node) error {
		a, err := n.float(first, a)
		if err != nil {
			return err
		}
		b, err := n.float(second, b)
		if err != nil {
			return err
		}
		return d.unary(n, &nn.Unary{Function: function, Alpha: a, Beta: b})
	}
}

func (d *decoder) leakyReLU(n *node) error {
	slope, err := n.float("alpha", 0.01)
	if err != nil {
		return err
	}
	return d.unary(n, &nn.LeakyReLU{Slope: slope})
}

func (d *decoder) gelu(n *node) error {
	how, err := n.text("approximate", "none")
	if err != nil {
		return err
	}
	switch how {
	case "none":
		return d.unary(n, &nn.Unary{Function: "Gelu"})
	case "tanh":
		return d.unary(n, &nn.Unary{Function: "GeluTanh"})
	}
	return malformed("approximate is %q", how)
}

// clip has its limits as attributes before opset 11, as inputs from there on. Where
// they are the wrong way round, all is the upper one.
func (d *decoder) clip(n *node) error {
	low, err := n.limit("min", -math.MaxFloat32)
	if err != nil {
		return err
	}
	high, err := n.limit("max", math.MaxFloat32)
	if err != nil {
		return err
	}
	for i, limit := range []*float64{&low, &high} {
		o, ok, err := d.optional(n, i+1)
		switch {
		case err != nil:
			return err
		case !ok:
			continue
		case o.value == nil:
			return d.clipComputed(n)
		}
		if *limit, err = d.clipLimit(n, i+1); err != nil {
			return err
		}
	}
	low, high = min(max(low, -math.MaxFloat32), math.MaxFloat32), min(max(high, -math.MaxFloat32), math.MaxFloat32)
	return d.unary(n, &nn.Unary{Function: "Clip", Alpha: min(low, high), Beta: high})
}

// clipLimit returns the node's input i, one number.
func (d *decoder) clipLimit(n *node, i int) (float64, error) {
	v, err := d.constantFloats(n, i)
	if err != nil {
		return 0, err
	}
	if len(v.floats) != 1 {
		return 0, malformed("input %q has %d values, not one", v.name, len(v.floats))
	}
	return shortest(v.floats[0]), v.numbers()
}

// clipComputed is min(max(x, low), high) where a limit is an activation.
func (d *decoder) clipComputed(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	c := d.chain(n, x)
	for i, operator := range []string{"Max", "Min"} {
		limit, ok, err := d.optional(n, i+1)
		switch {
		case err != nil:
			return err
		case !ok:
			continue
		case nn.Size(limit.shape) != 1:
			return malformed("input %q has shape %v, not one value", limit.tensor, limit.shape)
		case limit.value != nil:
			c = c.constant(operator, limit, false, x.shape)
		default:
			c = c.with(operator, d.chain(n, limit).view([]int{}))
		}
	}
	return c.end(0, x.shape)
}

// prelu multiplies what is negative by slopes, which broadcast to it.
func (d *decoder) prelu(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	slope, err := d.operand(n, 1)
	if err != nil {
		return err
	}
	shape, err := broadcast(x.shape, slope.shape)
	if err != nil {
		return err
	}
	if len(shape) != len(x.shape) || nn.Size(shape) != nn.Size(x.shape) {
		return malformed("slopes of shape %v do not broadcast to %v", slope.shape, x.shape)
	}
	if slope.value != nil {
		p, err := broadcastable(slope.value, len(x.inner()), d.param)
		if err != nil {
			return err
		}
		return d.chain(n, x).then(&nn.PRelu{Slope: p}).end(0, x.shape)
	}
	negative := d.chain(n, x).number("Min", 0).with("Mul", d.chain(n, slope))
	return d.chain(n, x).then(&nn.ReLU{}).with("Add", negative).end(0, shape)
}
