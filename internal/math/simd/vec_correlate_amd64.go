//go:build !purego

package simd

//go:noescape
func correlateF32(dst, src *float32, offsets *int, w *float32, taps, blocks int)

// correlate takes float32 in blocks of eight; the last overlaps the one before.
func correlate[T Float](dst, src []T, offsets []int, w []T) {
	if !useAVX2 || !is32[T]() || len(dst) < 8 || len(w) == 0 {
		correlateGo(dst, src, offsets, w)
		return
	}
	correlateF32(f32(dst), f32(src), &offsets[0], f32(w), len(w), len(dst)/8)
	if rest := len(dst) % 8; rest != 0 {
		at := len(dst) - 8
		correlateF32(f32(dst[at:]), f32(src[at:]), &offsets[0], f32(w), len(w), 1)
	}
}
