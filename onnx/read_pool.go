package onnx

import (
	"math"
	"slices"

	"tattle/nn"
)

func poolOperators() map[string]operator {
	return map[string]operator{
		"AveragePool":       {(*decoder).averagePool, []string{"auto_pad", "ceil_mode", "count_include_pad", "dilations", "kernel_shape", "pads", "strides"}},
		"GlobalAveragePool": {(*decoder).globalAveragePool, nil},
		"GlobalMaxPool":     {(*decoder).globalMaxPool, nil},
		"MaxPool":           {(*decoder).maxPool, []string{"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"}},
	}
}

// pooling is a pool whose paddings at the bottom and right are as wide as its
// last windows need: the output is out, rounded up or down.
type pooling struct {
	window
	out    [2]int
	padded [4]int // as the file says
}

// pool reads what both pools have in common.
func (d *decoder) pool(n *node) (x operand, p pooling, err error) {
	if x, err = d.operand(n, 0); err != nil {
		return x, p, err
	}
	if p.window, err = n.windows(x.shape, nil); err != nil {
		return x, p, err
	}
	if p.isSame() {
		p.same()
	}
	ceil, err := n.flag("ceil_mode", false)
	if err != nil {
		return x, p, err
	}
	p.padded = p.pad
	for i := range 2 {
		free := p.in[i] + p.pad[i] + p.pad[i+2] - p.reach(i)
		if free < 0 {
			return x, p, malformed("a kernel of %v does not fit in %v padded by %v", p.kernel, p.in, p.pad)
		}
		p.out[i] = free/p.stride[i] + 1
		if ceil && free%p.stride[i] != 0 && p.out[i]*p.stride[i] < p.in[i]+p.pad[i] {
			p.out[i]++ // the window begins before the padding behind
		}
		if p.out[i] > maxActivation/p.kernel[i] || p.kernel[0] > maxActivation/p.kernel[1] {
			return x, p, malformed("a kernel of %v is absurd", p.kernel)
		}
		if err := d.claim(p.out[i] * p.kernel[i]); err != nil {
			return x, p, err
		}
		p.pad[i+2] = max(0, (p.out[i]-1)*p.stride[i]+p.reach(i)-p.in[i]-p.pad[i])
		if slices.Contains(p.count(i, p.in[i], 0), 0) {
			return x, p, beyond("windows of padding alone")
		}
	}
	return x, p, nil
}

// count returns, for each output along dimension i, how many of its window's
// entries are within size entries, padded by before in front.
func (p *pooling) count(i, size, before int) []int {
	counts := make([]int, p.out[i])
	for o := range counts {
		for k := range p.kernel[i] {
			at := o*p.stride[i] + k*p.dilation[i] - p.pad[i]
			if at >= -before && at < size {
				counts[o]++
			}
		}
	}
	return counts
}

// plain reports whether the pools of package nn compute it.
func (p *pooling) plain() bool {
	for i := range 4 {
		if p.pad[i] >= p.kernel[i%2] {
			return false
		}
	}
	return p.dilation == [2]int{1, 1}
}

func (d *decoder) maxPool(n *node) error {
	x, p, err := d.pool(n)
	if err != nil {
		return err
	}
	if p.plain() {
		return d.images(n, x).then(&nn.MaxPool{Kernel: p.kernel, Stride: p.stride, Pad: p.pad}).endImages(x)
	}
	c := d.images(n, x)
	before, after := make([]int, len(c.shape)), make([]int, len(c.shape))
	at := len(c.shape) - 2
	copy(before[at:], p.pad[:2])
	copy(after[at:], p.pad[2:])
	if p.pad != [4]int{} {
		c = c.then(&nn.Pad{Before: before, After: after, Value: -math.MaxFloat32})
	}
	for i := range 2 {
		c = c.largest(at+i, p.kernel[i], p.stride[i], p.dilation[i], p.out[i])
	}
	return c.endImages(x)
}

