package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

// images starts with [N, C, h, w], the height 1 if the input has none.
func (r *nodeReader) images(x *view) *view {
	c := x.inner()
	if len(x.shape) == 3 {
		c = c.as(slices.Insert(slices.Clone(c.shape), len(c.shape)-1, 1))
	}
	return c
}

// endImages makes computed images the node's output.
func (c *view) endImages(x *view) {
	s := c.shape[len(c.shape)-3:]
	shape := []int{x.shape[0], s[0], s[2]}
	if len(x.shape) == 4 {
		shape = []int{x.shape[0], s[0], s[1], s[2]}
	}
	c.end(0, shape)
}

// kernels returns the weight of a convolution as one of images, where depth is part
// of the channel, and the spatial shape that the file gives it.
func (r *nodeReader) kernels(x *view) (w *nn.Param, kernel []int) {
	v := r.floats(1)
	s := v.shape
	unsupportedIf(len(s) < 3 || len(s) > 5,
		"a weight of shape %v: only one to three spatial dimensions are supported", s)
	malformedIf(slices.Min(s) == 0 || slices.Max(s) > maxWindow, "weight %q has the impossible shape %v", v.name, s)
	malformedIf(len(s) != len(x.shape), "weight %q of shape %v does not fit an input of shape %v", v.name, s, x.shape)
	switch len(s) {
	case 3:
		w = r.param(v, "height 1", func(s []int, x []float32) ([]int, []float32) { return []int{s[0], s[1], 1, s[2]}, x })
	case 4:
		w = r.param(v, "", nil)
	case 5:
		w = r.param(v, "of volumes", func(s []int, x []float32) ([]int, []float32) { return []int{s[0], s[1] * s[2], s[3], s[4]}, x })
	}
	return w, s[2:]
}

// groups reads the number of groups of channels.
func (n *node) groups(channels int) int {
	g := n.int("group", 1)
	malformedIf(g < 1 || g > int64(channels), "%d groups of %d channels", g, channels)
	return int(g)
}

// conv is ONNX Conv-11, of one to three dimensions.
func (r *nodeReader) conv() {
	x := r.operand(0)
	weight, kernel := r.kernels(x)
	over := extents(x.shape)
	w := r.windows(x.shape, kernel, over[0])
	w.padSame()
	s := weight.Shape
	groups := r.groups(s[0])
	c := &nn.Conv2D{
		InChannels: s[1] * groups, OutChannels: s[0],
		Kernel: w.kernel, Stride: w.stride, Dilation: w.dilation, Pad: w.pad,
		Groups: groups, Weight: weight,
	}
	if r.has(2) {
		c.Bias = r.weight(2)
	}
	if w.rank == 3 {
		r.convVolume(x, c, kernel, over[1])
		return
	}
	r.images(x).then(c).endImages(x)
}

// convVolume convolves images whose channels are those of all the images that a kernel of
// some depth covers.
func (r *nodeReader) convVolume(x *view, conv *nn.Conv2D, kernel []int, depth extent) {
	w := r.windows(x.shape, kernel, depth)
	w.padSame()
	s, k := x.shape, w.kernel[0]
	free := s[2] + w.pad[0] + w.pad[2] - w.reach(0)
	malformedIf(free < 0,
		"a kernel of depth %d does not fit in %d padded by %d and %d", w.reach(0), s[2], w.pad[0], w.pad[2])
	out := free/w.stride[0] + 1
	r.claim(out * k)
	seen := &nn.Gather{Axis: 2, Dims: []int{out, k}}
	for o := range out {
		for i := range k {
			seen.Indices = append(seen.Indices, o*w.stride[0]+i*w.dilation[0])
		}
	}
	c := x
	if w.pad != [4]int{} {
		c = c.then(&nn.Pad{Before: []int{0, 0, w.pad[0], 0, 0}, After: []int{0, 0, w.pad[2], 0, 0}})
	}
	c = c.then(seen).transpose([]int{0, 2, 1, 3, 4, 5}).as([]int{s[0] * out, s[1] * k, s[3], s[4]}).then(conv)
	y := c.shape
	c = c.as([]int{s[0], out, y[1], y[2], y[3]}).transpose([]int{0, 2, 1, 3, 4})
	c.end(0, c.shape)
}

