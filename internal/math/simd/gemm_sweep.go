package simd

// sum computes out = alpha A B + beta out for the rows of A from i0 and the
// columns of B from panel j0; out is row-major.
func (w *work[T]) sum(s *scratch[T], out matrix[T], i0, j0 int, beta T) {
	panels := (min(out.rows, w.left.rows-i0) + mr - 1) / mr
	for k0 := 0; k0 < w.right.k; k0 += w.right.kc {
		kc := min(w.right.kc, w.right.k-k0)
		b := w.right.from(k0, kc, j0)
		direct := 0 // row panels read as they lie
		if w.direct {
			direct = min(out.rows, w.left.rows-i0) / mr
			a := w.left.from(i0, k0)
			w.sweep(s, a, mr*a.rs, direct, kc, b, out, beta)
		}
		if direct < panels {
			s.a = grow(s.a, (panels-direct)*mr*kc)
			pack(s.a, mr, panels-direct, kc, w.left.from(i0+direct*mr, k0))
			w.sweep(s, matrix[T]{s.a, mr, kc, 1, mr}, mr*kc, panels-direct, kc, b, out.from(direct*mr, 0), beta)
		}
		beta = 1
	}
}

// sweep adds kc terms to all tiles of out: n row panels of A, aStep apart,
// against panels of B that follow one another.
func (w *work[T]) sweep(s *scratch[T], a matrix[T], aStep, n, kc int, b []T, out matrix[T], beta T) {
	nr := lanes[T]()
	rows, cols := min(n, out.rows/mr), out.cols/nr // whole tiles
	if kc <= rowwiseMax {
		for i := range rows {
			if cols > 0 {
				x := a
				x.data = a.data[i*aStep:]
				tiles(cols, nr, kc, w.alpha, x, 0, b, nr, kc*nr, beta, out.data[i*mr*out.rs:], out.rs, nr)
			}
		}
	} else if rows > 0 {
		for j := range cols {
			next := 0 // where the next panel begins, which the kernel asks for meanwhile
			if j+1 < cols {
				next = kc * nr
			}
			tiles(rows, nr, kc, w.alpha, a, aStep, b[j*kc*nr:], nr, next, beta, out.data[j*nr:], out.rs, mr*out.rs)
		}
	}
	for j := range (out.cols + nr - 1) / nr {
		for i := range n {
			if i < rows && j < cols {
				continue
			}
			x := a
			x.data = a.data[i*aStep:]
			tiles(1, nr, kc, w.alpha, x, 0, b[j*kc*nr:], nr, 0, 0, s.tile[:], nr, 0)
			merge(s.tile[:], out.from(i*mr, j*nr), beta)
		}
	}
}

// merge computes C = tile + beta C for the part of the tile that the row-major C
// has.
func merge[T Float](tile []T, c matrix[T], beta T) {
	nr := lanes[T]()
	rows, cols := min(mr, c.rows), min(nr, c.cols)
	for i := range rows {
		t, line := tile[i*nr:][:cols], c.data[i*c.rs:][:cols]
		switch beta {
		case 0:
			copy(line, t)
		case 1:
			for j, v := range t {
				line[j] += v
			}
		default:
			for j, v := range t {
				line[j] = T(beta*line[j]) + v
			}
		}
	}
}
