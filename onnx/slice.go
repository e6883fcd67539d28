package onnx

import (
	"math"
	"slices"

	"tattle/nn"
)

// slicing says which entries a slice has of each dimension.
type slicing struct{ starts, steps, counts []int }

// allOf returns the slice that has everything.
func allOf(shape []int) slicing {
	return slicing{make([]int, len(shape)), slices.Repeat([]int{1}, len(shape)), slices.Clone(shape)}
}

// limit leaves of a dimension what ONNX Slice-13 does: bounds may count from the end, and
// are clamped.
func (s *slicing) limit(axis int, start, end, step int64) {
	if step == 0 {
		panic(malformedf("a step of 0"))
	}
	size := int64(s.counts[axis])
	low, high := int64(0), size
	if step < 0 {
		low, high = -1, size-1
	}
	clamp := func(i int64) int64 {
		if i < 0 {
			i += size
		}
		return min(max(i, low), high)
	}
	start, end = clamp(start), clamp(end)
	count := int64(0)
	switch {
	case step > 0 && start < end:
		count = (end-start-1)/step + 1
	case step == math.MinInt64 && start > end:
		count = 1
	case step < 0 && start > end:
		count = (start-end-1)/-step + 1
	default:
		start = 0
	}
	if count <= 1 { // else the step may be of any size
		step = 1
	}
	s.starts[axis], s.steps[axis], s.counts[axis] = int(start), int(step), int(count)
}

// slice is ONNX Slice-13; before opset 10 the bounds are attributes.
func (r *nodeReader) slice() {
	x := r.operand(0)
	var lists [4][]int64
	var given [4]bool
	for i, name := range []string{"starts", "ends", "axes", "steps"} {
		lists[i], given[i] = r.list(name, i+1)
	}
	starts, ends, by := lists[0], lists[1], lists[3]
	n := len(starts)
	if !given[0] || !given[1] || n > maxDims {
		panic(malformedf("starts or ends are missing, or more than %d", maxDims))
	}
	axes := countUp(min(n, len(x.shape)))
	if given[2] {
		axes = axesOf(lists[2], len(x.shape))
	}
	if !given[3] {
		by = slices.Repeat([]int64{1}, n)
	}
	if n != len(ends) || n != len(axes) || n != len(by) {
		panic(malformedf("%d starts, %d ends, %d axes and %d steps: their numbers must be equal", n, len(ends), len(axes), len(by)))
	}
	s := allOf(x.shape)
	for i, axis := range axes {
		s.limit(axis, starts[i], ends[i], by[i])
	}
	r.sliced(x, s, 0)
}

// sliced makes a slice an output of the node.
func (r *nodeReader) sliced(x operand, s slicing, out int) {
	if x.value != nil {
		by, first := steps(x.shape), 0
		for d, step := range s.steps {
			first += s.starts[d] * by[d]
			by[d] *= step
		}
		r.setOutput(out, r.strided(x.value, s.counts, by, first))
		return
	}
	op := &nn.Slice{Starts: s.starts, Steps: s.steps, Counts: s.counts}
	switch {
	case slices.Equal(s.counts, x.shape) && !slices.ContainsFunc(s.steps, func(n int) bool { return n < 0 }):
		r.chain(x).end(out, x.shape)
	case len(x.shape) > 0 && x.shape[0] == 1 && s.counts[0] == 1:
		op = &nn.Slice{Starts: s.starts[1:], Steps: s.steps[1:], Counts: s.counts[1:]}
		r.chain(x).then(op).end(out, s.counts)
	default:
		r.whole(x).then(op).end(out, s.counts)
	}
}

// split is ONNX Split-18: one part for each output, of given sizes or equal ones.
func (r *nodeReader) split() {
	x := r.operand(0)
	axis := r.axis(0, len(x.shape))
	size := int64(x.shape[axis])
	list, given := r.list("split", 1)
	if !given {
		list = r.equalParts(size)
	}
	left := size
	for _, n := range list {
		if n < 0 || n > left {
			left = -1
			break
		}
		left -= n
	}
	if left != 0 || len(list) != len(r.outputs) {
		panic(malformedf("a dimension of %d cannot be split into the %d given sizes for %d outputs", size, len(list), len(r.outputs)))
	}
	start := 0
	for out, n := range list {
		s := allOf(x.shape)
		s.starts[axis], s.counts[axis] = start, int(n)
		start += int(n)
		if r.outputs[out] != "" && r.usage.readers[r.outputs[out]] > 0 {
			r.sliced(x, s, out)
		}
	}
}

// equalParts returns the sizes of a Split that gives none; from opset 18 on the last may
// be smaller.
func (r *nodeReader) equalParts(size int64) []int64 {
	n := int64(len(r.outputs))
	if parts := r.int("num_outputs", n); parts != n || size%n != 0 && r.opset < 18 {
		panic(malformedf("a dimension of %d cannot be split into %d equal parts for %d outputs", size, parts, n))
	}
	each := (size + n - 1) / n
	var list []int64
	for range n {
		part := min(each, size)
		list, size = append(list, part), size-part
	}
	return list
}

// joining reads the axis of a Concat (ONNX Concat-13), its inputs and their joint shape.
func (r *nodeReader) joining() (all []operand, axis int, shape []int) {
	for i := range r.inputs {
		all = append(all, r.operand(i))
	}
	if len(all) == 0 {
		panic(malformedf("a Concat without inputs"))
	}
	first := all[0].shape
	if _, ok := r.attribute("axis"); !ok {
		panic(malformedf("attribute \"axis\" is missing"))
	}
	axis = r.axis(0, len(first))
	shape = slices.Clone(first)
	shape[axis] = 0
	for _, o := range all {
		ok := len(o.shape) == len(first)
		for d := 0; ok && d < len(first); d++ {
			ok = d == axis || o.shape[d] == first[d]
		}
		if !ok {
			panic(malformedf("shapes %v and %v cannot be joined along axis %d", first, o.shape, axis))
		}
		shape[axis] += o.shape[axis]
	}
	return all, axis, shape
}