// largest takes, along an axis, the largest of each window: of the slices that the
// taps of the kernel see.
func (c *chain) largest(axis, kernel, stride, dilation, out int) *chain {
	if kernel > maxTaps {
		c.err = beyond("a dilated kernel of more than %d", maxTaps)
	}
	if c.err != nil {
		return c
	}
	x := c.fork()
	var best *chain
	for k := range kernel {
		cut := uncut(x.shape)
		cut.starts[axis], cut.steps[axis], cut.counts[axis] = k*dilation, stride, out
		tap := x.fork().then(&nn.Slice{Starts: cut.starts, Steps: cut.steps, Counts: cut.counts})
		if best == nil {
			best = tap
		} else {
			best = best.with("Max", tap)
		}
	}
	return best
}

// maxTaps bounds the operators that a dilated MaxPool is made of.
const maxTaps = 64

func (d *decoder) averagePool(n *node) error {
	x, p, err := d.pool(n)
	if err != nil {
		return err
	}
	include, err := n.flag("count_include_pad", false)
	if err != nil {
		return err
	}
	if include && (p.pad[2] > p.padded[2] || p.pad[3] > p.padded[3]) {
		return beyond("count_include_pad where a window in ceil_mode reaches beyond the padding, of which versions of ONNX differ in what is counted")
	}
	if p.plain() {
		return d.images(n, x).then(&nn.AveragePool{Kernel: p.kernel, Stride: p.stride, Pad: p.pad, CountIncludePad: include}).endImages(x)
	}
	return d.sums(n, x, &p, include)
}

// sums computes an average pool as a convolution of each channel by ones, divided
// by how many entries each window has.
func (d *decoder) sums(n *node, x operand, p *pooling, include bool) error {
	if err := d.claim(p.out[0]*p.out[1] + p.kernel[0]*p.kernel[1]); err != nil {
		return err
	}
	var counts [2][]int
	for i := range counts {
		size, before := p.in[i], 0
		if include {
			size, before = size+p.padded[i+2], p.padded[i]
		}
		counts[i] = p.count(i, size, before)
	}
	divisors := &nn.Param{Shape: p.out[:]}
	for _, r := range counts[0] {
		for _, s := range counts[1] {
			divisors.Data = append(divisors.Data, float32(r*s))
		}
	}
	ones := &nn.Param{Shape: []int{1, 1, p.kernel[0], p.kernel[1]}, Data: slices.Repeat([]float32{1}, p.kernel[0]*p.kernel[1])}
	conv := &nn.Conv2D{InChannels: 1, OutChannels: 1, Kernel: p.kernel, Stride: p.stride, Dilation: p.dilation, Pad: p.pad, Weight: ones}
	c := d.images(n, x)
	image := c.shape
	lead := len(image) - 2
	c = c.view(slices.Insert(slices.Clone(image), lead, 1)).then(conv)
	c = c.view(append(slices.Clone(image[:lead]), p.out[:]...))
	return c.then(&nn.Arithmetic{Operator: "Div", Constant: divisors}).endImages(x)
}

// globalAveragePool takes the mean of all but [N, C].
func (d *decoder) globalAveragePool(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	if len(x.shape) < 3 {
		return malformed("of %d dimensions", len(x.shape))
	}
	c := d.chain(n, x)
	if len(x.shape) != 4 {
		c = c.view(channels(x.shape))
	}
	return c.then(&nn.GlobalAveragePool{}).end(0, pooled(x.shape))
}

// pooled is the shape that a global pool leaves.
func pooled(shape []int) []int {
	out := slices.Repeat([]int{1}, len(shape))
	copy(out, shape[:2])
	return out
}

func (d *decoder) globalMaxPool(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	if len(x.shape) < 3 {
		return malformed("of %d dimensions", len(x.shape))
	}
	var axes []int
	for a := 2; a < len(x.shape); a++ {
		axes = append(axes, a)
	}
	return d.reduced(n, x, "Max", axes, true)
}
