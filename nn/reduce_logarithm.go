package nn

import "math"

func total(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func logSum(x []float64) float64 { return math.Log(total(x)) }

func logSumTangent(x, d []float64, _ float64) float64 { return total(d) / total(x) }

func logSumPull(dst, x []float64, _, u float64) {
	s := total(x)
	for i := range dst {
		dst[i] = u / s
	}
}

// logSumBound: as Log's, with the error of the sum, which rounds n times.
func logSumBound(x, e []float64, y float64) float64 {
	up := roundUp(len(x) + 20)
	t := up * sumAbsBound(x, e, 0) / total(x)
	if !(t >= 0 && t < 1) {
		return math.Inf(1)
	}
	return up*(-math.Log1p(-t)+16*unit*math.Abs(y)) + underflow
}

func logSumExps(x []float64) float64 {
	top := largestOf(x)
	if math.IsInf(top, 0) {
		return top
	}
	s := 0.0
	for _, v := range x {
		s += math.Exp(v - top)
	}
	return top + math.Log(s)
}

func largestOf(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	return top
}

func logSumExpTangent(x, d []float64, y float64) float64 {
	s := 0.0
	for i, v := range x {
		s += math.Exp(v-y) * d[i]
	}
	return s
}

func logSumExpPull(dst, x []float64, y, u float64) {
	for i, v := range x {
		dst[i] = math.Exp(v-y) * u
	}
}

// logSumExpBound: the value moves by at most the largest e. Computed, Σ e^{x−top} ≥ 1
// is off relatively by u·n/e for the rounding of x − top (|t|·e^t ≤ 1/e), by 16u
// allowed to math.Exp and by n roundings; its logarithm is off by as much, and by 16u
// of itself; the last addition by u·|y|.
func logSumExpBound(x, e []float64, y float64) float64 {
	n := float64(len(x))
	own := unit * (2*n + 40 + 16*math.Log(n) + math.Abs(y))
	return (max(0, largestOf(e))+own)*roundUp(20) + underflow
}
