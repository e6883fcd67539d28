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
	low, high := bisect(0, 1, toNeighbours, func(x float64) bool { return mathext.RegIncBeta(a, b, x) < p })
	return low + (high-low)/2
}

// toNeighbours are more steps than it takes to halve an interval until no float64 lies between its ends.
const toNeighbours = 1 << 12

// bisect halves an interval, in whichever order its ends are, and keeps the half with one end that is near and one that is
// not, as the ends given are taken to be. It stops after so many steps, or when no float64 lies between the ends.
func bisect(near, far float64, steps int, isNear func(x float64) bool) (_, _ float64) {
	for range steps {
		x := near + (far-near)/2
		if x == near || x == far {
			break
		}
		if isNear(x) {
			near = x
		} else {
			far = x
		}
	}
	return near, far
}

func checkProportion(k, n int, confidence float64) {
	if n <= 0 || k < 0 || k > n || !(0 < confidence && confidence < 1) {
		panic(fmt.Sprintf("stat: interval for %d of %d with confidence %v", k, n, confidence))
	}
}
