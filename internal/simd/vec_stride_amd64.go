//go:build !purego

package simd

// The float32 kernels process blocks of eight entries of the shorter slice. A block touches
// sixteen entries of the longer slice, one more than it needs, so the last block is left to Go.

//go:noescape
func evenF32(dst, src *float32, blocks int)

//go:noescape
func addEvenF32(dst, src *float32, blocks int)

func even[T Float](dst, src []T) {
	done := 0
	if useAVX2 && is32[T]() && len(dst) > 8 {
		blocks := (len(dst) - 1) / 8
		evenF32(f32(dst), f32(src), blocks)
		done = 8 * blocks
	}
	evenGo(dst[done:], src[2*done:])
}

func addEven[T Float](dst, src []T) {
	done := 0
	if useAVX2 && is32[T]() && len(src) > 8 {
		blocks := (len(src) - 1) / 8
		addEvenF32(f32(dst), f32(src), blocks)
		done = 8 * blocks
	}
	addEvenGo(dst[2*done:], src[done:])
}

//go:noescape
func deinterleaveF32(even, odd, src *float32, rows, n, stride int)

//go:noescape
func interleaveF32(dst, even, odd *float32, rows, n, stride int)

func deinterleave[T Float](even, odd, src []T, rows, n, stride int) {
	if useAVX2 && is32[T]() && rows > 0 && n > 0 {
		deinterleaveF32(f32(even), f32(odd), f32(src), rows, n, stride)
		return
	}
	deinterleaveGo(even, odd, src, rows, n, stride)
}

func interleave[T Float](dst, even, odd []T, rows, n, stride int) {
	if useAVX2 && is32[T]() && rows > 0 && n > 0 {
		interleaveF32(f32(dst), f32(even), f32(odd), rows, n, stride)
		return
	}
	interleaveGo(dst, even, odd, rows, n, stride)
}
