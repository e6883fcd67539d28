package simd

import "math"

// What a posterior over candidates is made of: see package bayes.

// Rank returns the largest of x, −Inf of an empty slice, and how many of x are at least lo and
// how many are above hi. No entry may be NaN.
func Rank(x []float64, lo, hi float64) (largest float64, atLeast, above int) {
	if useAVX2 && len(x) > 0 {
		return rankF64(f64(x), len(x), lo, hi)
	}
	return rankGo(x, lo, hi)
}

// ExpSums sets dst = e^(x − shift), and 0 where x − shift is below least, and returns Σ dst and
// Σ (x − shift)·dst. Each exponential is right to 2 ulp and depends on its element alone. least
// is negative and at least −700, and shift at least as large as every x, of which none may be NaN.
func ExpSums(dst, x []float64, shift, least float64) (sum, moment float64) {
	sameLength(len(dst), len(x))
	if useAVX2 && len(x) > 0 {
		return expSumsF64(f64(dst), f64(x), len(x), shift, least, &expLanes64[0])
	}
	return expSumsGo(dst, x, shift, least)
}

func rankGo(x []float64, lo, hi float64) (largest float64, atLeast, above int) {
	largest = math.Inf(-1)
	for _, v := range x {
		largest = max(largest, v)
		if v >= lo {
			atLeast++
		}
		if v > hi {
			above++
		}
	}
	return largest, atLeast, above
}

func expSumsGo(dst, x []float64, shift, least float64) (sum, moment float64) {
	for i, v := range x {
		r := v - shift
		if r < least {
			dst[i] = 0
			continue
		}
		e := math.Exp(r)
		dst[i] = e
		sum += e
		moment += r * e
	}
	return sum, moment
}

// expTerms is one more than the degree of the polynomial for e^r: r is at most ½·ln 2 from zero,
// so the terms of Taylor's series beyond it are together below 2⁻⁵⁷.
const expTerms = 14

// expLanes64 are the constants of expSumsF64, each in four lanes: 1/ln 2, the two parts of ln 2,
// and 1/13!, 1/12!, …, 1. The first part of ln 2 times a small integer is exact.
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
