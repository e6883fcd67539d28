//go:build purego || !amd64

package simd

func even[T Float](dst, src []T)    { evenGo(dst, src) }
func addEven[T Float](dst, src []T) { addEvenGo(dst, src) }

func deinterleave[T Float](even, odd, src []T, rows, n, stride int) {
	deinterleaveGo(even, odd, src, rows, n, stride)
}

func interleave[T Float](dst, even, odd []T, rows, n, stride int) {
	interleaveGo(dst, even, odd, rows, n, stride)
}
