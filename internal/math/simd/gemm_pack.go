package simd

import "unsafe"

// Packed is a right operand op(B), k×n, made ready for many products. It must not
// be copied after its first use. The zero value is an empty 0×0 operand.
//
// The kernels read it in panels of nr columns, row by row, the last panel filled
// up with zeros, one block of the inner index after the other.
type Packed[T Float] struct {
	k, n int
	data []T

	source matrix[T]        // op(B), while its panels are filled
	at     []int            // where its rows begin, beside their distance, or nil
	kc     int              // length of the blocks of the inner index
	fill   func(lo, hi int) // fillPanels, bound once
}

// Dims returns the shape of op(B).
func (p *Packed[T]) Dims() (k, n int) { return p.k, p.n }

// Pack stores op(B), k×n, of the row-major b with leading dimension ldb. If trans is true, b
// holds the transpose. It reuses p's storage and panics as Gemm does.
func (p *Packed[T]) Pack(trans bool, k, n int, b []T, ldb int) {
	checkDims(0, n, k)
	p.cut(operand("B", trans, k, n, b, ldb), Block(k))
}

// grow returns a slice of n elements that begins at a cache line, in x's
// storage where that suffices.
func grow[T Float](x []T, n int) []T {
	if cap(x) >= n {
		return x[:n]
	}
	const line = 64
	size := int(unsafe.Sizeof(T(0)))
	x = make([]T, n+line/size)
	skip := int(-uintptr(unsafe.Pointer(&x[0]))%line) / size
	return x[skip : skip+n]
}
