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