// convTranspose is ONNX ConvTranspose-11: the adjoint of a convolution, and a bias.
func (r *nodeReader) convTranspose() {
	x := r.operand(0)
	weight, kernel := r.kernels(x)
	over := extents(x.shape)
	unsupportedIf(len(over) > 1, "transposed convolutions of volumes")
	w := r.windows(x.shape, kernel, over[0])
	s := weight.Shape
	groups := r.groups(s[0])
	c := &nn.ConvTranspose{
		InChannels: s[0], OutChannels: s[1] * groups,
		Kernel: w.kernel, Stride: w.stride, Dilation: w.dilation,
		Groups: groups, Weight: weight,
	}
	r.outputSize(&w, &c.OutputPad)
	c.Pad = w.pad
	if r.has(2) {
		c.Bias = r.weight(2)
	}
	r.images(x).then(c).endImages(x)
}

// outputSize works out the paddings of a transposed convolution whose output
// size is given, or is the input's times the stride.
func (r *nodeReader) outputSize(w *window, extra *[2]int) {
	r.setting(w.extent, "output_padding", 0, extra)
	out := [2]int{w.in[0] * w.stride[0], w.in[1] * w.stride[1]}
	if !r.setting(w.extent, "output_shape", 1, &out) && !w.isSame() {
		return
	}
	for i := w.at; i < 2; i++ {
		total := w.stride[i]*(w.in[i]-1) + extra[i] + w.reach(i) - out[i]
		if total < 0 {
			extra[i], total = extra[i]-total, 0
		}
		unsupportedIf(total%2 != 0 && r.opset < 11 && !w.isSame(),
			"output_shape with an odd padding, where versions of ONNX differ on which side gets more")
		w.halve(i, total, w.auto != "SAME_UPPER")
		unsupportedIf(extra[i] > 0 && extra[i] >= max(w.stride[i], w.dilation[i]),
			"output_shape %v, which exceeds what the input reaches by the stride or more", w.list(&out))
	}
}

// pools applies the pool that op makes of its settings. One of volumes pools their images first
// and then along the depth, which is the same for largest entries and for means.
func (r *nodeReader) pools(op func(w *window) nn.Op) {
	x := r.operand(0)
	c, shape := x.inner(), slices.Clone(x.shape)
	for _, at := range extents(x.shape) {
		w := r.windows(shape, nil, at)
		w.padSame()
		pool, images := op(&w), []int{nn.Size(shape[:2+at.first]), w.in[0], w.in[1]}
		if _, err := pool.Shape(images); err != nil {
			panic(unsupportedf("%v", err))
		}
		c = c.as(images).then(pool)
		copy(shape[2+at.first:], at.list((*[2]int)(c.shape[1:])))
	}
	c.end(0, shape)
}

// fit pads behind as far as the last windows need, and no further.
func (r *nodeReader) fit(w *window) {
	ceil := r.flag("ceil_mode", false)
	for i, stride := range w.stride {
		padded := w.in[i] + w.pad[i]
		free := padded + w.pad[i+2] - w.reach(i)
		malformedIf(free < 0, "a kernel of %v does not fit in %v padded by %v", w.kernel, w.in, w.pad)
		last := free / stride // window
		if ceil && free%stride != 0 && (last+1)*stride < padded {
			last++ // it begins before the padding behind
		}
		r.claim(last)
		w.pad[i+2] = max(0, last*stride+w.reach(i)-padded)
	}
}

func (r *nodeReader) maxPool() {
	r.pools(func(w *window) nn.Op {
		r.fit(w)
		return &nn.MaxPool{Kernel: w.kernel, Stride: w.stride, Pad: w.pad, Dilation: w.dilation}
	})
}

func (r *nodeReader) averagePool() {
	include := r.flag("count_include_pad", false)
	r.pools(func(w *window) nn.Op {
		given := w.pad
		r.fit(w)
		unsupportedIf(include && (w.pad[2] > given[2] || w.pad[3] > given[3]),
			"count_include_pad where a window in ceil_mode reaches beyond the padding: versions of ONNX differ in what is counted")
		return &nn.AveragePool{Kernel: w.kernel, Stride: w.stride, Pad: w.pad, CountIncludePad: include, Dilation: w.dilation}
	})
}

// globalPool reduces each channel of [N, C, …] by a function.
func globalPool(function string) func(*nodeReader) {
	return func(r *nodeReader) {
		x := r.operand(0)
		malformedIf(len(x.shape) < 3, "an input of %d dimensions: it must have at least 3", len(x.shape))
		r.reduceOver(x, function, nn.Indices(len(x.shape))[2:], true)
	}
}

