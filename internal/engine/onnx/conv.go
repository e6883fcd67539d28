package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

// images starts with [N, C, h, w], the height 1 if the input has none.
func (r *nodeReader) images(x operand) *chain {
	c := r.chain(x)
	if len(x.shape) == 3 {
		c = c.view(slices.Insert(slices.Clone(c.shape), len(c.shape)-1, 1))
	}
	return c
}

// endImages makes computed images the node's output.
func (c *chain) endImages(x operand) {
	s := c.shape[len(c.shape)-3:]
	shape := []int{x.shape[0], s[0], s[2]}
	if len(x.shape) == 4 {
		shape = []int{x.shape[0], s[0], s[1], s[2]}
	}
	c.end(0, shape)
}

// kernels returns the weight of a convolution as one of images, where depth is part
// of the channel, and the spatial shape that the file gives it.
func (r *nodeReader) kernels(x operand) (w *nn.Param, kernel []int) {
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
func (r *nodeReader) convVolume(x operand, conv *nn.Conv2D, kernel []int, depth extent) {
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
	c := r.whole(x)
	if w.pad != [4]int{} {
		c = c.then(&nn.Pad{Before: []int{0, 0, w.pad[0], 0, 0}, After: []int{0, 0, w.pad[2], 0, 0}})
	}
	c = c.then(seen).transpose([]int{0, 2, 1, 3, 4, 5}).view([]int{s[0] * out, s[1] * k, s[3], s[4]}).then(conv)
	y := c.shape
	c = c.view([]int{s[0], out, y[1], y[2], y[3]}).transpose([]int{0, 2, 1, 3, 4})
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
