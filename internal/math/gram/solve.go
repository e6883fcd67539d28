package gram

import (
	"context"

	"tattle/internal/math/simd"
)

// Solve overwrites the rows of y, [k, Rows], with their solutions: y (X Xᵀ + λI)⁻¹. The matrix
// must have been built, as for all that follows.
func (m *Matrix) Solve(ctx context.Context, y []float64, k int) error {
	if err := m.forward(ctx, y, k, m.Rows, m.blocks()); err != nil {
		return err
	}
	for j := m.blocks() - 1; j >= 0; j-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		first, count := m.span(j)
		width := first + count
		l, err := m.l.get(j, count*width)
		if err != nil {
			return err
		}
		backward(y[first:], k, m.Rows, l[first:], count, width, m.scratch(k))
		simd.Gemm(false, false, k, first, count, -1, y[first:], m.Rows, l, width, 1, y, m.Rows)
	}
	return nil
}

// forward overwrites the first columns of y, [k, ·], those of so many blocks of L, with those of
// y L⁻ᵀ.
func (m *Matrix) forward(ctx context.Context, y []float64, k, ldy, blocks int) error {
	for j := range blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		first, count := m.span(j)
		width := first + count
		l, err := m.l.get(j, count*width)
		if err != nil {
			return err
		}
		simd.Gemm(false, true, k, count, first, -1, y, ldy, l, width, 1, y[first:], ldy)
		forward(y[first:], k, ldy, l[first:], count, width, m.scratch(k))
	}
	return nil
}

// Mul overwrites dst, [k, Rows], with v Xᵀ, for v of [k, Cols].
func (m *Matrix) Mul(ctx context.Context, dst, v []float64, k int) error {
	return m.each(ctx, func(x []float32, first, count int) {
		beta := 0.
		for c := 0; c < m.Cols; c += stripe {
			w := min(stripe, m.Cols-c)
			m.right = m.widen(m.right, x, c, w)
			simd.Gemm(false, true, k, count, w, 1, v[c:], m.Cols, m.right, w, beta, dst[first:], m.Rows)
			beta = 1
		}
	})
}

// MulTrans overwrites dst, [k, Cols], with y X, for y of [k, Rows].
func (m *Matrix) MulTrans(ctx context.Context, dst, y []float64, k int) error {
	clear(dst[:k*m.Cols])
	return m.each(ctx, func(x []float32, first, count int) {
		for c := 0; c < m.Cols; c += stripe {
			w := min(stripe, m.Cols-c)
			m.right = m.widen(m.right, x, c, w)
			simd.Gemm(false, false, k, w, count, 1, y[first:], m.Rows, m.right, w, 1, dst[c:], m.Cols)
		}
	})
}

// each calls f with every block of X.
func (m *Matrix) each(ctx context.Context, f func(x []float32, first, count int)) error {
	for j := range m.blocks() {
		if err := ctx.Err(); err != nil {
			return err
		}
		first, count := m.span(j)
		x, err := m.x.get(j, count*m.Cols)
		if err != nil {
			return err
		}
		f(x, first, count)
	}
	return nil
}
