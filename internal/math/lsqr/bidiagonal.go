package lsqr

import (
	"fmt"

	"tattle/internal/math/simd"
)

// Bidiagonal is what Golub and Kahan's process makes of A from a start v₁: A V = U B
// and Aᵀ U = V Bᵀ + β v eᵀ with U and V orthonormal and B upper bidiagonal.
type Bidiagonal[T Float] struct {
	Alpha []float64 // [steps], the diagonal of B; shorter where the process came to its end
	Beta  []float64 // [steps], beside it; the last one belongs to a v that is not in V
	U     []T       // [steps, rows]
	V     []T       // [steps, cols]
}

// breakdown is the least ratio of α or β to ‖B‖ that is more than rounding, in units of T's roundoff.
const breakdown = 16

// Bidiagonalize runs Golub and Kahan's process (Calculating the singular values and
// pseudo-inverse of a matrix, J. SIAM Numer. Anal. B 2, 1965) from a start, [cols], for at most
// that many steps, orthogonalising every vector twice against all before it. It panics if lengths
// do not fit. If A's products are not finite, Alpha and Beta end.
func Bidiagonalize[T Float](a Operator[T], start []T, steps int) Bidiagonal[T] {
	rows, cols := a.Dims()
	if len(start) != cols || steps < 0 {
		panic(fmt.Sprintf("lsqr: a start of length %d for %d×%d", len(start), rows, cols))
	}
	v, u, at := append([]T(nil), start...), make([]T, rows), make([]T, cols)
	p := process[T]{Bidiagonal: &Bidiagonal[T]{U: make([]T, 0, steps*rows), V: make([]T, 0, steps*cols)}}
	p.ended = !(normalize(v) > 0)
	for range steps {
		a.Mul(u, v)
		if !p.ended {
			p.left(u, v)
		}
		a.MulTrans(at, u)
		if !p.ended {
			p.right(at)
		}
		v, at = at, v
	}
	return *p.Bidiagonal
}

// process is one system on its way.
type process[T Float] struct {
	*Bidiagonal[T]
	norm  float64 // the largest α or β
	ended bool
}

// left takes a step with u = A v: v and u join V and U, and α the diagonal.
func (p *process[T]) left(u, v []T) {
	orthogonalize(u, p.U)
	alpha := normalize(u)
	if !finite(alpha) {
		p.ended = true
		return
	}
	p.V = append(p.V, v...)
	if alpha = p.counted(alpha); alpha == 0 { // A v is among the U: v adds a singular value of zero
		clear(u)
		p.ended, p.Beta = true, append(p.Beta, 0)
	}
	p.U, p.Alpha = append(p.U, u...), append(p.Alpha, alpha)
}

// right takes a step with v = Aᵀu, the next v: β goes beside the diagonal.
func (p *process[T]) right(v []T) {
	orthogonalize(v, p.V)
	beta := normalize(v)
	if finite(beta) {
		beta = p.counted(beta)
	} else {
		beta = 0
	}
	if beta == 0 {
		p.ended = true
		clear(v)
	}
	p.Beta = append(p.Beta, beta)
}

// counted returns α or β, 0 if it is rounding.
func (p *process[T]) counted(x float64) float64 {
	if p.norm = max(p.norm, x); x <= breakdown*precision[T]()*p.norm {
		return 0
	}
	return x
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
