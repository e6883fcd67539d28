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
		dst, source := p.from(k0, kc, lo), p.source.from(k0, lo*nr)
		if p.at == nil {
			pack(dst, nr, hi-lo, kc, source.transposed())
			continue
		}
		for i, at := range p.at[k0 : k0+kc] {
			CopyRows(dst[i*nr:], source.data[at:], hi-lo, nr, nr*kc, nr)
		}
	}
}

// pack stores the first panels·w rows and kc columns of x as panels of w rows,
// each column by column; rows that x lacks become zeros.
func pack[T Float](dst []T, w, panels, kc int, x matrix[T]) {
	whole := min(panels, x.rows/w)
	clear(dst[whole*w*kc : panels*w*kc])
	if x.rs != 1 {
		packRows(dst, w, panels, kc, x)
		return
	}
	if whole > 0 {
		packAlong(dst, w, whole, kc, x)
	}
	if whole < panels {
		packGo(dst[whole*w*kc:], w, panels-whole, kc, x.from(whole*w, 0))
	}
}

// packGo stores kc columns of x's rows, as many as it has: row i·w+r and column p go to
// dst[i·w·kc + p·w + r].
func packGo[T Float](dst []T, w, panels, kc int, x matrix[T]) {
	if panels == 1 && x.rs == 1 {
		for p := range kc {
			copy(dst[p*w:], x.data[p*x.cs:][:x.rows])
		}
		return
	}
	for row := range min(panels*w, x.rows) {
		to, from := dst[row/w*w*kc+row%w:], x.data[row*x.rs:]
		for p := range kc {
			to[p*w] = from[p*x.cs]
		}
	}
}

// packRows packs rows that lie across the panels, four by four columns at a time. The last four rows of a
// panel, and its last four columns, overlap those before.
func packRows[T Float](dst []T, w, panels, kc int, x matrix[T]) {
	for ; panels > 0 && x.rows > 0; panels-- {
		rows := min(w, x.rows)
		if min(rows, kc) < 4 {
			packGo(dst, w, 1, kc, x)
		} else {
			for r := 0; r < rows; r += 4 {
				at := min(r, rows-4)
				from := x.data[at*x.rs:]
				packQuads(dst[at:], w, from, x.rs, kc/4)
				if kc%4 != 0 {
					packQuads(dst[(kc-4)*w+at:], w, from[kc-4:], x.rs, 1)
				}
			}
		}
		if x.rows -= rows; x.rows > 0 {
			dst, x.data = dst[w*kc:], x.data[rows*x.rs:]
		}
	}
}
