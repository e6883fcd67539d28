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
	correlate(dst, src, offsets, w)
}

func correlateGo[T Float](dst, src []T, offsets []int, w []T) {
	clear(dst)
	for t, at := range offsets {
		Axpy(w[t], src[at:at+len(dst)], dst)
	}
}
