//go:build !purego

package simd

// tiled computes c = left·right in whole tiles, of which the last of a row and the
// last of a column overlap those before where the sides are no multiples of a tile's:
// what is computed twice is the same twice. It reports whether the shape is one for
// that. Rows of the right operand are read as they lie; a transposed one is packed
// first, and once.
func (s *Small[T]) tiled(left matrix[T], c []T) bool {
	nr, m := lanes[T](), left.rows
	if !useAVX2 || m < mr || s.n < nr || s.k == 0 || s.k > kcMax {
		return false
	}
	b, bs, step := s.b, s.ldb, nr
	if s.trans {
		s.pack()
		b, bs, step = s.panels, nr, s.k*nr
	}
	whole := m / mr
	for j := 0; j*nr < s.n; j++ {
		col := min(j*nr, s.n-nr)
		right := b[j*step:]
		if !s.trans {
			right = b[col:]
		}
		column(whole, s.k, left, right, bs, c[col:], s.n)
		if whole*mr < m {
			column(1, s.k, left.from(m-mr, 0), right, bs, c[(m-mr)*s.n+col:], s.n)
		}
	}
	return true
}

// column computes n tiles below one another.
func column[T Float](n, k int, a matrix[T], b []T, bs int, c []T, ldc int) {
	if is32[T]() {
		tileF32(n, k, f32(a.data), a.rs, a.cs, mr*a.rs, f32(b), bs, 0, f32(c), ldc, 0, 1, 0)
	} else {
		tileF64(n, k, f64(a.data), a.rs, a.cs, mr*a.rs, f64(b), bs, 0, f64(c), ldc, 0, 1, 0)
	}
}

// pack stores the panels of a transposed right operand, the last of which overlaps
// the one before.
func (s *Small[T]) pack() {
	if s.packed {
		return
	}
	s.packed = true
	nr := lanes[T]()
	panels := (s.n + nr - 1) / nr
	s.panels = grow(s.panels, panels*s.k*nr)
	rows := matrix[T]{s.b, s.n, s.k, s.ldb, 1} // b holds op(B)ᵀ
	pack(s.panels, nr, s.n/nr, s.k, rows)
	if last := panels - 1; last*nr+nr > s.n {
		pack(s.panels[last*s.k*nr:], nr, 1, s.k, rows.from(s.n-nr, 0))
	}
}
