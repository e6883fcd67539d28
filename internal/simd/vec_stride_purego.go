//go:build purego || !amd64

package simd

func even[T Float](dst, src []T)    { evenGo(dst, src) }
func addEven[T Float](dst, src []T) { addEvenGo(dst, src) }
