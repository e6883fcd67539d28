package lsqr

import (
	"fmt"

	"tattle/internal/simd"
)

// Bidiagonal is what Golub and Kahan's process makes of A from a start v₁: A V = U B
// and Aᵀ U = V Bᵀ + β v eᵀ with U and V orthonormal and B upper bidiagonal.
type Bidiagonal[T Float] struct {
	Alpha []float64 // [steps], the diagonal of B; shorter where the process came to its end
	Beta  []float64 // [steps], beside it; the last one belongs to a v that is not in V
	U     []T       // [steps, rows]
	V     []T       // [steps, cols]
}

// breakdown is the least α or β over ‖B‖ that is no rounding, in units of T's.
const breakdown = 16

// Bidiagonalize runs Golub and Kahan's process (Calculating the singular values and
// pseudo-inverse of a matrix, J. SIAM Numer. Anal. B 2, 1965) from each of batch
// starts, [batch, cols], for at most that many steps, orthogonalising every vector
// twice against all before it, and those on the right against the rows of away,
// [·, cols], orthonormal, which are the same for all systems. It panics where lengths
// do not fit. Where A's products are no numbers, Alpha and Beta end.
func Bidiagonalize[T Float](a Operator[T], start []T, batch, steps int, away []T) []Bidiagonal[T] {
	rows, cols := a.Dims()
	if batch < 0 || len(start) != batch*cols || len(away)%cols != 0 || steps < 0 {
		panic(fmt.Sprintf("lsqr: starts of length %d for %d systems of %d×%d, away from %d values", len(start), batch, rows, cols, len(away)))
	}
	out := make([]Bidiagonal[T], batch)
	v, u := append([]T(nil), start...), make([]T, batch*rows)
	at, norm, ended := make([]T, batch*cols), make([]float64, batch), make([]bool, batch)
	for i := range out {
		out[i].U, out[i].V = make([]T, 0, steps*rows), make([]T, 0, steps*cols)
		vi := row(v, i, cols)
		orthogonalize(vi, away)
		ended[i] = !(normalize(vi) > 0)
	}
	each := func(f func(i int, b *Bidiagonal[T])) {
		simd.Parallel(batch, 1, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				if !ended[i] {
					f(i, &out[i])
				}
			}
		})
	}
	for range steps {
		a.Mul(u, v)
		each(func(i int, b *Bidiagonal[T]) {
			ui := row(u, i, rows)
			orthogonalize(ui, b.U)
			alpha := normalize(ui)
			if !finite(alpha) {
				ended[i] = true
				return
			}
			b.V = append(b.V, row(v, i, cols)...)
			if norm[i] = max(norm[i], alpha); alpha <= breakdown*precision[T]()*norm[i] {
				alpha, ended[i] = 0, true // A v is among the U: v adds a singular value of zero
				clear(ui)
			}
			b.U, b.Alpha = append(b.U, ui...), append(b.Alpha, alpha)
			if ended[i] {
				b.Beta = append(b.Beta, 0)
			}
		})
		a.MulTrans(at, u)
		each(func(i int, b *Bidiagonal[T]) {
			vi := row(at, i, cols)
			orthogonalize(vi, away)
			orthogonalize(vi, b.V)
			beta := normalize(vi)
			if norm[i] = max(norm[i], beta); !finite(beta) || beta <= breakdown*precision[T]()*norm[i] {
				beta, ended[i] = 0, true
				clear(vi)
			}
			b.Beta = append(b.Beta, beta)
		})
		v, at = at, v
	}
	return out
}

// orthogonalize takes from x what it has of the rows of q, twice.
func orthogonalize[T Float](x, q []T) {
	for range 2 {
		for i := 0; i < len(q); i += len(x) {
			y := q[i : i+len(x)]
			simd.Axpy(-simd.Dot(x, y), y, x)
		}
	}
}

// precision is half the distance from 1 to the next number.
func precision[T Float]() float64 {
	if T(1)+T(0x1p-30) > 1 {
		return 0x1p-53
	}
	return 0x1p-24
}
