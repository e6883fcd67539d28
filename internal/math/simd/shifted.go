package simd

import "slices"

// Shifts says where the rows of a right operand of [GemmShifted] begin.
type Shifts struct {
	offsets []int // in bytes
	last    int   // the largest, in elements
}

// NewShifts returns those of rows that begin at the offsets, one at least. It panics if one is
// negative.
func NewShifts(offsets []int) *Shifts {
	if slices.Min(offsets) < 0 {
		panic("simd: negative offset")
	}
	s := &Shifts{last: slices.Max(offsets)}
	for _, at := range offsets {
		s.offsets = append(s.offsets, 4*at)
	}
	return s
}

// ShiftedTile returns the rows of a panel of the left operand of [GemmShifted] and the columns of its
// right one, or zeros where it cannot be called: it needs AVX2.
func ShiftedTile() (rows, columns int) {
	switch {
	case useAVX512:
		return 8, 32
	case useAVX2:
		return mr, 16
	}
	return 0, 0
}

// GemmShifted sets c to the product of a and b, or adds that where add is set. Row p of b is the
// stretch of x that begins at the p-th offset of s. a is in panels of rows, which follow one another;
// rows of c are ldc apart, and there are whole panels of them. The bytes of c are those of [Gemm].
func GemmShifted(c []float32, ldc int, a []float32, panels int, x []float32, s *Shifts, add bool) {
	rows, columns := ShiftedTile()
	k := len(s.offsets)
	if panels < 1 || ldc < columns || len(c) < (panels*rows-1)*ldc+columns || len(a) < panels*rows*k || len(x) < s.last+columns {
		panic("simd: slices do not fit the product")
	}
	multiply := shiftedF32
	if useAVX512 {
		multiply = shiftedWideF32
	}
	multiply(panels, k, Block(k), &a[0], &x[0], &s.offsets[0], &c[0], ldc, add)
}
