//go:build !purego

package simd

// clipF32 is for multiples of eight.
//
//go:noescape
func clipF32(dst, x *float32, n int, lo, hi float32)

func clip(dst, x []float32, lo, hi float32) {
	whole := 0
	if useAVX2 {
		whole = len(x) &^ 7
	}
	if whole > 0 {
		clipF32(f32(dst), f32(x), whole, lo, hi)
	}
	clipGo(dst[whole:], x[whole:], lo, hi)
}
