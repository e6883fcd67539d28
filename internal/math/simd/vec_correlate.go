package simd

// Correlate sets dst[i] = Σ_t w[t] · src[i + offsets[t]], in the order of t. It panics
// where an offset is negative or too large, or dst overlaps src.
func Correlate[T Float](dst, src []T, offsets []int, w []T) {
	sameLength(len(offsets), len(w))
	for _, at := range offsets {
		if at < 0 || at > len(src)-len(dst) {
			panic("simd: an offset reaches beyond its slice")
		}
	}
	if !useAVX2 || !is32[T]() || len(dst) < 8 || len(w) == 0 {
		clear(dst)
		for t, at := range offsets {
			Axpy(w[t], src[at:at+len(dst)], dst)
		}
		return
	}
	block := 8
	switch { // a block of any size takes nearly the same time
	case len(dst) >= 64:
		block = 64
	case len(dst) >= 32:
		block = 32
	}
	correlateF32(f32(dst), f32(src), &offsets[0], f32(w), len(w), block, len(dst)/block)
	if len(dst)%block != 0 { // the last block overlaps the one before
		at := len(dst) - block
		correlateF32(f32(dst[at:]), f32(src[at:]), &offsets[0], f32(w), len(w), block, 1)
	}
}
