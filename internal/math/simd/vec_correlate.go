package simd

import "slices"

// Line returns how many numbers a line of 64 bytes holds: 16 float32 or 8 float64.
func Line[T Float]() int { return narrow[T]() }

// Taps is where the sources of a correlation begin. The zero value has none.
type Taps struct {
	offsets []int
	last    int
}

// NewTaps returns the taps that begin at those numbers of elements. It panics if one is negative.
func NewTaps(offsets []int) Taps {
	if len(offsets) == 0 {
		return Taps{}
	}
	if slices.Min(offsets) < 0 {
		panic("simd: a negative offset")
	}
	return Taps{offsets, slices.Max(offsets)}
}

// Correlate computes n lines of numbers: number l of line i, at dst[i·dstStep + l], is
//
//	bias[l] + Σ_t w[t·Line + l] · src[offsets[t] + i·srcStep + l], in the order of t.
//
// A nil bias is zero. It panics if a slice is too short for that. dst must not overlap the others.
func Correlate[T Float](dst []T, dstStep int, src []T, srcStep, n int, taps Taps, w, bias []T) {
	line := Line[T]()
	sameLength(len(taps.offsets)*line, len(w))
	var none [16]T
	if bias == nil {
		bias = none[:line]
	}
	sameLength(line, len(bias))
	if n <= 0 {
		return
	}
	if dstStep < 0 || srcStep < 0 || (n-1)*dstStep+line > len(dst) {
		panic("simd: a line reaches beyond its slice")
	}
	if len(w) == 0 {
		for i := range n {
			copy(dst[i*dstStep:], bias)
		}
		return
	}
	if taps.last+(n-1)*srcStep+line > len(src) {
		panic("simd: a tap reaches beyond its slice")
	}
	if !hasKernels() {
		for i := range n {
			correlateGo(dst[i*dstStep:][:line], src[i*srcStep:], taps.offsets, w, bias)
		}
		return
	}
	block := 1 // a block of any size takes nearly the same time
	switch {
	case n >= 8 && useAVX512:
		block = 8
	case n >= 4:
		block = 4
	}
	correlate(dst, dstStep, src, srcStep, taps.offsets, w, bias, block, n/block)
	if n%block != 0 { // the last block overlaps the one before
		correlate(dst[(n-block)*dstStep:], dstStep, src[(n-block)*srcStep:], srcStep, taps.offsets, w, bias, block, 1)
	}
}

func correlate[T Float](dst []T, dstStep int, src []T, srcStep int, offsets []int, w, bias []T, block, blocks int) {
	switch n := len(offsets); {
	case is32[T]() && useAVX512:
		correlateWideF32(f32(dst), dstStep, f32(src), srcStep, &offsets[0], f32(w), n, block, blocks, f32(bias))
	case is32[T]():
		correlateF32(f32(dst), dstStep, f32(src), srcStep, &offsets[0], f32(w), n, block, blocks, f32(bias))
	case useAVX512:
		correlateWideF64(f64(dst), dstStep, f64(src), srcStep, &offsets[0], f64(w), n, block, blocks, f64(bias))
	default:
		correlateF64(f64(dst), dstStep, f64(src), srcStep, &offsets[0], f64(w), n, block, blocks, f64(bias))
	}
}

func correlateGo[T Float](dst, src []T, offsets []int, w, bias []T) {
	copy(dst, bias)
	for t, at := range offsets {
		x, w := src[at:][:len(dst)], w[t*len(dst):][:len(dst)]
		for l := range dst {
			dst[l] += T(w[l] * x[l])
		}
	}
}

// ToLines lays rows of n numbers, ld apart, out in n lines, one for each column: dst[i·Line + r] =
// src[r·ld + i]. There are at most Line rows; numbers of a line that have none are zero.
func ToLines[T Float](dst, src []T, rows, ld, n int) {
	if n > 0 {
		pack(dst, Line[T](), 1, n, matrix[T]{src, rows, n, ld, 1})
	}
}

// FromLines is the inverse of ToLines for lines that are srcStep apart: dst[r·ld + i] = src[i·srcStep + r].
func FromLines[T Float](dst []T, ld int, src []T, srcStep, rows, n int) {
	turn4(matrix[T]{dst, n, rows, 1, ld}, matrix[T]{src, n, rows, srcStep, 1})
}
