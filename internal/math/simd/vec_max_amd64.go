//go:build !purego

package simd

// maxF32 is for n ≥ 8.
//
//go:noescape
func maxF32(x *float32, n int) float32

func maximum(x []float32) float32 {
	if !useAVX2 || len(x) < 8 {
		return maximumGo(x)
	}
	return maxF32(f32(x), len(x))
}
