package onnx

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// reshape keeps the batch, for which 0 stands.
func (e *encoder) reshape(name, from, to string, shape []int) {
	if slices.Contains(shape, 0) {
		panic(unsupportedf("shape %v is empty, which cannot be written with an open batch", shape))
	}
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

// pad writes as lists of indices what Pad-13 does not have: wrapping, and reflecting
// more than once or what is cropped at the other end.
func (e *encoder) pad(n *nn.Node, op *nn.Pad, in []int) {
	mode := op.Mode
	if mode == "" {
		mode = "constant"
	}
	if mode == "wrap" || mode != "constant" && !padsSimply(op, in) {
		e.padByIndices(n, op, in)
		return
	}
	inputs := []string{n.Inputs[0], e.ints(n.Name+".pads", slices.Concat(withBatch(0, op.Before), withBatch(0, op.After))...)}
	if mode == "constant" {
		inputs = append(inputs, e.mask(&nn.Param{Data: []float32{float32(op.Value)}}, n.Name+".value"))
	}
	e.emit("Pad", inputs, n.Output, n.Name, given{"mode", mode})
}

// padsSimply reports whether each end gets fewer entries than there are and none is
// cropped.
func padsSimply(op *nn.Pad, in []int) bool {
	for d, n := range in {
		if min(op.Before[d], op.After[d]) < 0 || max(op.Before[d], op.After[d]) >= max(n, 1) {
			return false
		}
	}
	return true
}

// padByIndices gathers along each dimension in turn, at the places that padding them gives.
func (e *encoder) padByIndices(n *nn.Node, op *nn.Pad, in []int) {
	x := n.Inputs[0]
	for d, size := range in {
		if op.Before[d] == 0 && op.After[d] == 0 {
			continue
		}
		places := make([]float64, size)
		for i := range places {
			places[i] = float64(i)
		}
		padded, err := nn.Evaluate64(&nn.Pad{Before: op.Before[d : d+1], After: op.After[d : d+1], Mode: op.Mode}, [][]float64{places}, []int{size})
		if err != nil {
			panic(unsupportedf("%v", err))
		}
		var index []int
		for _, place := range padded {
			index = append(index, int(place))
		}
		name := fmt.Sprintf("%s.%d", n.Name, d)
		y := e.fresh(name)
		e.emit("Gather", []string{x, e.ints(name+".indices", index...)}, y, name, given{"axis", d + 1})
		x = y
	}
	e.emit("Identity", []string{x}, n.Output, n.Name)
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