// concat joins tensors, some of which may be constants.
func (r *nodeReader) concat() {
	all, axis, shape := r.joining()
	var chains []*chain
	shift := 0
	for _, o := range all {
		var c *chain
		c, shift = r.along(o, axis)
		chains = append(chains, c)
	}
	if len(chains) == 1 {
		chains[0].end(0, shape)
		return
	}
	chains[0].then(&nn.Concat{Axis: axis - shift}, chains[1:]...).end(0, shape)
}

func (r *nodeReader) foldConcat() {
	all, axis, shape := r.joining()
	first := all[0].value
	out, at := r.blank(first.element, shape), 0
	by, rows := steps(shape), nn.Size(shape[:axis])
	for _, o := range all {
		if o.value.kind != first.kind {
			panic(malformedf("types %s and %s cannot be joined", typeName(first.element), typeName(o.value.element)))
		}
		n := nn.Size(o.shape[axis:])
		for row := range rows {
			to := row*shape[axis]*by[axis] + at
			if n == 0 {
				break
			}
			if out.kind == isFloat {
				copy(out.floats[to:], o.value.floats[row*n:(row+1)*n])
			} else {
				copy(out.ints[to:], o.value.ints[row*n:(row+1)*n])
			}
		}
		at += n
	}
	r.set(out)
}

// pad is ONNX Pad-21: it adds to the ends of dimensions, or crops where pads are negative;
// before opset 11 the pads and the value are attributes.
func (r *nodeReader) pad() {
	x, op := r.operand(0), &nn.Pad{Mode: r.text("mode", "constant")}
	list, _ := r.list("pads", 1)
	axes := countUp(len(x.shape))
	if r.has(3) {
		axes = axesOf(r.ints(3), len(x.shape))
	}
	if len(list) != 2*len(axes) {
		panic(malformedf("%d pads of %d axes: there must be two of each", len(list), len(axes)))
	}
	shape := slices.Clone(x.shape)
	op.Before, op.After = make([]int, len(shape)), make([]int, len(shape))
	var changed []int
	for i, a := range axes {
		before, after, size := list[i], list[i+len(axes)], int64(x.shape[a])
		if max(before, after) > maxActivation || min(before, after) < -maxActivation || size+before+after < 0 {
			panic(malformedf("pads %v of shape %v", list, x.shape))
		}
		op.Before[a], op.After[a] = int(before), int(after)
		shape[a] += int(before + after)
		if before != 0 || after != 0 {
			changed = append(changed, a)
		}
	}
	if !slices.Contains([]string{"constant", "edge", "reflect", "wrap"}, op.Mode) {
		panic(malformedf("unknown mode %q", op.Mode))
	}
	if x.value != nil {
		r.set(r.paddedConstant(x.value, op, shape))
		return
	}
	r.mustFit(shape)
	for a, size := range x.shape {
		if min(op.Before[a], op.After[a]) < -size {
			panic(malformedf("pads %v of shape %v", list, x.shape))
		}
	}
	if op.Mode == "constant" {
		op.Mode, op.Value = "", r.padding()
	}
	c, shift := r.along(x, changed...)
	if len(changed) > 0 {
		op.Before, op.After = op.Before[shift:], op.After[shift:]
		c = c.then(op)
	}
	c.end(0, shape)
}

// padding returns the value that constant padding adds to an activation.
func (r *nodeReader) padding() float64 {
	if r.has(2) {
		return r.oneFloat(2)
	}
	return r.limit("value", 0)
}

// paddedConstant returns a padded constant.
func (r *nodeReader) paddedConstant(v *value, op *nn.Pad, shape []int) *value {
	total := 0
	for _, n := range shape {
		total += n
	}
	r.claim(total)
	sources := make([][]int, len(shape))
	for d, n := range v.shape {
		sources[d] = padSource(op.Mode, n, op.Before[d], shape[d])
	}
	filling := &value{kind: v.kind, floats: []float32{float32(r.float("value", 0))}}
	if v.kind != isFloat {
		filling.ints = []int64{int64(filling.floats[0])}
	}
	if r.has(2) {
		if filling = r.constant(2); filling.size() != 1 || filling.kind != v.kind {
			panic(malformedf("the padding is %s%v: it must be one %s", typeName(filling.element), filling.shape, typeName(v.element)))
		}
	}
	out := r.blank(v.element, shape)
	own, at := steps(v.shape), steps(shape)
	walk(shape, nil, func(i int, _ []int) {
		from, rest := 0, i
		for d := range shape {
			j := sources[d][rest/at[d]]
			rest %= at[d]
			if j < 0 {
				out.copyFrom(i, filling, 0)
				return
			}
			from += j * own[d]
		}
		out.copyFrom(i, v, from)
	})
	return out
}

// padSource returns for each place along a padded dimension of n entries which entry it
// has, −1 for the value that is added.
func padSource(mode string, n, before, size int) []int {
	from := make([]int, size)
	for i := range from {
		j := i - before
		switch {
		case j >= 0 && j < n:
		case mode == "constant":
			j = -1
		case n == 0:
			panic(malformedf("a dimension of size 0 cannot be padded by mode %q", mode))
		case mode == "edge":
			j = min(max(j, 0), n-1)
		case mode == "wrap":
			j = ((j % n) + n) % n
		case n == 1: // reflected
			j = 0
		default:
			period := 2 * (n - 1)
			if j = ((j % period) + period) % period; j >= n {
				j = period - j
			}
		}
		from[i] = j
	}
	return from
}
