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
