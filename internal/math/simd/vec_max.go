package simd

import "math"

var negativeInf = float32(math.Inf(-1))

// Max returns the largest of x, −Inf of an empty slice. Where an entry is NaN it may be
// overlooked.
func Max(x []float32) float32 {
	if useAVX2 && len(x) >= 8 {
		return maxF32(f32(x), len(x))
	}
	most := negativeInf
	for _, v := range x {
		if v > most {
			most = v
		}
	}
	return most
}

// Larger sets dst to the larger of a and b, element by element: to b where one of them is NaN.
func Larger[T Float](dst, a, b []T) {
	sameLength(len(dst), len(a), len(b))
	switch {
	case !useAVX2:
		largerGo(dst, a, b)
	case is32[T]():
		largerF32(f32(dst), f32(a), f32(b), len(dst))
	default:
		largerF64(f64(dst), f64(a), f64(b), len(dst))
	}
}

func largerGo[T Float](dst, a, b []T) {
	for i, v := range a {
		if !(v > b[i]) {
			v = b[i]
		}
		dst[i] = v
	}
}
