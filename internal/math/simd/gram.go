package simd

// gramStripe is the number of columns of C that Gram computes at once: few, so that little is
// computed above the diagonal, and as many as let the rows of X be read as they lie.
const gramStripe = 64

// Gram computes the lower triangle of C = alpha op(X) op(X)ᵀ + beta C, n×n, where op(X) is n×k
// and op transposes if trans is true: about half the work of Gemm, for the same bytes. What lies above
// the diagonal of C is undefined afterwards; Mirror overwrites it. Gram panics as Gemm does.
func Gram(trans bool, n, k int, alpha float64, x []float64, ldx int, beta float64, c []float64, ldc int) {
	checkDims(n, n, k)
	if n == 0 {
		return
	}
	operand("X", trans, n, k, x, ldx)
	operand("C", false, n, n, c, ldc)
	for j := 0; j < n; j += gramStripe {
		rows := x
		switch {
		case k == 0:
		case trans:
			rows = x[j:]
		default:
			rows = x[j*ldx:]
		}
		Gemm(trans, !trans, n-j, min(gramStripe, n-j), k, alpha, rows, ldx, rows, ldx, beta, c[j*ldc+j:], ldc)
	}
}

// mirrorTile is the side of the squares that Mirror copies at a time.
const mirrorTile = 32

// Mirror overwrites the upper triangle of the n×n matrix C with the lower one. It panics if the
// leading dimension is too small or the slice too short.
func Mirror(n int, c []float64, ldc int) {
	checkDims(n, n, 0)
	if n == 0 {
		return
	}
	operand("C", false, n, n, c, ldc)
	for i0 := 0; i0 < n; i0 += mirrorTile {
		for j0 := 0; j0 <= i0; j0 += mirrorTile {
			for i := i0; i < min(i0+mirrorTile, n); i++ {
				for j, v := range c[i*ldc+j0 : i*ldc+min(j0+mirrorTile, i)] {
					c[(j0+j)*ldc+i] = v
				}
			}
		}
	}
}
