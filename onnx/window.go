package onnx

import (
	"slices"

	"tattle/nn"
)

// window is what convolutions and pools have in common.
type window struct {
	kernel, stride, dilation [2]int
	pad                      [4]int // top, left, bottom, right
}

// window2d reads the attributes; kernel is what the weight says, zero for a pool.
// shape is that of one example of the input, nil where unknown.
func (n *node) window2d(shape []int, kernel [2]int) (w window, err error) {
	w = window{kernel: kernel, stride: [2]int{1, 1}, dilation: [2]int{1, 1}}
	if shape != nil && len(shape) != 3 {
		return w, beyond("of %d dimensions: only images are computed", len(shape)+1)
	}
	given, err := n.window("kernel_shape", 1, w.kernel[:])
	switch {
	case err != nil:
		return w, err
	case given && kernel != [2]int{} && w.kernel != kernel:
		return w, malformed("kernel_shape %v, but the weight has %v", w.kernel, kernel)
	case w.kernel == [2]int{}:
		return w, malformed("has no kernel_shape")
	}
	if _, err := n.window("strides", 1, w.stride[:]); err != nil {
		return w, err
	}
	if _, err := n.window("dilations", 1, w.dilation[:]); err != nil {
		return w, err
	}
	padded, err := n.window("pads", 0, w.pad[:])
	if err != nil {
		return w, err
	}
	auto, err := n.text("auto_pad", "NOTSET")
	if err != nil {
		return w, err
	}
	switch auto {
	case "NOTSET", "":
	case "VALID":
		w.pad = [4]int{}
	case "SAME_UPPER", "SAME_LOWER":
		if padded && w.pad != [4]int{} {
			return w, malformed("has both pads and auto_pad %s", auto)
		}
		w.same(shape, auto == "SAME_LOWER")
	default:
		return w, malformed("auto_pad is %q", auto)
	}
	return w, nil
}

// same pads so that the output is the input's size divided by the stride,
// rounded up; what cannot be halved goes below and right, or above and left.
func (w *window) same(shape []int, lower bool) {
	if shape == nil {
		return // something before is unsupported: the model is refused anyway
	}
	for i := range 2 {
		in := shape[i+1]
		out := (in + w.stride[i] - 1) / w.stride[i]
		total := max(0, (out-1)*w.stride[i]+(w.kernel[i]-1)*w.dilation[i]+1-in)
		w.pad[i], w.pad[i+2] = total/2, total-total/2
		if lower {
			w.pad[i], w.pad[i+2] = w.pad[i+2], w.pad[i]
		}
	}
}

// exact reports whether the windows fill the padded input, so that rounding the
// output's size up or down is the same.
func (w *window) exact(shape []int) bool {
	for i := range 2 {
		free := shape[i+1] + w.pad[i] + w.pad[i+2] - (w.kernel[i]-1)*w.dilation[i] - 1
		if free%w.stride[i] != 0 {
			return false
		}
	}
	return true
}

func (d *decoder) conv(n *node) error {
	x, shape, err := d.activation(n, 0)
	if err != nil {
		return err
	}
	weight, err := d.weight(n, 1)
	if err != nil {
		return err
	}
	if len(weight.Shape) != 4 {
		return beyond("weight of shape %v: only images are convolved", weight.Shape)
	}
	s := weight.Shape
	if slices.Min(s) == 0 || slices.Max(s) > maxWindow {
		return malformed("weight %q has shape %v", weight.Name, s)
	}
	w, err := n.window2d(shape, [2]int{s[2], s[3]})
	if err != nil {
		return err
	}
	groups, err := n.int("group", 1)
	if err != nil {
		return err
	}
	if groups < 1 || groups > int64(s[0]) {
		return malformed("%d groups of %d channels", groups, s[0])
	}
	c := &nn.Conv2D{
		InChannels: s[1] * int(groups), OutChannels: s[0],
		Kernel: w.kernel, Stride: w.stride, Dilation: w.dilation, Pad: w.pad,
		Groups: int(groups), Weight: weight,
	}
	if n.has(2) {
		if c.Bias, err = d.weight(n, 2); err != nil {
			return err
		}
	}
	return d.attach(n.name, c, n.outputs[0], x)
}

// pool reads what both pools have in common.
func (d *decoder) pool(n *node) (x string, w window, err error) {
	x, shape, err := d.activation(n, 0)
	if err != nil {
		return x, w, err
	}
	if w, err = n.window2d(shape, [2]int{}); err != nil {
		return x, w, err
	}
	ceil, err := n.flag("ceil_mode", false)
	switch {
	case err != nil:
		return x, w, err
	case w.dilation != [2]int{1, 1}:
		return x, w, beyond("dilations %v", w.dilation)
	case ceil && shape != nil && !w.exact(shape):
		return x, w, beyond("ceil_mode where windows reach beyond the input")
	}
	return x, w, nil
}

func (d *decoder) maxPool(n *node) error {
	x, w, err := d.pool(n)
	if err != nil {
		return err
	}
	return d.attach(n.name, &nn.MaxPool{Kernel: w.kernel, Stride: w.stride, Pad: w.pad}, n.outputs[0], x)
}

func (d *decoder) averagePool(n *node) error {
	x, w, err := d.pool(n)
	if err != nil {
		return err
	}
	include, err := n.flag("count_include_pad", false)
	if err != nil {
		return err
	}
	return d.attach(n.name, &nn.AveragePool{Kernel: w.kernel, Stride: w.stride, Pad: w.pad, CountIncludePad: include}, n.outputs[0], x)
}

func (d *decoder) globalAveragePool(n *node) error {
	_, shape, err := d.activation(n, 0)
	if err != nil {
		return err
	}
	if shape != nil && len(shape) != 3 {
		return beyond("of %d dimensions: only images are computed", len(shape)+1)
	}
	return d.unary(n, &nn.GlobalAveragePool{})
}

// axes reads those of a reduction of images, an attribute or an input, ascending
// and none negative.
func (d *decoder) axes(n *node) ([]int64, error) {
	a, ok, err := n.typed("axes", kindInts)
	if err != nil {
		return nil, err
	}
	axes := slices.Clone(a.ints)
	if !ok && n.has(1) {
		if axes, err = d.constantInts(n, 1); err != nil {
			return nil, err
		}
		axes = slices.Clone(axes)
	}
	if len(axes) > maxDims {
		return nil, malformed("over %d axes", len(axes))
	}
	for i := range axes {
		if axes[i] < 0 {
			axes[i] += 4
		}
	}
	slices.Sort(axes)
	return axes, nil
}

// reduceMean is read where it is a global average pool, with or without the
// two dimensions of size 1 that are left.
func (d *decoder) reduceMean(n *node) error {
	x, shape, err := d.activation(n, 0)
	if err != nil {
		return err
	}
	axes, err := d.axes(n)
	if err != nil {
		return err
	}
	if shape != nil && len(shape) != 3 || !slices.Equal(axes, []int64{2, 3}) {
		return beyond("over axes %v of %d dimensions: only height and width of images", axes, len(shape)+1)
	}
	keep, err := n.flag("keepdims", true)
	if err != nil {
		return err
	}
	if keep {
		return d.attach(n.name, &nn.GlobalAveragePool{}, n.outputs[0], x)
	}
	pool := d.fresh(n.name + "_pool")
	d.names[pool] = true
	pooled := pool
	for d.uses[pooled] > 0 {
		pooled += "_"
	}
	if err := d.attach(pool, &nn.GlobalAveragePool{}, pooled, x); err != nil {
		return err
	}
	return d.attach(n.name, &nn.Flatten{}, n.outputs[0], pooled)
}
