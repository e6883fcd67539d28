package bound

import (
	"context"
	"math"

	"tattle/internal/math/eigen"
	"tattle/internal/math/simd"
	"tattle/internal/run"
)

const (
	gramGuard  = 16      // vectors of the iteration beside those that are wanted
	gramRounds = 3       // of the iteration
	gramPower  = 5       // of H in each
	gramDraw   = 1 << 16 // names its random start: restarts have smaller numbers
)

// smallest returns right singular vectors of J for its smallest singular values above the cutoff,
// or near it, count of them at most. They are approximate: from subspace iteration with H⁵G⁻¹,
// under which a singular value s counts h⁶/s², and which hence avoids the directions that J does
// not see at all. A value below the cutoff is replaced by it.
func (g *gramian) smallest(ctx context.Context, count int, seed uint64, index int) (*Factors, error) {
	rows := g.matrix.Rows
	m := min(count+gramGuard, rows)
	draw := run.Rand(seed, index, gramDraw)
	y := make([]float64, m*rows)
	for i := range y {
		y[i] = draw.NormFloat64()
	}
	for range gramRounds {
		if err := g.matrix.Solve(ctx, y, m); err != nil {
			return nil, err
		}
		for range gramPower {
			if err := g.smooth(ctx, y, m); err != nil {
				return nil, err
			}
		}
		orthonormalRows(y, rows)
	}
	w := make([]float64, m*g.matrix.Cols)
	if err := g.matrix.MulTrans(ctx, w, y, m); err != nil {
		return nil, err
	}
	return g.ritz(y, w, m, min(count, m)), nil
}

// ritz returns the smallest singular values in the span of the rows of y, [m, rows of X], with
// their right singular vectors. w is y X.
func (g *gramian) ritz(y, w []float64, m, count int) *Factors {
	rows, cols := g.matrix.Rows, g.matrix.Cols
	h := make([]float64, m*m)
	simd.Gram(false, m, cols, 1, w, cols, 0, h, m)
	simd.Mirror(m, h, m)
	values, q, ok := eigen.Symmetric(h, m, math.Inf(-1))
	f := &Factors{Active: g.active, P: g.p}
	if !ok {
		return f
	}
	values, q = values[m-count:], q[(m-count)*m:]
	side, from := cols, w // J is X
	if g.tall {
		side, from = rows, y
	}
	f.V = make([]float64, count*side)
	simd.Gemm(false, false, count, side, m, 1, q, m, from, side, 0, f.V, side)
	for i, v := range values {
		row := rowOf(f.V, i, side)
		if norm := math.Sqrt(simd.SumSquares(row)); norm > 0 {
			simd.Scale(1/norm, row)
		}
		f.S = append(f.S, math.Sqrt(max(v, g.matrix.Shift)))
	}
	return f
}

// orthonormalRows makes the rows of y, of that width, orthonormal. A row in the span of those before it becomes zero.
func orthonormalRows(y []float64, width int) {
	for at := 0; at < len(y); at += width {
		row := y[at : at+width]
		before := math.Sqrt(simd.SumSquares(row))
		orthogonalize(row, y[:at])
		if norm := math.Sqrt(simd.SumSquares(row)); norm > 0x1p-40*before {
			simd.Scale(1/norm, row)
		} else {
			clear(row)
		}
	}
}
