package bound

import (
	"context"
	"math"

	"tattle/internal/math/eigen"
	"tattle/internal/math/simd"
	"tattle/internal/run"
)

// eigenSmall is the largest Gram matrix for which gonum's QL iteration is used; that takes
// some 40 ms.
const eigenSmall = 256

// large reports whether the decomposition of j is worth products on all cores.
func (j Jacobian) large() bool { return min(len(j.Active), j.P) > eigenSmall }

// fromGrams decomposes J. The eigenvalues of JJᵀ above ratio of the largest
// give singular values. Where all are wanted, the rest are taken
// from the Gram matrix of what is left of J, the product of the other eigenvectors
// with J: its entries, hence its rounding, are smaller by √ratio, and so singular
// values come out right down to ratio of the largest, and need no full decomposition
// of J, which takes a minute at 1,500 rows. What still is left is below
// rankTolerance. The other eigenvectors contain some 1e-15/ratio of those taken, whose
// singular values are larger: hence the projection away from their right vectors.
// It reports whether eigenvalues could be found; what comes out is to pass sound.
func (f *Factors) fromGrams(ctx context.Context, j Jacobian, ratio float64, complete bool) bool {
	rows, cols := len(j.Active), j.P
	tall := rows > cols // then of Jᵀ
	if tall {
		rows, cols = cols, rows
	}
	s, left, right, rest, ok := topOf(ctx, j.Rows, tall, rows, cols, ratio)
	if !ok {
		return false
	}
	if hidden := len(rest) / rows; complete && hidden > 0 {
		y := make([]float64, hidden*cols)
		simd.Gemm(false, tall, hidden, cols, rows, 1, rest, rows, j.Rows, j.P, 0, y, cols)
		project := make([]float64, hidden*len(s))
		simd.Gemm(false, true, hidden, len(s), cols, 1, y, cols, right, cols, 0, project, len(s))
		simd.Gemm(false, false, hidden, cols, len(s), -1, project, len(s), right, cols, 1, y, cols)
		if math.Sqrt(simd.SumSquares(y)) > rankTolerance*s[0] { // else nothing that counts is left
			more, inner, v, _, ok := topOf(ctx, y, false, hidden, cols, ratio)
			if !ok {
				return false
			}
			k := above(more, rankTolerance*s[0])
			u := make([]float64, k*rows)
			simd.Gemm(false, false, k, rows, hidden, 1, inner, hidden, rest, rows, 0, u, rows)
			s, left, right = append(s, more[:k]...), append(left, u...), append(right, v[:k*cols]...)
		}
	}
	f.S, f.U, f.V = s, left, right
	if tall {
		f.U, f.V = right, left
	}
	return true
}

const (
	// soundProbes is how many random vectors factors are tried with. A matrix E shows
	// in ‖Ex‖², whose mean is ‖E‖_F²; that eight vectors together see less than a
	// hundredth of it has a probability of 10⁻⁸ at rank one, and less at others.
	soundProbes = 8
	// leftOrthogonal is how far from orthonormal the left singular vectors may be, in
	// the Frobenius norm over the root of their number: a few thousand roundings.
	leftOrthogonal = 1e-10
)

// sound reports whether the factors are those of j, down to rankTolerance: whether J − U S
// Vᵀ, and what U and V miss of orthonormal rows, are as small as they should be, seen with
// random vectors of signs. Singular values then are J's but for what is left (Weyl).
func (f *Factors) sound(j Jacobian) bool {
	rows, rank := len(j.Active), f.Rank()
	g := run.Rand(0, rows, j.P)
	signs := func(n int) []float64 {
		x := make([]float64, soundProbes*n)
		for i := range x {
			x[i] = float64(2*int(g.Uint32()&1) - 1)
		}
		return x
	}
	small := func(e []float64, most float64) bool { return simd.SumSquares(e) <= 4*soundProbes*most*most }

	x, left, inner := signs(j.P), make([]float64, soundProbes*rows), make([]float64, soundProbes*rank)
	simd.Gemm(false, true, soundProbes, rows, j.P, 1, x, j.P, j.Rows, j.P, 0, left, rows)
	simd.Gemm(false, true, soundProbes, rank, j.P, 1, x, j.P, f.V, j.P, 0, inner, rank)
	for i := range inner {
		inner[i] *= f.S[i%rank]
	}
	simd.Gemm(false, false, soundProbes, rows, rank, -1, inner, rank, f.U, rows, 1, left, rows)
	if d := float64(min(rows, j.P)); !small(left, rankTolerance*f.S[0]*math.Sqrt(d)) {
		return false
	}
	orthonormal := func(q []float64, width int, most float64) bool {
		c, z := signs(rank), make([]float64, soundProbes*width)
		simd.Gemm(false, false, soundProbes, width, rank, 1, c, rank, q, width, 0, z, width)
		simd.Gemm(false, true, soundProbes, rank, width, 1, z, width, q, width, -1, c, rank)
		return small(c, most*math.Sqrt(float64(rank)))
	}
	u, v := leftOrthogonal, SeenTolerance
	if rows > j.P { // the Gram matrix is JᵀJ
		u, v = v, u
	}
	return orthonormal(f.U, rows, u) && orthonormal(f.V, j.P, v)
}

// topOf returns the singular values of x, [rows, cols] or the transpose of that, whose squares are above ratio
// of the largest, with their left and right singular vectors, and an orthonormal basis
// of the left ones of the rest.
func topOf(ctx context.Context, x []float64, transposed bool, rows, cols int, ratio float64) (s, left, right, rest []float64, ok bool) {
	gram, width := make([]float64, rows*rows), cols
	if transposed {
		width = rows
	}
	simd.Gram(transposed, rows, cols, 1, x, width, 0, gram, rows)
	simd.Mirror(rows, gram, rows)
	var values, vectors []float64
	if rows <= eigenSmall {
		values, vectors, ok = eigen.Symmetric(gram, rows, math.Inf(-1))
	} else {
		values, vectors, ok = eigen.Large(ctx, gram, rows, math.Inf(-1))
	}
	if !ok || !(values[0] > 0) {
		return nil, nil, nil, nil, false
	}
	s = values[:above(values, ratio*values[0])]
	for i, v := range s {
		s[i] = math.Sqrt(v)
	}
	left, rest = vectors[:len(s)*rows:len(s)*rows], vectors[len(s)*rows:]
	right = make([]float64, len(s)*cols)
	simd.Gemm(false, transposed, len(s), cols, rows, 1, left, rows, x, width, 0, right, cols)
	scaleRows(right, s)
	return s, left, right, rest, true
}

// above counts the leading values above floor, of values in descending order.
func above(values []float64, floor float64) (count int) {
	for count < len(values) && values[count] > floor {
		count++
	}
	return count
}
