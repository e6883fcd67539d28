//go:build purego || !amd64

package simd

func correlate[T Float](dst, src []T, offsets []int, w []T) { correlateGo(dst, src, offsets, w) }
