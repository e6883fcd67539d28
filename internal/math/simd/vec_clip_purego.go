//go:build purego || !amd64

package simd

func clip(dst, x []float32, lo, hi float32) { clipGo(dst, x, lo, hi) }
