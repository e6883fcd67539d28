package simd

import "math"

// What a posterior over candidates is made of: see package bayes.

// Rank returns the largest of x, −Inf of an empty slice, and how many of x are at least lo and
// how many are above hi. No entry may be NaN.
func Rank(x []float64, lo, hi float64) (largest float64, atLeast, above int) {
	return rank(x, lo, hi)
}

// ExpSums sets dst = e^(x − shift), and 0 where x − shift is below least, and returns Σ dst and
// Σ (x − shift)·dst. Each exponential is right to 2 ulp and depends on its element alone. least
// is negative and at least −700, and shift at least as large as every x, of which none may be NaN.
func ExpSums(dst, x []float64, shift, least float64) (sum, moment float64) {
	sameLength(len(dst), len(x))
	return expSums(dst, x, shift, least)
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
