package simd

import "math"

// Every destination may be the same slice as an input; a partial overlap is not
// allowed. Slices of different lengths panic.

// Axpy adds a multiple of x to y, y += alpha·x.
func Axpy[T Float](alpha T, x, y []T) { Combine(y, x, y, alpha, 1, T(nothing)) }

// Scale multiplies x by alpha.
func Scale[T Float](alpha T, x []T) { ScaleShift(x, x, alpha, T(nothing)) }

// Add sets dst = a + b.
func Add[T Float](dst, a, b []T) { Combine(dst, a, b, 1, 1, T(nothing)) }

// nothing is −0: added to a number, a zero of either sign too, it gives the same number. So Add and
// Axpy have the bytes of a single sum.
var nothing = math.Copysign(0, -1)

// Mul sets dst = a·b, element by element.
func Mul[T Float](dst, a, b []T) {
	sameLength(len(dst), len(a), len(b))
	switch {
	case !hasKernels():
		mulGo(dst, a, b)
	case is32[T]():
		mulF32(f32(dst), f32(a), f32(b), len(dst))
	default:
		mulF64(f64(dst), f64(a), f64(b), len(dst))
	}
}

// Dot returns Σ x[i]·y[i].
func Dot[T Float](x, y []T) T {
	sameLength(len(x), len(y))
	switch {
	case !hasKernels():
		return dotGo(x, y)
	case is32[T]():
		return T(dotF32(f32(x), f32(y), len(x)))
	default:
		return T(dotF64(f64(x), f64(y), len(x)))
	}
}

// Sum returns Σ x[i].
func Sum[T Float](x []T) T {
	switch {
	case !hasKernels():
		return sumGo(x)
	case is32[T]():
		return T(sumF32(f32(x), len(x)))
	default:
		return T(sumF64(f64(x), len(x)))
	}
}

// SumSquares returns Σ x[i]².
func SumSquares[T Float](x []T) T { return Dot(x, x) }

// MaxAbs returns the largest |x[i]|: zero of an empty slice, NaN when x holds a
// NaN.
func MaxAbs[T Float](x []T) T {
	switch {
	case !hasKernels():
		return maxAbsGo(x)
	case is32[T]():
		return T(maxAbsF32(f32(x), len(x)))
	default:
		return T(maxAbsF64(f64(x), len(x)))
	}
}

// ScaleShift sets dst = a·x + b.
func ScaleShift[T Float](dst, x []T, a, b T) {
	sameLength(len(dst), len(x))
	switch {
	case !hasKernels():
		scaleShiftGo(dst, x, a, b)
	case is32[T]():
		scaleShiftF32(f32(dst), f32(x), len(dst), float32(a), float32(b))
	default:
		scaleShiftF64(f64(dst), f64(x), len(dst), float64(a), float64(b))
	}
}

// Combine sets dst = a·x + (b·y + c).
func Combine[T Float](dst, x, y []T, a, b, c T) {
	sameLength(len(dst), len(x), len(y))
	switch {
	case !hasKernels():
		combineGo(dst, x, y, a, b, c)
	case is32[T]():
		combineF32(f32(dst), f32(x), f32(y), len(dst), float32(a), float32(b), float32(c))
	default:
		combineF64(f64(dst), f64(x), f64(y), len(dst), float64(a), float64(b), float64(c))
	}
}

// Rectify sets dst = d where x > 0 or x is NaN, and slope·d elsewhere: 0 where the slope is 0. Where d is x
// that is ReLU or LeakyReLU, and else its derivative at x applied to d.
func Rectify[T Float](dst, d, x []T, slope T) {
	sameLength(len(dst), len(d), len(x))
	switch {
	case !hasKernels():
		rectifyGo(dst, d, x, slope)
	case is32[T]():
		rectifyF32(f32(dst), f32(d), f32(x), len(dst), float32(slope))
	default:
		rectifyF64(f64(dst), f64(d), f64(x), len(dst), float64(slope))
	}
}

// AddRows adds bias, of length cols, to each row of dst [rows, cols].
func AddRows[T Float](dst []T, rows, cols int, bias []T) {
	checkArea(rows, cols, len(dst))
	sameLength(cols, len(bias))
	for r := range rows {
		row := dst[r*cols : (r+1)*cols]
		Add(row, row, bias)
	}
}

// SumRows adds the rows of x [rows, cols] to dst, dst[c] += Σ_r x[r, c].
func SumRows[T Float](dst []T, rows, cols int, x []T) {
	checkArea(rows, cols, len(x))
	sameLength(cols, len(dst))
	for r := range rows {
		Add(dst, dst, x[r*cols:(r+1)*cols])
	}
}

// SumAndSquares returns Σ x[i] and Σ x[i]², each term and each partial sum in
// float64.
func SumAndSquares(x []float32) (sum, sumsq float64) {
	if useAVX2 {
		return sumAndSquaresF32(f32(x), len(x))
	}
	return sumAndSquaresGo(x)
}

// DotAndSum returns Σ d[i] and Σ d[i]·x[i], each term and each partial sum in
// float64.
func DotAndSum(d, x []float32) (sum, dot float64) {
	sameLength(len(d), len(x))
	if useAVX2 {
		return dotAndSumF32(f32(d), f32(x), len(d))
	}
	return dotAndSumGo(d, x)
}

// checkArea panics unless slices of these lengths hold rows × cols elements.
func checkArea(rows, cols int, lengths ...int) {
	if rows < 0 || cols < 0 || rows > 0 && cols > math.MaxInt/rows {
		panic("simd: bad shape")
	}
	sameLength(rows*cols, lengths...)
}

func sameLength(want int, others ...int) {
	for _, n := range others {
		if n != want {
			panic("simd: slices of different lengths")
		}
	}
}