// extent says which of a node's spatial dimensions a window has.
type extent struct {
	rank  int // how many the node has
	first int // the first that the window has
	dims  int // how many the window has: 1 or 2
	at    int // index of the first in settings of two dimensions
}

// extents covers the spatial dimensions of a shape [N, C, …] by windows of two
// dimensions: those of a volume by one over height and width and one over depth.
func extents(shape []int) []extent {
	switch rank := len(shape) - 2; rank {
	case 1:
		return []extent{{1, 0, 1, 1}}
	case 2:
		return []extent{{2, 0, 2, 0}}
	case 3:
		return []extent{{3, 1, 2, 0}, {3, 0, 1, 0}}
	default:
		panic(unsupportedf("%d spatial dimensions: only one to three are supported", max(rank, 0)))
	}
}

// window has the settings that convolutions and pools share, in two dimensions: a single
// dimension has height 1, and beside a volume's depth the width is all that follows.
type window struct {
	extent
	in                       [2]int
	kernel, stride, dilation [2]int
	pad                      [4]int // top, left, bottom, right
	auto                     string
}

// list returns the part of a setting that is for the window's dimensions.
func (p extent) list(x *[2]int) []int { return x[p.at : p.at+p.dims] }

// windows reads the attributes. shape is the input's, [N, C, …], and kernel the weight's,
// nil for a pool.
func (n *node) windows(shape, kernel []int, p extent) (w window) {
	w = window{extent: p, kernel: [2]int{1, 1}, stride: [2]int{1, 1}, dilation: [2]int{1, 1}}
	behind := nn.Size(shape[2+p.first+p.dims:])
	w.in = [2]int{behind, behind}
	copy(w.list(&w.in), shape[2+p.first:])
	if kernel != nil {
		kernel = kernel[p.first : p.first+p.dims]
		copy(w.list(&w.kernel), kernel)
	}
	given := n.setting(p, "kernel_shape", 1, &w.kernel)
	switch {
	case given && kernel != nil && !slices.Equal(w.list(&w.kernel), kernel):
		panic(malformedf("attribute \"kernel_shape\" is %v, but the weight has %v", w.list(&w.kernel), kernel))
	case !given && kernel == nil:
		panic(malformedf("attribute \"kernel_shape\" is missing"))
	}
	n.setting(p, "strides", 1, &w.stride)
	n.setting(p, "dilations", 1, &w.dilation)
	n.paddings(&w)
	return w
}

// setting reads the part of an attribute that is for the extent's dimensions into x.
func (n *node) setting(p extent, name string, low int64, x *[2]int) (present bool) {
	all := make([]int, p.rank)
	if present = n.window(name, low, all); present {
		copy(p.list(x), all[p.first:])
	}
	return present
}

// paddings reads the explicit paddings, and how to work out others.
func (n *node) paddings(w *window) {
	pads := make([]int, 2*w.rank)
	n.window("pads", 0, pads)
	for i := range w.dims {
		w.pad[w.at+i], w.pad[2+w.at+i] = pads[w.first+i], pads[w.rank+w.first+i]
	}
	switch w.auto = n.text("auto_pad", "NOTSET"); w.auto {
	case "NOTSET", "":
	case "VALID":
		w.pad = [4]int{}
	case "SAME_UPPER", "SAME_LOWER":
		malformedIf(slices.Max(pads) > 0, "both pads and auto_pad %s are given", w.auto)
	default:
		panic(malformedf("attribute \"auto_pad\" is %q", w.auto))
	}
}

// isSame reports whether the paddings follow from the sizes.
func (w *window) isSame() bool { return w.auto == "SAME_UPPER" || w.auto == "SAME_LOWER" }

// padSame pads, where the paddings follow from the sizes, so that the output is the input's
// size divided by the stride, rounded up.
func (w *window) padSame() {
	if !w.isSame() {
		return
	}
	for i := range 2 {
		out := (w.in[i] + w.stride[i] - 1) / w.stride[i]
		w.halve(i, max(0, (out-1)*w.stride[i]+w.reach(i)-w.in[i]), w.auto == "SAME_LOWER")
	}
}

// reach is how many inputs a window spans.
func (w *window) reach(i int) int { return (w.kernel[i]-1)*w.dilation[i] + 1 }

// halve pads dimension i by total on both sides together. An odd entry
// goes below and right, or if lower is set above and left.
func (w *window) halve(i, total int, lower bool) {
	w.pad[i], w.pad[i+2] = total/2, total-total/2
	if lower {
		w.pad[i], w.pad[i+2] = w.pad[i+2], w.pad[i]
	}
}
