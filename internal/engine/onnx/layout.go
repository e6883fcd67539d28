package onnx

import (
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// reshape is ONNX Reshape-21.
func (r *nodeReader) reshape() {
	x := r.operand(0)
	x.end(0, reshapedTo(x.shape, r.ints(1), r.flag("allowzero", false)))
}

// reshapedTo returns the shape that Reshape makes of one: 0 keeps a size, unless it may be
// a size itself, and one −1 is the size that is left.
func reshapedTo(from []int, to []int64, allowZero bool) []int {
	malformedIf(len(to) > maxDims, "over %d dimensions", maxDims)
	impossible := malformedf("shape %v cannot be reshaped to %v", from, to)
	shape, open := make([]int, len(to)), -1
	for i, s := range to {
		switch {
		case s == -1 && open < 0:
			open, shape[i] = i, 1
		case s == 0 && !allowZero && i < len(from):
			shape[i] = from[i]
		case s < 0 || s == 0 && !allowZero:
			panic(impossible)
		default:
			shape[i] = int(s)
		}
	}
	total := nn.Size(from)
	known, ok := nn.SizeWithin(shape, math.MaxInt)
	if ok && open >= 0 && known > 0 && total%known == 0 {
		shape[open], known = total/known, total
	} else if open >= 0 {
		ok = false
	}
	if !ok || known != total {
		panic(impossible)
	}
	return shape
}

// flatten is ONNX Flatten-13: the dimensions before the axis, by those from it on.
func (r *nodeReader) flatten() {
	x, a := r.operand(0), r.int("axis", 1)
	rank := int64(len(x.shape))
	malformedIf(a < -rank || a > rank, "axis %d of %d dimensions", a, rank)
	axis := clampIndex(a, rank, 0, rank)
	shape := []int{nn.Size(x.shape[:axis]), nn.Size(x.shape[axis:])}
	if axis == 1 && x.shape[0] == 1 {
		x.inner().then(nn.Flatten()).end(0, shape)
		return
	}
	x.end(0, shape)
}

// squeeze is ONNX Squeeze-13: it drops the given dimensions, or all of size 1.
func (r *nodeReader) squeeze() {
	x := r.operand(0)
	list, given := r.list("axes", 1)
	axes := axesOf(list, len(x.shape))
	var shape []int
	for a, s := range x.shape {
		drop := slices.Contains(axes, a)
		malformedIf(drop && s != 1, "axis %d of shape %v is not of size 1", a, x.shape)
		if !drop && (given || s != 1) {
			shape = append(shape, s)
		}
	}
	x.end(0, shape)
}

// unsqueeze is ONNX Unsqueeze-13: it inserts dimensions of size 1, at these axes of the
// output.
func (r *nodeReader) unsqueeze() {
	x := r.operand(0)
	list, given := r.list("axes", 1)
	rank := len(x.shape) + len(list)
	malformedIf(!given || rank > maxDims, "the axes are missing, or more than %d dimensions result", maxDims)
	axes := axesOf(list, rank)
	slices.Sort(axes)
	shape := slices.Clone(x.shape)
	for _, axis := range axes {
		shape = slices.Insert(shape, axis, 1)
	}
	x.end(0, shape)
}

// transpose is ONNX Transpose-13; without perm the dimensions are reversed.
func (r *nodeReader) transpose() {
	x := r.operand(0)
	rank := len(x.shape)
	list, given := r.list("perm", -1)
	perm := axesOrAll(list, given, rank)
	if !given {
		slices.Reverse(perm)
	}
	shape := outputShape(&nn.Transpose{Perm: perm}, x.shape)
	if rank > 0 && perm[0] == 0 && x.shape[0] == 1 {
		x.inner().transpose(shifted(perm[1:], 1)).end(0, shape)
		return
	}
	x.transpose(perm).end(0, shape)
}

// expand is ONNX Expand-13: input and shape broadcast both ways.
func (r *nodeReader) expand() {
	x := r.operand(0)
	shape := broadcast(x.shape, sizesOfDims(r.ints(1)))
	r.mustFit(shape)
	if slices.Equal(inner(shape), inner(x.shape)) {
		x.end(0, shape)
		return
	}
	malformedIf(slices.Contains(shape, 0) && r.scratch == nil, "the expanded shape %v is empty", shape)
	to := inner(shape)
	c := x.inner()
	c = c.as(slices.Concat(slices.Repeat([]int{1}, len(to)-len(c.shape)), c.shape))
	for a, n := range to {
		if n != c.shape[a] {
			c = c.repeated(a, n)
		}
	}
	c.end(0, shape)
}

// repeated repeats an axis whole, as often as times says.
func (c *view) repeated(axis, times int) *view {
	if times == 1 {
		return c
	}
	n := c.shape[axis]
	indices := make([]int, n*times)
	for i := range indices {
		indices[i] = i % n
	}
	return c.then(&nn.Gather{Axis: axis, Indices: indices, Dims: []int{n * times}})
}

// tile is ONNX Tile-13: it repeats along each dimension.
func (r *nodeReader) tile() {
	x, repeats := r.operand(0), sizesOfDims(r.ints(1))
	malformedIf(len(repeats) != len(x.shape), "%d repeats of %d dimensions", len(repeats), len(x.shape))
	shape := make([]int, len(repeats))
	var axes []int
	for a, n := range repeats {
		malformedIf(x.shape[a] > 0 && n > maxActivation/x.shape[a], "repeats %v of shape %v", repeats, x.shape)
		if shape[a] = n * x.shape[a]; n != 1 {
			axes = append(axes, a)
		}
	}
	r.mustFit(shape)
	c, shift := x.along(axes...)
	for _, a := range axes {
		c = c.repeated(a-shift, repeats[a])
	}
	c.end(0, shape)
}

// trilu is ONNX Trilu-14: it keeps one triangle of the last two dimensions.
func (r *nodeReader) trilu() {
	x, upper, k := r.operand(0), r.flag("upper", true), 0
	if r.has(1) {
		k = int(r.oneInt(1))
	}
	rank := len(x.shape)
	malformedIf(rank < 2, "an input of %d dimensions: it must have at least 2", rank)
	rows, cols := x.shape[rank-2], x.shape[rank-1]
	r.claim(rows * cols)
	mask := &nn.Param{Shape: []int{rows, cols}, Data: make([]float32, rows*cols)}
	for i := range mask.Data {
		if above := i%cols - i/cols; upper && above >= k || !upper && above <= k {
			mask.Data[i] = 1
		}
	}
	x.then(&nn.Where{Condition: mask, Else: scalar(0)}).end(0, x.shape)
}

// blocks reads the size of the blocks between depth and space.
func (r *nodeReader) blocks() (x *view, size int) {
	x = r.operand(0)
	n := r.int("blocksize", 0)
	malformedIf(len(x.shape) != 4 || n < 1 || n > maxWindow, "blocks of %d in shape %v", n, x.shape)
	return x, int(n)
}

// depthToSpace spreads channels over blocks of pixels (DepthToSpace-13); the place in the
// block is the slower part of the channel in mode DCR, and the faster in CRD.
func (r *nodeReader) depthToSpace() {
	x, b := r.blocks()
	mode, s := r.text("mode", "DCR"), x.shape
	malformedIf(s[1]%(b*b) != 0 || mode != "DCR" && mode != "CRD", "mode %q, blocks of %d in shape %v", mode, b, s)
	depth := s[1] / (b * b)
	c := x.inner()
	if mode == "CRD" {
		c = c.as([]int{s[0] * depth, b, b, s[2], s[3]}).transpose([]int{0, 3, 1, 4, 2})
	} else {
		c = c.as([]int{s[0], b, b, depth, s[2], s[3]}).transpose([]int{0, 3, 4, 1, 5, 2})
	}
	c.end(0, []int{s[0], depth, s[2] * b, s[3] * b})
}

// spaceToDepth is the inverse of depthToSpace in mode DCR.
func (r *nodeReader) spaceToDepth() {
	x, b := r.blocks()
	s := x.shape
	malformedIf(s[2]%b != 0 || s[3]%b != 0, "blocks of %d in shape %v", b, s)
	c := x.as([]int{s[0], s[1], s[2] / b, b, s[3] / b, b})
	c.transpose([]int{0, 3, 5, 1, 2, 4}).end(0, []int{s[0], s[1] * b * b, s[2] / b, s[3] / b})
}

// pad is ONNX Pad-21: it adds to the ends of dimensions, or crops where pads are negative;
// before opset 11 the pads and the value are attributes.
func (r *nodeReader) pad() {
	x, op, mode := r.operand(0), &nn.Pad{}, r.text("mode", "constant")
	list, _ := r.list("pads", 1)
	axes := nn.Indices(len(x.shape))
	if r.has(3) {
		axes = axesOf(r.ints(3), len(x.shape))
	}
	malformedIf(len(list) != 2*len(axes), "%d pads of %d axes: there must be two of each", len(list), len(axes))
	shape := slices.Clone(x.shape)
	op.Before, op.After = make([]int, len(shape)), make([]int, len(shape))
	var changed []int
	for i, a := range axes {
		before, after, size := list[i], list[i+len(axes)], int64(x.shape[a])
		malformedIf(max(before, after) > maxActivation || min(before, after) < -maxActivation || size+before+after < 0,
			"pads %v of shape %v", list, x.shape)
		op.Before[a], op.After[a] = int(before), int(after)
		shape[a] += int(before + after)
		if before != 0 || after != 0 {
			changed = append(changed, a)
		}
	}
	place := padModes[mode]
	malformedIf(place == nil && mode != "constant", "unknown mode %q", mode)
	r.mustFit(shape)
	for a, size := range x.shape {
		malformedIf(min(op.Before[a], op.After[a]) < -size, "pads %v of shape %v", list, x.shape)
	}
	c, shift := x.along(changed...)
	switch {
	case place != nil:
		for _, a := range changed {
			c = c.padded(a-shift, op.Before[a], shape[a], op.After[a], place)
		}
	case len(changed) > 0:
		op.Before, op.After, op.Value = op.Before[shift:], op.After[shift:], r.limit("value", 0)
		if r.has(2) {
			op.Value = r.oneFloat(2)
		}
		c = c.then(op)
	}
	c.end(0, shape)
}

// padModes say which of n entries stands at place i of a padded dimension, whose entry 0 is the
// first.
var padModes = map[string]func(i, n int) int{
	"edge": func(i, n int) int { return min(max(i, 0), n-1) },
	"wrap": modulo,
	"reflect": func(i, n int) int {
		i = modulo(i, max(2*n-2, 1))
		return min(i, 2*n-2-i)
	},
}

// modulo returns i modulo n, not negative.
func modulo(i, n int) int { return (i%n + n) % n }

// padded adds entries to a dimension of the given size: before its first entry and after its last one. Negative
// numbers remove entries instead, and that is done first.
func (c *view) padded(axis, before, size, after int, place func(i, n int) int) *view {
	first := max(0, -before) // of the entries kept
	kept := c.shape[axis] - first - max(0, -after)
	malformedIf(kept == 0 && size > 0, "nothing is left of dimension %d of shape %v to pad with", axis, c.shape)
	c.r.claim(size)
	index := make([]int, size)
	for i := range index {
		index[i] = first + place(i-max(0, before), kept)
	}
	return c.then(&nn.Gather{Axis: axis, Indices: index, Dims: []int{size}})
}
