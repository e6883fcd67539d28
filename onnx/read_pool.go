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

// pools applies a pool to what it is over: of volumes first to their images, then along
// the depth, which largest entries and means alike allow.
func (d *decoder) pools(n *node, apply func(*chain, *pooling) *chain) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	over, err := extents(x.shape)
	if err != nil {
		return err
	}
	c, shape := d.chain(n, x), slices.Clone(x.shape)
	for _, at := range over {
		p, err := d.pool(n, shape, at)
		if err != nil {
			return err
		}
		c = apply(c.view([]int{nn.Size(shape[:2+at.first]), p.in[0], p.in[1]}), &p)
		if c.err != nil {
			return c.err
		}
		copy(shape[2+at.first:], at.list(&p.out))
	}
	return c.end(0, shape)
}

// pool reads what both pools have in common.
func (d *decoder) pool(n *node, shape []int, at extent) (p pooling, err error) {
	if p.window, err = n.windows(shape, nil, at); err != nil {
		return p, err
	}
	if p.isSame() {
		p.same()
	}
	ceil, err := n.flag("ceil_mode", false)
	if err != nil {
		return p, err
	}
	p.padded = p.pad
	for i := range 2 {
		if err := d.fit(&p, i, ceil); err != nil {
			return p, err
		}
	}
	return p, nil
}

// fit works out how many windows there are along dimension i, and pads what the last
// needs.
func (d *decoder) fit(p *pooling, i int, ceil bool) error {
	free := p.in[i] + p.pad[i] + p.pad[i+2] - p.reach(i)
	if free < 0 {
		return malformed("a kernel of %v does not fit in %v padded by %v", p.kernel, p.in, p.pad)
	}
	p.out[i] = free/p.stride[i] + 1
	if ceil && free%p.stride[i] != 0 && p.out[i]*p.stride[i] < p.in[i]+p.pad[i] {
		p.out[i]++ // the window begins before the padding behind
	}
	if p.out[i] > maxActivation/p.kernel[i] || p.kernel[0] > maxActivation/p.kernel[1] {
		return malformed("a kernel of %v is absurd", p.kernel)
	}
	if err := d.claim(p.out[i] * p.kernel[i]); err != nil {
		return err
	}
	p.pad[i+2] = max(0, (p.out[i]-1)*p.stride[i]+p.reach(i)-p.in[i]-p.pad[i])
	if slices.Contains(p.count(i, p.in[i], 0), 0) {
		return beyond("windows of padding alone")
	}
	return nil
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

func (d *decoder) maxPool(n *node) error { return d.pools(n, (*chain).maxPool) }

func (c *chain) maxPool(p *pooling) *chain {
	if p.plain() {
		return c.then(&nn.MaxPool{Kernel: p.kernel, Stride: p.stride, Pad: p.pad})
	}
	if p.pad != [4]int{} {
		c = c.then(&nn.Pad{Before: []int{0, p.pad[0], p.pad[1]}, After: []int{0, p.pad[2], p.pad[3]}, Value: -math.MaxFloat32}) // ±Inf has no bound in double words
	}
	for i := range 2 {
		c = c.largest(1+i, p.kernel[i], p.stride[i], p.dilation[i], p.out[i])
	}
	return c
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
	include, err := n.flag("count_include_pad", false)
	if err != nil {
		return err
	}
	return d.pools(n, func(c *chain, p *pooling) *chain {
		if include && (p.pad[2] > p.padded[2] || p.pad[3] > p.padded[3]) {
			c.err = beyond("count_include_pad where a window in ceil_mode reaches beyond the padding, of which versions of ONNX differ in what is counted")
			return c
		}
		if p.plain() {
			return c.then(&nn.AveragePool{Kernel: p.kernel, Stride: p.stride, Pad: p.pad, CountIncludePad: include})
		}
		return c.sums(p, include)
	})
}

// sums computes an average pool as a convolution of each channel by ones, divided
// by how many entries each window has.
func (c *chain) sums(p *pooling, include bool) *chain {
	if c.err = c.d.claim(p.out[0]*p.out[1] + p.kernel[0]*p.kernel[1]); c.err != nil {
		return c
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
	images := c.shape[0]
	c = c.view([]int{images, 1, p.in[0], p.in[1]}).then(conv).view([]int{images, p.out[0], p.out[1]})
	return c.then(&nn.Arithmetic{Operator: "Div", Constant: divisors})
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
