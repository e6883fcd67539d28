package simd

import "unsafe"

// Packed is a right operand op(B), k×n, in the order in which the kernel reads
// it: for every block of the inner index, panels of nr columns, row by row, the
// last panel filled up with zeros. The zero value is an empty 0×0 operand.
type Packed[T Float] struct {
	k, n int
	kc   int // length of the blocks of the inner index
	data []T

	source matrix[T]
	pack   func(lo, hi int) // packPanels, bound once
}

// Dims returns the shape of op(B).
func (p *Packed[T]) Dims() (k, n int) { return p.k, p.n }

// Pack stores op(B), k×n, of the row-major b with leading dimension ldb; trans
// tells that b holds its transpose. It reuses p's storage and panics as Gemm
// does.
func (p *Packed[T]) Pack(trans bool, k, n int, b []T, ldb int) {
	checkDims(0, n, k)
	p.set(operand("B", trans, k, n, b, ldb), kBlock(k))
}

func (p *Packed[T]) set(b matrix[T], kc int) {
	p.k, p.n, p.kc = b.rows, b.cols, kc
	p.data = grow(p.data, p.k*p.width())
	if p.pack == nil {
		p.pack = p.packPanels
	}
	p.source = b
	Parallel(p.panels(), 1+8192/max(1, p.k), p.pack)
	p.source.data = nil
}

// panels returns the number of panels of a block, width their columns together.
func (p *Packed[T]) panels() int { return (p.n + lanes[T]() - 1) / lanes[T]() }
func (p *Packed[T]) width() int  { return p.panels() * lanes[T]() }

// panel returns the storage of panel j in the block of kc terms from k0.
func (p *Packed[T]) panel(k0, kc, j int) []T {
	nr := lanes[T]()
	return p.data[k0*p.width()+j*kc*nr:][:kc*nr]
}

func (p *Packed[T]) packPanels(lo, hi int) {
	nr := lanes[T]()
	for j := lo; j < hi; j++ {
		for k0 := 0; k0 < p.k; k0 += p.kc {
			kc := min(p.kc, p.k-k0)
			packPanel(p.panel(k0, kc, j), nr, kc, p.source.from(k0, j*nr).transposed())
		}
	}
}

// packPanel stores the first w rows and kc columns of x, column by column, in
// dst[p*w+r]; rows that x lacks become zeros.
func packPanel[T Float](dst []T, w, kc int, x matrix[T]) {
	if x.rows >= w {
		packFull(dst, w, kc, x)
		return
	}
	clear(dst[:w*kc])
	packGo(dst, w, x.rows, 0, kc, x)
}

// grow returns a slice of n elements that begins at a cache line, in x's
// storage where that suffices.
func grow[T Float](x []T, n int) []T {
	if cap(x) >= n {
		return x[:n]
	}
	nr := lanes[T]()
	x = make([]T, n+nr)
	skip := int(-uintptr(unsafe.Pointer(&x[0])) & 63 / unsafe.Sizeof(x[0]))
	return x[skip : skip+n]
}
