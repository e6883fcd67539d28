//go:build !purego

package simd

import "math"

//go:noescape
func rankF64(x *float64, n int, lo, hi float64) (largest float64, atLeast, above int)

//go:noescape
func expSumsF64(dst, x *float64, n int, shift, least float64, lanes *float64) (sum, moment float64)

// expTerms is one more than the degree of the polynomial for e^r: r is at most ½·ln 2 from zero,
// so the terms of Taylor's series beyond it are together below 2⁻⁵⁷.
const expTerms = 14

// expLanes64 are the constants of expSumsF64, each in four lanes: 1/ln 2, the two parts of ln 2,
// of which the first times a small integer is exact, and 1/13!, 1/12!, …, 1.
//
//lint:ignore U1000 the assembly reads it
var expLanes64 = func() (l [4 * (3 + expTerms)]float64) {
	const high = 0x1.62e42feep-1
	values := []float64{math.Log2E, high, math.Ln2 - high}
	term := 1.
	terms := make([]float64, expTerms)
	for i := range terms {
		if i > 0 {
			term *= float64(i)
		}
		terms[expTerms-1-i] = 1 / term
	}
	for i, v := range append(values, terms...) {
		for j := range 4 {
			l[4*i+j] = v
		}
	}
	return l
}()

func rank(x []float64, lo, hi float64) (largest float64, atLeast, above int) {
	if !useAVX2 || len(x) == 0 {
		return rankGo(x, lo, hi)
	}
	return rankF64(f64(x), len(x), lo, hi)
}

func expSums(dst, x []float64, shift, least float64) (sum, moment float64) {
	if !useAVX2 || len(x) == 0 {
		return expSumsGo(dst, x, shift, least)
	}
	return expSumsF64(f64(dst), f64(x), len(x), shift, least, &expLanes64[0])
}
