//go:build !purego

package simd

import (
	"math"
	"unsafe"
)

// channelArgs is a Channel as the kernels take it; they know the offsets.
type channelArgs struct {
	a, b, slope, scale float32
	negative           uint32 // of a result below zero: all bits, none for a ReLU
	p, q, r            float32
	mask               *uint64
	at                 int
	bytes              uint64 // all bits; none if there is no mask, to stay at its front
}

// kept is the mask where there is none.
var kept = [1]uint64{math.MaxUint64}

//go:noescape
func channelForwardF32(dst, x *float32, n int, c *channelArgs)

//go:noescape
func channelForwardStreamF32(dst, x *float32, n int, c *channelArgs)

//go:noescape
func channelSumsF32(d, x *float32, n int, c *channelArgs) (sum, dot float64)

//go:noescape
func channelCombineF32(dst, d, x *float32, n int, c *channelArgs)

//go:noescape
func channelCombineStreamF32(dst, d, x *float32, n int, c *channelArgs)

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

func (c *Channel) forward(dst, x []float32, at int, stream bool) {
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

func (c *Channel) sums(d, x []float32, at int) (sum, dot float64) {
	if !useAVX2 {
		return c.sumsGo(d, x, at)
	}
	args := c.args(at)
	return channelSumsF32(f32(d), f32(x), len(d), &args)
}

func (c *Channel) combine(dst, d, x []float32, p, q, r float32, at int, stream bool) {
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
