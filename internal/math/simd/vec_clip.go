package simd

// Clip sets dst = min(max(x, lo), hi), lo ≤ hi. A NaN stays one.
func Clip(dst, x []float32, lo, hi float32) {
	sameLength(len(dst), len(x))
	whole := 0
	if useAVX2 {
		whole = len(x) &^ 7
	}
	if whole > 0 {
		clipF32(f32(dst), f32(x), whole, lo, hi)
	}
	clipGo(dst[whole:], x[whole:], lo, hi)
}

func clipGo[T Float](dst, x []T, lo, hi T) {
	for i, v := range x {
		if v < lo {
			v = lo
		}
		if v > hi {
			v = hi
		}
		dst[i] = v
	}
}

// ClipBetween sets dst = min(max(x, lo), hi) entry by entry, lo ≤ hi. A NaN in x stays one.
func ClipBetween(dst, x, lo, hi []float32) {
	sameLength(len(dst), len(x), len(lo), len(hi))
	for i, v := range x {
		if v < lo[i] {
			v = lo[i]
		}
		if v > hi[i] {
			v = hi[i]
		}
		dst[i] = v
	}
}
