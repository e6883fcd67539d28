package simd

import "math"

var negativeInf = float32(math.Inf(-1))

// Max returns the largest of x, −Inf of an empty slice. Where an entry is NaN it may be
// overlooked.
func Max(x []float32) float32 { return maximum(x) }

func maximumGo(x []float32) float32 {
	most := negativeInf
	for _, v := range x {
		if v > most {
			most = v
		}
	}
	return most
}
