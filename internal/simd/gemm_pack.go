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
	fill   func(lo, hi int) // packPanels, bound once
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
	if p.fill == nil {
		p.fill = p.packPanels
	}
	p.source = b
	Parallel(p.panels(), 4+8192/max(1, p.k), p.fill)
	p.source.data = nil
}

// panels returns the number of panels of a block, width their columns together.
func (p *Packed[T]) panels() int { return (p.n + lanes[T]() - 1) / lanes[T]() }
func (p *Packed[T]) width() int  { return p.panels() * lanes[T]() }

// from returns the panels from j on in the block of kc terms from k0.
func (p *Packed[T]) from(k0, kc, j int) []T {
	return p.data[k0*p.width()+j*kc*lanes[T]():]
}

func (p *Packed[T]) packPanels(lo, hi int) {
	nr := lanes[T]()
	for k0 := 0; k0 < p.k; k0 += p.kc {
		kc := min(p.kc, p.k-k0)
		pack(p.from(k0, kc, lo), nr, hi-lo, kc, p.source.from(k0, lo*nr).transposed())
	}
}

// pack stores the first panels·w rows and kc columns of x as panels of w rows,
// each column by column; rows that x lacks become zeros.
func pack[T Float](dst []T, w, panels, kc int, x matrix[T]) {
	whole := min(panels, x.rows/w)
	if whole > 0 {
		packWhole(dst, w, whole, kc, x)
	}
	if whole < panels {
		dst = dst[whole*w*kc : panels*w*kc]
		clear(dst)
		packGo(dst, w, panels-whole, 0, kc, x.from(whole*w, 0))
	}
}

// packGo stores columns p0 to p1 of x's rows, as many as it has: row i·w+r and
// column p go to dst[i*w*kc+p*w+r] where kc is p1.
func packGo[T Float](dst []T, w, panels, p0, p1 int, x matrix[T]) {
	for row := range min(panels*w, x.rows) {
		to, from := dst[row/w*w*p1+row%w:], x.data[row*x.rs:]
		for p := p0; p < p1; p++ {
			to[p*w] = from[p*x.cs]
		}
	}
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
