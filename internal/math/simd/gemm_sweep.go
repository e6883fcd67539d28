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

// sweep adds kc terms to the tiles of out's first rows: n row panels of A, aStep apart,
// against panels of B that follow one another.
func (w *work[T]) sweep(s *scratch[T], a matrix[T], aStep, n, kc int, b []T, out matrix[T], beta T) {
	if n == 0 {
		return
	}
	out.rows = min(out.rows, n*mr)
	nr := lanes[T]()
	rows, cols := out.rows/mr, out.cols/nr // whole tiles
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
	if left := out.cols - cols*nr; left > 0 { // the last columns, of all rows
		s.edge = grow(s.edge, n*mr*nr)
		tiles(n, nr, kc, w.alpha, a, aStep, b[cols*kc*nr:], nr, 0, 0, s.edge, nr, mr*nr)
		merge(out.from(0, cols*nr), s.edge, nr, out.rows, left, beta)
	}
	if rows < n && cols > 0 { // the last rows, of whole columns
		ld := cols * nr
		s.edge = grow(s.edge, mr*ld)
		a.data = a.data[rows*aStep:]
		tiles(cols, nr, kc, w.alpha, a, 0, b, nr, kc*nr, 0, s.edge, ld, nr)
		merge(out.from(rows*mr, 0), s.edge, ld, out.rows-rows*mr, ld, beta)
	}
}

// merge computes C = X + beta C for the first rows and columns of C, which is row-major; rows of X are
// ld apart.
func merge[T Float](c matrix[T], x []T, ld, rows, cols int, beta T) {
	for i := range rows {
		t, line := x[i*ld:][:cols], c.data[i*c.rs:][:cols]
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
