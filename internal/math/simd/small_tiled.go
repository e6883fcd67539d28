package simd

// tiled computes c = left·right in whole tiles, of which the last of a row and the
// last of a column overlap those before where the sides are no multiples of a tile's:
// what is computed twice is the same twice. It reports whether the shape is one for
// that. Rows of the right operand are read as they lie; a transposed one is packed
// first, and once.
func (s *Small[T]) tiled(left matrix[T], c []T) bool {
	nr, m := s.width(), left.rows
	if m < mr || s.n < nr || s.k == 0 || s.k > kcMax {
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
		tiles(whole, nr, s.k, 1, left, mr*left.rs, right, bs, 0, 0, c[col:], s.n, mr*s.n)
		if whole*mr < m {
			tiles(1, nr, s.k, 1, left.from(m-mr, 0), 0, right, bs, 0, 0, c[(m-mr)*s.n+col:], s.n, 0)
		}
	}
	return true
}

// width returns the columns of a tile: as many as the product has, at most.
func (s *Small[T]) width() int {
	if s.n < lanes[T]() {
		return narrow[T]()
	}
	return lanes[T]()
}

// pack stores the panels of a transposed right operand, the last of which overlaps
// the one before.
func (s *Small[T]) pack() {
	if s.packed {
		return
	}
	s.packed = true
	nr := s.width()
	panels := (s.n + nr - 1) / nr
	s.panels = grow(s.panels, panels*s.k*nr)
	rows := matrix[T]{s.b, s.n, s.k, s.ldb, 1} // b holds op(B)ᵀ
	pack(s.panels, nr, s.n/nr, s.k, rows)
	if last := panels - 1; last*nr+nr > s.n {
		pack(s.panels[last*s.k*nr:], nr, 1, s.k, rows.from(s.n-nr, 0))
	}
}
