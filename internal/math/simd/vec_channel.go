package simd

import (
	"math"
	"unsafe"
)

// Channel is what a normalised channel goes through in training, element by element:
//
//	y = m·leaky(A·x + B)
//
// with Slope below zero in leaky (1: no rectifier; 0: ReLU) and, where there is a
// dropout mask, m = Scale for what it keeps and 0 for the rest.
type Channel struct {
	A, B, Slope float32
	Scale       float32
	Mask        []uint64 // of a [DropoutMask], or nil: m = 1
}

// Forward sets dst = y. The mask's element at belongs to x[0]. With stream, the
// results go past the caches as far as the processor can do that: for tensors that
// no cache would keep until they are read.
func (c *Channel) Forward(dst, x []float32, at int, stream bool) {
	sameLength(len(dst), len(x))
	c.covers(at, len(x))
	if !useAVX2 {
		c.forwardGo(dst, x, at)
		return
	}
	args := c.args(at)
	if stream && canStream(dst) {
		channelForwardStreamF32(f32(dst), f32(x), len(dst), &args)
	} else {
		channelForwardF32(f32(dst), f32(x), len(dst), &args)
	}
}

// Sums returns Σ g[i] and Σ g[i]·x[i], where g = ∂y/∂(A·x + B)·d: [DotAndSum] of what
// is not stored.
func (c *Channel) Sums(d, x []float32, at int) (sum, dot float64) {
	sameLength(len(d), len(x))
	c.covers(at, len(x))
	if !useAVX2 {
		return c.sumsGo(d, x, at)
	}
	args := c.args(at)
	return channelSumsF32(f32(d), f32(x), len(d), &args)
}

// Combine sets dst = p·g + q·x + r with the g of Sums: [Combine] of what is not
// stored. It streams as Forward does; dst may be d or x.
func (c *Channel) Combine(dst, d, x []float32, p, q, r float32, at int, stream bool) {
	sameLength(len(dst), len(d), len(x))
	c.covers(at, len(x))
	if !useAVX2 {
		c.combineGo(dst, d, x, p, q, r, at)
		return
	}
	args := c.args(at)
	args.p, args.q, args.r = p, q, r
	if stream && canStream(dst) {
		channelCombineStreamF32(f32(dst), f32(d), f32(x), len(dst), &args)
	} else {
		channelCombineF32(f32(dst), f32(d), f32(x), len(dst), &args)
	}
}

// channelArgs is a Channel as the kernels take it; they know the offsets.
type channelArgs struct {
	a, b, slope, scale float32
	negative           uint32 // of a result below zero: all bits, none for a ReLU
	p, q, r            float32
	mask               *uint64
	at                 int
	bytes              uint64 // all bits set; 0 if there is no mask, which keeps the place in it at 0
}

// kept is the mask where there is none.
var kept = [1]uint64{math.MaxUint64}

func (c *Channel) args(at int) channelArgs {
	args := channelArgs{a: c.A, b: c.B, slope: c.Slope, scale: 1, mask: &kept[0]}
	if c.Slope != 0 {
		args.negative = math.MaxUint32
	}
	if c.Mask != nil {
		args.scale, args.mask, args.at, args.bytes = c.Scale, &c.Mask[0], at, math.MaxUint64
	}
	return args
}

// canStream says that dst can be written past the caches, which takes whole
// registers at their alignment.
func canStream(dst []float32) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(dst)))%32 == 0
}

// covers panics unless the mask has elements at, …, at+n−1.
func (c *Channel) covers(at, n int) {
	if c.Mask != nil && (at < 0 || at > 64*(len(c.Mask)-1)-n) {
		panic("simd: mask is too short")
	}
}

func (c *Channel) forwardGo(dst, x []float32, at int) {
	for i, v := range x {
		y := c.A*v + c.B
		if y <= 0 {
			y = sloped(y, c.Slope)
		}
		dst[i] = y * c.factor(at+i)
	}
}

func (c *Channel) sumsGo(d, x []float32, at int) (sum, dot float64) {
	var s, q [2]float64
	for i, v := range x {
		g := float64(c.pull(d[i], v, at+i))
		s[i%2] += g
		q[i%2] += g * float64(v)
	}
	return s[0] + s[1], q[0] + q[1]
}

func (c *Channel) combineGo(dst, d, x []float32, p, q, r float32, at int) {
	for i, v := range x {
		dst[i] = p*c.pull(d[i], v, at+i) + (q*v + r)
	}
}

func (c *Channel) pull(d, x float32, at int) float32 {
	d *= c.factor(at)
	if c.A*x+c.B <= 0 {
		return sloped(d, c.Slope)
	}
	return d
}

func (c *Channel) factor(at int) float32 {
	switch {
	case c.Mask == nil:
		return 1
	case c.Mask[at/64]>>(at%64)&1 == 0:
		return 0
	}
	return c.Scale
}
