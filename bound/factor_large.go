package bound

import (
	"fmt"
	"math"

	"tattle/internal/simd"
)

// eigenSmall is the largest Gram matrix that is left to gonum's QL iteration, which
// takes some 40 ms of it.
const eigenSmall = 256

// large tells whether the decomposition of j is worth products on all cores.
func (j Jacobian) large() bool { return min(len(j.Active), j.P) > eigenSmall }

// fromGrams decomposes a large J. The eigenvalues of JJᵀ above ratio of the largest
// give singular values as fromGram has them. Where all are wanted, the rest are taken
// from the Gram matrix of what is left of J, the product of the other eigenvectors
// with J: its entries, hence its rounding, are smaller by √ratio, and so singular
// values come out right down to ratio of the largest, and need no full decomposition
// of J, which takes a minute at 1,500 rows. What still is left is below
// rankTolerance. The other eigenvectors contain some 1e-15/ratio of those taken, whose
// singular values are larger: hence the projection away from their right vectors.
func (f *Factors) fromGrams(j Jacobian, ratio float64, complete bool) error {
	rows, cols, x := len(j.Active), j.P, j.Rows
	if rows > cols {
		rows, cols, x = cols, rows, transposedOf(j.Rows, rows, cols)
	}
	s, left, right, rest, err := topOf(x, rows, cols, ratio)
	if err != nil {
		return err
	}
	if hidden := len(rest) / rows; complete && hidden > 0 {
		y := make([]float64, hidden*cols)
		simd.Gemm(false, false, hidden, cols, rows, 1, rest, rows, x, cols, 0, y, cols)
		project := make([]float64, hidden*len(s))
		simd.Gemm(false, true, hidden, len(s), cols, 1, y, cols, right, cols, 0, project, len(s))
		simd.Gemm(false, false, hidden, cols, len(s), -1, project, len(s), right, cols, 1, y, cols)
		if simd.MaxAbs(y) > 0 {
			more, inner, v, _, err := topOf(y, hidden, cols, ratio)
			if err != nil {
				return err
			}
			k := above(more, rankTolerance*s[0])
			u := make([]float64, k*rows)
			simd.Gemm(false, false, k, rows, hidden, 1, inner, hidden, rest, rows, 0, u, rows)
			s, left, right = append(s, more[:k]...), append(left, u...), append(right, v[:k*cols]...)
		}
	}
	f.S, f.U, f.V = s, left, right
	if len(j.Active) > j.P {
		f.U, f.V = right, left
	}
	return nil
}

// topOf returns the singular values of x, [rows, cols], whose squares are above ratio
// of the largest, with their left and right singular vectors, and an orthonormal basis
// of the left ones of the rest.
func topOf(x []float64, rows, cols int, ratio float64) (s, left, right, rest []float64, err error) {
	gram := make([]float64, rows*rows)
	gramOf(gram, x, rows, cols)
	values, vectors, ok := eigenLarge(gram, rows, math.Inf(-1))
	if !ok || !(values[0] > 0) {
		return nil, nil, nil, nil, fmt.Errorf("the singular values of the Jacobian did not converge")
	}
	s = values[:above(values, ratio*values[0])]
	for i, v := range s {
		s[i] = math.Sqrt(v)
	}
	left, rest = vectors[:len(s)*rows:len(s)*rows], vectors[len(s)*rows:]
	right = make([]float64, len(s)*cols)
	simd.Gemm(false, false, len(s), cols, rows, 1, left, rows, x, cols, 0, right, cols)
	scaleRows(right, s)
	return s, left, right, rest, nil
}

// above counts the leading values above floor, of values in descending order.
func above(values []float64, floor float64) (count int) {
	for count < len(values) && values[count] > floor {
		count++
	}
	return count
}

// gramOf overwrites gram with x xᵀ, [rows, rows], half of it computed.
func gramOf(gram, x []float64, rows, cols int) {
	for i := 0; i < rows; i += gramStripe {
		w := min(gramStripe, rows-i)
		simd.Gemm(false, true, w, i+w, cols, 1, x[i*cols:], cols, x, cols, 0, gram[i*rows:], rows)
	}
	mirror(gram, rows)
}

// transposedOf returns the transpose of x, [rows, cols].
func transposedOf(x []float64, rows, cols int) []float64 {
	t := make([]float64, len(x))
	const tile = 64
	simd.Parallel(cols, tile, func(lo, hi int) {
		for first := 0; first < rows; first += tile {
			for c := lo; c < hi; c++ {
				for r := first; r < min(rows, first+tile); r++ {
					t[c*rows+r] = x[r*cols+c]
				}
			}
		}
	})
	return t
}
