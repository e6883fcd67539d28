package classify

import "math"

// scaler standardises columns: less the mean, over the standard deviation of the rows
// it was made from. A column that was constant becomes 0.
type scaler struct {
	mean, inverse []float64 // [d]
}

func newScaler(x []float32, d int) *scaler {
	n := float64(len(x) / d)
	s := &scaler{make([]float64, d), make([]float64, d)}
	constant := make([]bool, d)
	for j := range constant {
		constant[j] = true
	}
	for lo := 0; lo < len(x); lo += d {
		for j, v := range x[lo : lo+d] {
			s.mean[j] += float64(v)
			constant[j] = constant[j] && v == x[j]
		}
	}
	for j := range s.mean {
		s.mean[j] /= n
	}
	for lo := 0; lo < len(x); lo += d {
		for j, v := range x[lo : lo+d] {
			r := float64(v) - s.mean[j]
			s.inverse[j] += r * r
		}
	}
	for j, squares := range s.inverse {
		if s.inverse[j] = math.Sqrt(n / squares); constant[j] || math.IsInf(s.inverse[j], 0) {
			s.inverse[j] = 0
		}
	}
	return s
}

// standardise overwrites dst with the standardised rows of x, cut off beyond the limit.
func standardise[T float32 | float64](s *scaler, limit float64, dst []T, x []float32) {
	d := len(s.mean)
	for lo := 0; lo < len(x); lo += d {
		for j, v := range x[lo : lo+d] {
			z := (float64(v) - s.mean[j]) * s.inverse[j]
			if z > limit {
				z = limit
			} else if z < -limit {
				z = -limit
			}
			dst[lo+j] = T(z)
		}
	}
}
