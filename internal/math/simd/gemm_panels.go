package simd

// cut stores b in panels, with blocks of kc terms.
func (p *Packed[T]) cut(b matrix[T], kc int) {
	p.k, p.n, p.kc = b.rows, b.cols, kc
	p.data = grow(p.data, p.k*p.width())
	if p.fill == nil {
		p.fill = p.fillPanels
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

func (p *Packed[T]) fillPanels(lo, hi int) {
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

// packWhole is packGo for panels that x fills; w is mr or the width of a tile.
func packWhole[T Float](dst []T, w, panels, kc int, x matrix[T]) {
	if x.rs == 1 {
		packAlong(dst, w, panels, kc, x)
	} else {
		packRows(dst, w, panels, kc, x)
	}
}

// packRows packs rows that lie across the panels, four by four; where w is no
// multiple of four the last four overlap those before.
func packRows[T Float](dst []T, w, panels, kc int, x matrix[T]) {
	quads := kc / 4
	for i := 0; i < panels && quads > 0; i++ {
		for r := 0; r < w; r += 4 {
			at := min(r, w-4)
			packQuads(dst[i*w*kc+at:], w, x.data[(i*w+at)*x.rs:], x.rs, quads)
		}
	}
	packGo(dst, w, panels, quads*4, kc, x)
}
