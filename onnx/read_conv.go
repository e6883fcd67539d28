package onnx

import (
	"slices"

	"tattle/nn"
)

func convolutionOperators() map[string]operator {
	return map[string]operator{
		"Conv": {(*decoder).conv, []string{"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}},
		"ConvTranspose": {(*decoder).convTranspose, []string{"auto_pad", "dilations", "group", "kernel_shape", "output_padding",
			"output_shape", "pads", "strides"}},
	}
}

// images starts with [N, C, h, w], the height 1 where the input has none.
func (d *decoder) images(n *node, x operand) *chain {
	c := d.chain(n, x)
	if len(x.shape) == 3 {
		c = c.view(slices.Insert(slices.Clone(c.shape), len(c.shape)-1, 1))
	}
	return c
}

// endImages gives what has been computed of images to the node's output.
func (c *chain) endImages(x operand) error {
	if c.err != nil {
		return c.err
	}
	s := c.shape[len(c.shape)-3:]
	shape := []int{x.shape[0], s[0], s[2]}
	if len(x.shape) == 4 {
		shape = []int{x.shape[0], s[0], s[1], s[2]}
	}
	return c.end(0, shape)
}

// kernels returns the weight of a convolution as one of images, of which depth is part
// of the channel, and the spatial shape that the file gives it.
func (d *decoder) kernels(n *node, x operand) (w *nn.Param, kernel []int, err error) {
	v, err := d.constantFloats(n, 1)
	if err != nil {
		return nil, nil, err
	}
	s := v.shape
	if len(s) < 3 || len(s) > 5 {
		return nil, nil, beyond("weight of shape %v: only one to three dimensions are computed", s)
	}
	if slices.Min(s) == 0 || slices.Max(s) > maxWindow {
		return nil, nil, malformed("weight %q has shape %v", v.name, s)
	}
	if len(s) != len(x.shape) {
		return nil, nil, malformed("weight %q of shape %v for an input of shape %v", v.name, s, x.shape)
	}
	switch len(s) {
	case 3:
		w, err = d.param(v, "height 1", func(s []int, x []float32) ([]int, []float32, error) {
			return []int{s[0], s[1], 1, s[2]}, x, nil
		})
	case 4:
		w, err = d.param(v, "", nil)
	case 5:
		w, err = d.param(v, "of volumes", func(s []int, x []float32) ([]int, []float32, error) {
			return []int{s[0], s[1] * s[2], s[3], s[4]}, x, nil
		})
	}
	return w, s[2:], err
}

// groups reads into how many groups a number of channels divides.
func (n *node) groups(channels int) (int, error) {
	g, err := n.int("group", 1)
	if err == nil && (g < 1 || g > int64(channels)) {
		err = malformed("%d groups of %d channels", g, channels)
	}
	return int(g), err
}

// conv reads a convolution of one to three dimensions.
func (d *decoder) conv(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	weight, kernel, err := d.kernels(n, x)
	if err != nil {
		return err
	}
	over, err := extents(x.shape)
	if err != nil {
		return err
	}
	w, err := n.windows(x.shape, kernel, over[0])
	if err != nil {
		return err
	}
	if w.isSame() {
		w.same()
	}
	s := weight.Shape
	groups, err := n.groups(s[0])
	if err != nil {
		return err
	}
	c := &nn.Conv2D{
		InChannels: s[1] * groups, OutChannels: s[0],
		Kernel: w.kernel, Stride: w.stride, Dilation: w.dilation, Pad: w.pad,
		Groups: groups, Weight: weight,
	}
	if n.has(2) {
		if c.Bias, err = d.weight(n, 2); err != nil {
			return err
		}
	}
	if w.rank == 3 {
		return d.convVolume(n, x, c, kernel, over[1])
	}
	return d.images(n, x).then(c).endImages(x)
}

// convVolume lets a convolution of images see, as channels of each image, what a kernel
// of some depth does of the images before and behind it.
func (d *decoder) convVolume(n *node, x operand, conv *nn.Conv2D, kernel []int, depth extent) error {
	w, err := n.windows(x.shape, kernel, depth)
	if err != nil {
		return err
	}
	if w.isSame() {
		w.same()
	}
	s, k := x.shape, w.kernel[0]
	free := s[2] + w.pad[0] + w.pad[2] - w.reach(0)
	if free < 0 {
		return malformed("a kernel of depth %d does not fit in %d padded by %d and %d", w.reach(0), s[2], w.pad[0], w.pad[2])
	}
	out := free/w.stride[0] + 1
	if err := d.claim(out * k); err != nil {
		return err
	}
	seen := &nn.Gather{Axis: 2, Dims: []int{out, k}}
	for o := range out {
		for i := range k {
			seen.Indices = append(seen.Indices, o*w.stride[0]+i*w.dilation[0])
		}
	}
	c := d.whole(n, x)
	if w.pad != [4]int{} {
		c = c.then(&nn.Pad{Before: []int{0, 0, w.pad[0], 0, 0}, After: []int{0, 0, w.pad[2], 0, 0}})
	}
	c = c.then(seen).transpose([]int{0, 2, 1, 3, 4, 5}).view([]int{s[0] * out, s[1] * k, s[3], s[4]}).then(conv)
	if c.err != nil {
		return c.err
	}
	y := c.shape
	c = c.view([]int{s[0], out, y[1], y[2], y[3]}).transpose([]int{0, 2, 1, 3, 4})
	return c.end(0, c.shape)
}

// convTranspose reads the adjoint of a convolution, and a bias.
func (d *decoder) convTranspose(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	weight, kernel, err := d.kernels(n, x)
	if err != nil {
		return err
	}
	over, err := extents(x.shape)
	if err != nil {
		return err
	}
	if len(over) > 1 {
		return beyond("of volumes")
	}
	w, err := n.windows(x.shape, kernel, over[0])
	if err != nil {
		return err
	}
	s := weight.Shape
	groups, err := n.groups(s[0])
	if err != nil {
		return err
	}
	c := &nn.ConvTranspose{
		InChannels: s[0], OutChannels: s[1] * groups,
		Kernel: w.kernel, Stride: w.stride, Dilation: w.dilation,
		Groups: groups, Weight: weight,
	}
	if err := d.outputSize(n, &w, &c.OutputPad); err != nil {
		return err
	}
	c.Pad = w.pad
	if n.has(2) {
		if c.Bias, err = d.weight(n, 2); err != nil {
			return err
		}
	}
	return d.images(n, x).then(c).endImages(x)
}

// outputSize works out the paddings of a transposed convolution whose output's
// size is given, or the input's times the stride.
func (d *decoder) outputSize(n *node, w *window, extra *[2]int) error {
	if _, err := n.along(w.extent, "output_padding", 0, extra); err != nil {
		return err
	}
	out := [2]int{w.in[0] * w.stride[0], w.in[1] * w.stride[1]}
	given, err := n.along(w.extent, "output_shape", 1, &out)
	if err != nil || !given && !w.isSame() {
		return err
	}
	for i := w.at; i < 2; i++ {
		total := w.stride[i]*(w.in[i]-1) + extra[i] + w.reach(i) - out[i]
		if total < 0 {
			extra[i], total = extra[i]-total, 0
		}
		if total%2 != 0 && d.opset < 11 && !w.isSame() {
			return beyond("output_shape with an odd padding, of which versions of ONNX differ on which side gets more")
		}
		w.halve(i, total, w.auto != "SAME_UPPER")
		if extra[i] > 0 && extra[i] >= max(w.stride[i], w.dilation[i]) {
			return beyond("output_shape %v, beyond what the input reaches by the stride or more", w.list(&out))
		}
	}
	return nil
}
