package onnx

import (
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// reshape keeps the batch, for which 0 stands.
func (e *encoder) reshape(name, from, to string, shape []int) {
	unsupportedIf(slices.Contains(shape, 0), "shape %v is empty, which cannot be written with an open batch", shape)
	e.emit("Reshape", []string{from, e.ints(name+".shape", withBatch(0, shape)...)}, to, name)
}

// sliced returns the inputs of a Slice that name the dimensions that change, nil if none does.
func (e *encoder) sliced(n *nn.Node, op *nn.Slice, in []int) []string {
	var starts, ends, axes, steps []int
	for d, start := range op.Starts {
		step, many := 1, op.Counts[d]
		if op.Steps != nil {
			step = op.Steps[d]
		}
		if start == 0 && many == in[d] && (step == 1 || many <= 1) {
			continue
		}
		if many <= 1 {
			step = 1
		}
		end := start + step*many
		if end < 0 { // would count from the end
			end = math.MinInt64 + 1
		}
		starts, ends, axes, steps = append(starts, start), append(ends, end), append(axes, d+1), append(steps, step)
	}
	if len(axes) == 0 {
		return nil
	}
	return []string{
		e.ints(n.Name+".starts", starts...), e.ints(n.Name+".ends", ends...),
		e.ints(n.Name+".axes", axes...), e.ints(n.Name+".steps", steps...),
	}
}

// batchShape computes the shape of a batch of tensors, whose size is that of the model's
// input.
func (e *encoder) batchShape(name string, shape []int) (tensor string) {
	all, one, whole := e.fresh(name+".input_shape"), e.fresh(name+".batch"), e.fresh(name+".batch_shape")
	zero := e.ints(name+".first", 0)
	rest := e.ints(name+".dims", shape...)
	e.emit("Shape", []string{e.input}, all, all)
	e.emit("Gather", []string{all, zero}, one, one)
	e.emit("Concat", []string{one, rest}, whole, whole, given{"axis", 0})
	return whole
}
