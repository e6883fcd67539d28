//go:build purego || !amd64

package simd

func rival(best, x []float32, at []int32, first, step int32) { rivalGo(best, x, at, first, step) }
