package onnx

import (
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// pooling is a pool with an output of size out, whose paddings at the bottom and right are
// as wide as its last windows need.
type pooling struct {
	window
	out    [2]int
	padded [4]int // the paddings of the file
}

// pools applies a pool. One of volumes pools their images first and then along
// the depth, which is the same for largest entries and for means.
func (r *nodeReader) pools(apply func(*chain, *pooling) *chain) {
	x := r.operand(0)
	c, shape := r.chain(x), slices.Clone(x.shape)
	for _, at := range extents(x.shape) {
		p := r.pool(shape, at)
		c = apply(c.view([]int{nn.Size(shape[:2+at.first]), p.in[0], p.in[1]}), &p)
		copy(shape[2+at.first:], at.list(&p.out))
	}
	c.end(0, shape)
}

// pool reads the settings that both pools have.
func (r *nodeReader) pool(shape []int, at extent) (p pooling) {
	p.window = r.windows(shape, nil, at)
	p.padSame()
	ceil := r.flag("ceil_mode", false)
	p.padded = p.pad
	for i := range 2 {
		r.fit(&p, i, ceil)
	}
	return p
}

// fit works out how many windows there are along dimension i, and pads as far as the last
// needs.
func (r *nodeReader) fit(p *pooling, i int, ceil bool) {
	free := p.in[i] + p.pad[i] + p.pad[i+2] - p.reach(i)
	if free < 0 {
		panic(malformedf("a kernel of %v does not fit in %v padded by %v", p.kernel, p.in, p.pad))
	}
	p.out[i] = free/p.stride[i] + 1
	if ceil && free%p.stride[i] != 0 && p.out[i]*p.stride[i] < p.in[i]+p.pad[i] {
		p.out[i]++ // the window begins before the padding behind
	}
	if p.out[i] > maxActivation/p.kernel[i] || p.kernel[0] > maxActivation/p.kernel[1] {
		panic(malformedf("a kernel of %v is absurd", p.kernel))
	}
	r.claim(p.out[i] * p.kernel[i])
	p.pad[i+2] = max(0, (p.out[i]-1)*p.stride[i]+p.reach(i)-p.in[i]-p.pad[i])
	if slices.Contains(p.count(i, p.in[i], 0), 0) {
		panic(unsupportedf("windows that hold only padding"))
	}
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

// plain reports whether a pool of package nn computes it.
func (p *pooling) plain() bool {
	for i := range 4 {
		if p.pad[i] >= p.kernel[i%2] {
			return false
		}
	}
	return p.dilation == [2]int{1, 1}
}

func (r *nodeReader) maxPool() { r.pools((*chain).maxPool) }

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

// largest computes, along an axis, the largest entry of each window: of one slice for each
// entry of the kernel.
func (c *chain) largest(axis, kernel, stride, dilation, out int) *chain {
	if kernel > maxTaps {
		panic(unsupportedf("a dilated kernel of more than %d", maxTaps))
	}
	var best *chain
	for k := range kernel {
		s := allOf(c.shape)
		s.starts[axis], s.steps[axis], s.counts[axis] = k*dilation, stride, out
		tap := c.then(&nn.Slice{Starts: s.starts, Steps: s.steps, Counts: s.counts})
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

func (r *nodeReader) averagePool() {
	include := r.flag("count_include_pad", false)
	r.pools(func(c *chain, p *pooling) *chain {
		if include && (p.pad[2] > p.padded[2] || p.pad[3] > p.padded[3]) {
			panic(unsupportedf("count_include_pad where a window in ceil_mode reaches beyond the padding: versions of ONNX differ in what is counted"))
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
	c.r.claim(p.out[0]*p.out[1] + p.kernel[0]*p.kernel[1])
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
	return c.then(&nn.Binary{Operator: "Div", Constant: divisors})
}

// spatial returns input 0 and its dimensions behind [N, C].
func (r *nodeReader) spatial() (x operand, axes []int) {
	x = r.operand(0)
	if len(x.shape) < 3 {
		panic(malformedf("an input of %d dimensions: it must have at least 3", len(x.shape)))
	}
	return x, countUp(len(x.shape))[2:]
}

// globalAveragePool computes the mean of each channel.
func (r *nodeReader) globalAveragePool() {
	x, axes := r.spatial()
	r.reduceOver(x, "Mean", axes, true)
}

// globalMaxPool computes the largest entry of each channel.
func (r *nodeReader) globalMaxPool() {
	x, axes := r.spatial()
	r.reduceOver(x, "Max", axes, true)
}
