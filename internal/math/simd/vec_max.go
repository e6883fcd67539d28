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
