//go:build purego || !amd64

package simd

func maximum(x []float32) float32 { return maximumGo(x) }
