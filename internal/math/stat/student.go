package stat

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// StudentUpper returns the probability that a variable of Student's t distribution
// with df degrees of freedom exceeds t:
//
//	½·I(df/(df+t²); df/2, ½) for t ≥ 0,
//
// I being the regularised incomplete beta function. It panics unless df > 0.
func StudentUpper(t, df float64) float64 {
	if !(df > 0) {
		panic(fmt.Sprintf("stat: Student's t with %v degrees of freedom", df))
	}
	tail := mathext.RegIncBeta(df/2, .5, df/(df+t*t)) / 2
	if t < 0 {
		return 1 - tail
	}
	return tail
}

// StudentQuantile returns the t that a variable of Student's t distribution with df
// degrees of freedom is at most with probability p, by bisection of StudentUpper. It
// panics unless df > 0 and 0 < p < 1.
func StudentQuantile(p, df float64) float64 {
	if !(df > 0) || !(0 < p && p < 1) {
		panic(fmt.Sprintf("stat: quantile at %v of Student's t with %v degrees of freedom", p, df))
	}
	if p < .5 {
		return -studentBeyond(p, df)
	}
	return studentBeyond(1-p, df)
}

// studentBeyond returns the t that is exceeded with probability tail ≤ ½.
func studentBeyond(tail, df float64) float64 {
	low, high := 0.0, 1.0
	for StudentUpper(high, df) > tail && high < 1e300 {
		low, high = high, 2*high
	}
	for high-low > 1e-13*high {
		t := low + (high-low)/2
		if StudentUpper(t, df) > tail {
			low = t
		} else {
			high = t
		}
	}
	return low
}

// OneMore tests whether x is larger than others of which it would be one more: by
//
//	t = (x − mean)/√(sd²·(1 + 1/len(others)) + variance),
//
// whose upper tail in Student's distribution with len(others) − 1 degrees of freedom
// is the p-value where all are drawn from one normal distribution and variance is 0.
// variance adds what x and the mean vary by that the others do not among themselves;
// the degrees of freedom are then too few, which is on the safe side. With fewer than
// two others p is 1; where nothing varies it is 0 for an x above them and else 1.
func OneMore(x float64, others []float64, variance float64) (t, p float64) {
	if len(others) < 2 {
		return 0, 1
	}
	mean, sd := MeanStd(others)
	r := float64(len(others))
	spread := math.Sqrt(sd*sd*(1+1/r) + variance)
	switch {
	case x == mean:
		return 0, .5
	case spread > 0:
		t = (x - mean) / spread
		return t, StudentUpper(t, r-1)
	case x > mean:
		return math.Inf(1), 0
	}
	return math.Inf(-1), 1
}

// MeanEstimate is the mean of a sample with one-sided limits, and a test of it.
type MeanEstimate struct {
	Mean, StandardError float64
	Low, High           float64 // each at the confidence
	P                   float64 // of "the mean is at most the margin", one-sided
}

// MeanTest estimates and tests the mean of x by Student's t. It panics with fewer than two
// values, and as StudentQuantile does.
func MeanTest(x []float64, margin, confidence float64) MeanEstimate {
	mean, sd := MeanStd(x)
	df, se := float64(len(x)-1), sd/math.Sqrt(float64(len(x)))
	half := se * StudentQuantile(confidence, df)
	return MeanEstimate{mean, se, mean - half, mean + half, StudentAbove(mean-margin, se, df)}
}

// StudentAbove returns the probability that Student's t exceeds difference/se: where se is 0, 0 or
// 1.
func StudentAbove(difference, se, df float64) float64 {
	switch {
	case se > 0:
		return StudentUpper(difference/se, df)
	case difference > 0:
		return 0
	}
	return 1
}
