package simd

// Small multiplies many small matrices by the same right operand, on one core. It is not safe for
// concurrent use, and reuses its storage. Each element has the same bytes as by Gemm.
type Small[T Float] struct {
	trans bool
	k, n  int
	b     []T // the right operand as the caller has it
	ldb   int

	panels []T // of the right operand, if they must be copied out of b
	packed bool
	sum    []T // a product that is added to something
}

// Right sets the right operand op(B), k×n, which is read until the next call. It
// panics as Gemm does.
func (s *Small[T]) Right(trans bool, k, n int, b []T, ldb int) {
	checkDims(0, n, k)
	operand("B", trans, k, n, b, ldb)
	s.trans, s.k, s.n, s.b, s.ldb, s.packed = trans, k, n, b, ldb, false
}

// MulTo sets c = op(A) op(B) for op(A) of m×k and a c of m rows without gaps between
// them. It panics as Gemm does.
func (s *Small[T]) MulTo(c []T, transA bool, m int, a []T, lda int) {
	if !s.inTiles(c, transA, m, a, lda) {
		Gemm(transA, s.trans, m, s.n, s.k, 1, a, lda, s.b, s.ldb, 0, c, max(1, s.n))
	}
}

// AddMulTo sets c += op(A) op(B).
func (s *Small[T]) AddMulTo(c []T, transA bool, m int, a []T, lda int) {
	s.sum = grow(s.sum, len(c))
	if s.inTiles(s.sum, transA, m, a, lda) {
		Add(c, c, s.sum)
		return
	}
	Gemm(transA, s.trans, m, s.n, s.k, 1, a, lda, s.b, s.ldb, 1, c, max(1, s.n))
}

// inTiles sets c = op(A) op(B) if the tiles can compute it, and reports whether they did.
func (s *Small[T]) inTiles(c []T, transA bool, m int, a []T, lda int) bool {
	checkDims(m, 0, 0)
	sameLength(m*s.n, len(c))
	left := operand("A", transA, m, s.k, a, lda)
	return m > 0 && s.n > 0 && s.tiled(left, c)
}
