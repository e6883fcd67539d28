package stat

import (
	"fmt"

	"gonum.org/v1/gonum/mathext"
)

// Interval is a confidence interval.
type Interval struct{ Low, High float64 }

// ClopperPearson returns the exact interval for a proportion of which k of n
// were seen: it covers the truth with at least the given confidence, whatever
// the truth (C. J. Clopper and E. S. Pearson, Biometrika 26, 1934). It panics
// unless 0 ≤ k ≤ n, n > 0 and 0 < confidence < 1.
func ClopperPearson(k, n int, confidence float64) Interval {
	checkProportion(k, n, confidence)
	tail := (1 - confidence) / 2
	in := Interval{0, 1}
	if k > 0 {
		in.Low = betaQuantile(float64(k), float64(n-k+1), tail)
	}
	if k < n {
		in.High = 1 - betaQuantile(float64(n-k), float64(k+1), tail)
	}
	return in
}

// betaQuantile returns x with I_x(a, b) = p, the regularised incomplete beta
// function, by bisection down to neighbouring numbers: gonum's inverse misses by
// orders of magnitude where p is far out and a or b is large.
func betaQuantile(a, b, p float64) float64 {
	lo, hi := 0.0, 1.0
	for {
		x := lo + (hi-lo)/2
		if x <= lo || x >= hi {
			return x
		}
		if mathext.RegIncBeta(a, b, x) < p {
			lo = x
		} else {
			hi = x
		}
	}
}

func checkProportion(k, n int, confidence float64) {
	if n <= 0 || k < 0 || k > n || !(0 < confidence && confidence < 1) {
		panic(fmt.Sprintf("stat: interval for %d of %d with confidence %v", k, n, confidence))
	}
}
