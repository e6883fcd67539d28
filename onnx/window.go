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

// window is what convolutions and pools have in common. Of one dimension, the
// height is 1.
type window struct {
	in                       [2]int
	kernel, stride, dilation [2]int
	pad                      [4]int // top, left, bottom, right
	auto                     string
	dims                     int // 1 or 2
}

// list is what holds a setting of each of the dimensions there are.
func (w *window) list(x *[2]int) []int { return x[2-w.dims:] }

// windows reads the attributes; kernel is what the weight says, empty for a pool.
// shape is the input's, [N, C, …].
func (n *node) windows(shape, kernel []int) (w window, err error) {
	w = window{kernel: [2]int{1, 1}, stride: [2]int{1, 1}, dilation: [2]int{1, 1}, in: [2]int{1, 1}, dims: len(shape) - 2}
	if w.dims != 1 && w.dims != 2 {
		return w, beyond("of %d dimensions: only one or two are computed", max(w.dims, 0))
	}
	copy(w.list(&w.in), shape[2:])
	if kernel != nil {
		copy(w.list(&w.kernel), kernel)
	}
	given, err := n.window("kernel_shape", 1, w.list(&w.kernel))
	switch {
	case err != nil:
		return w, err
	case given && kernel != nil && !slices.Equal(w.list(&w.kernel), kernel):
		return w, malformed("kernel_shape %v, but the weight has %v", w.list(&w.kernel), kernel)
	case !given && kernel == nil:
		return w, malformed("has no kernel_shape")
	}
	if _, err := n.window("strides", 1, w.list(&w.stride)); err != nil {
		return w, err
	}
	if _, err := n.window("dilations", 1, w.list(&w.dilation)); err != nil {
		return w, err
	}
	return w, n.padding(&w)
}

// padding reads the explicit paddings and how to make them up.
func (n *node) padding(w *window) (err error) {
	pads := make([]int, 2*w.dims)
	if _, err := n.window("pads", 0, pads); err != nil {
		return err
	}
	for i := range w.dims {
		w.pad[2-w.dims+i], w.pad[4-w.dims+i] = pads[i], pads[w.dims+i]
	}
	if w.auto, err = n.text("auto_pad", "NOTSET"); err != nil {
		return err
	}
	switch w.auto {
	case "NOTSET", "":
	case "VALID":
		w.pad = [4]int{}
	case "SAME_UPPER", "SAME_LOWER":
		if w.pad != [4]int{} {
			return malformed("has both pads and auto_pad %s", w.auto)
		}
	default:
		return malformed("auto_pad is %q", w.auto)
	}
	return nil
}

// isSame reports whether the paddings follow from the sizes.
func (w *window) isSame() bool { return w.auto == "SAME_UPPER" || w.auto == "SAME_LOWER" }

// same pads so that the output is the input's size divided by the stride,
// rounded up.
func (w *window) same() {
	for i := range 2 {
		out := (w.in[i] + w.stride[i] - 1) / w.stride[i]
		w.halve(i, max(0, (out-1)*w.stride[i]+w.reach(i)-w.in[i]), w.auto == "SAME_LOWER")
	}
}

// reach is how many inputs a window spans.
func (w *window) reach(i int) int { return (w.kernel[i]-1)*w.dilation[i] + 1 }

// halve pads dimension i by total on both sides together: what cannot be halved
// goes below and right, or above and left.
func (w *window) halve(i, total int, lower bool) {
	w.pad[i], w.pad[i+2] = total/2, total-total/2
	if lower {
		w.pad[i], w.pad[i+2] = w.pad[i+2], w.pad[i]
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

// kernels returns the weight of a convolution as one of images, and the spatial
// shape that the file gives it.
func (d *decoder) kernels(n *node, x operand) (w *nn.Param, kernel []int, err error) {
	v, err := d.constantFloats(n, 1)
	if err != nil {
		return nil, nil, err
	}
	s := v.shape
	if len(s) != 3 && len(s) != 4 {
		return nil, nil, beyond("weight of shape %v: only one or two dimensions are computed", s)
	}
	if slices.Min(s) == 0 || slices.Max(s) > maxWindow {
		return nil, nil, malformed("weight %q has shape %v", v.name, s)
	}
	if len(s) != len(x.shape) {
		return nil, nil, malformed("weight %q of shape %v for an input of shape %v", v.name, s, x.shape)
	}
	if len(s) == 4 {
		w, err = d.param(v, "", nil)
		return w, s[2:], err
	}
	w, err = d.param(v, "height 1", func(shape []int, x []float32) ([]int, []float32, error) {
		return []int{shape[0], shape[1], 1, shape[2]}, x, nil
	})
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

// conv reads a convolution of one or two dimensions.
func (d *decoder) conv(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	weight, kernel, err := d.kernels(n, x)
	if err != nil {
		return err
	}
	w, err := n.windows(x.shape, kernel)
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
	return d.images(n, x).then(c).endImages(x)
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
	w, err := n.windows(x.shape, kernel)
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
	if _, err := n.window("output_padding", 0, w.list(extra)); err != nil {
		return err
	}
	out := [2]int{w.in[0] * w.stride[0], w.in[1] * w.stride[1]}
	given, err := n.window("output_shape", 1, w.list(&out))
	if err != nil || !given && !w.isSame() {
		return err
	}
	for i := 2 - w.dims; i < 2; i++ {
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
