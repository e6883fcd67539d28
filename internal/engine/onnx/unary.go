package onnx

import (
	"math"

	"tattle/internal/engine/nn"
)

// Functions of each entry of one input.

// elementwise returns the reader of an operator of package nn that keeps the shape.
func elementwise(op nn.Op) func(*nodeReader) {
	return func(r *nodeReader) { r.keepShape(op) }
}

// keepShape computes the output from input 0 by an operator that keeps the shape.
func (r *nodeReader) keepShape(op nn.Op) {
	x := r.operand(0)
	r.chain(x).then(op).end(0, x.shape)
}

func (r *nodeReader) leakyReLU() { r.keepShape(&nn.LeakyReLU{Slope: r.float("alpha", 0.01)}) }

func (r *nodeReader) gelu() {
	switch approximate := r.text("approximate", "none"); approximate {
	case "none":
		r.keepShape(&nn.Unary{Function: "Gelu"})
	case "tanh":
		x := r.operand(0)
		r.chain(x).geluTanh().end(0, x.shape)
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
	c := r.chain(x)
	for i, operator := range []string{"Max", "Min"} {
		limit, ok := r.optional(i + 1)
		switch {
		case !ok:
			continue
		case nn.Size(limit.shape) != 1:
			panic(malformedf("input %q has shape %v: it must be one value", limit.tensor, limit.shape))
		case limit.value != nil:
			c = c.constant(operator, limit, false, x.shape)
		default:
			c = c.with(operator, r.chain(limit).view([]int{}))
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
	negative := r.chain(x).clipped(math.Inf(-1), 0).combine("Mul", slope, shape)
	r.chain(x).then(&nn.ReLU{}).with("Add", negative).end(0, shape)
}
