//go:build purego || !amd64

package simd

func expSum(dst, x []float32, shift float32) float32 { return expSumGo(dst, x, shift) }
