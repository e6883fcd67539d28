package classify

import (
	"math"
	"slices"

	"tattle/internal/math/stat"
)

// scaler standardises columns: less the mean, over the standard deviation of the rows
// it was made from. A column that was constant becomes 0. Where a few far numbers cause most of the variance, they count as the
// fences of stat.Outliers: otherwise a single one would make all others alike.
type scaler struct {
	mean, inverse []float64 // [d]
	most          []float64 // where standardised numbers are cut off; +Inf where none is far [d]
}

func newScaler(x []float32, d int) *scaler {
	n := float64(len(x) / d)
	s := &scaler{make([]float64, d), make([]float64, d), slices.Repeat([]float64{math.Inf(1)}, d)}
	varied, farthest := make([]bool, d), make([]float64, d) // of squares
	column, room := make([]float64, len(x)/d), make([]float64, len(x)/d)
	few := math.Floor(max(1, n/farShare))
	far := max(farSquare, nearHalf*n/few-1)
	for lo := 0; lo < len(x); lo += d {
		for j, v := range x[lo : lo+d] {
			s.mean[j] += float64(v)
			varied[j] = varied[j] || v != x[j]
		}
	}
	for j := range s.mean {
		s.mean[j] /= n
	}
	for lo := 0; lo < len(x); lo += d {
		for j, v := range x[lo : lo+d] {
			r := float64(v) - s.mean[j]
			r *= r
			s.inverse[j] += r
			if r > farthest[j] {
				farthest[j] = r
			}
		}
	}
	for j, squares := range s.inverse {
		if farthest[j] > far*squares/n {
			if fenced := columnWithin(column, room, x, j, d); fenced != nil {
				mean, std := stat.MeanStd(fenced)
				s.mean[j], squares = mean, std*std*n
				s.most[j] = max(mean-slices.Min(fenced), slices.Max(fenced)-mean) / std
			}
		}
		if s.inverse[j] = math.Sqrt(n / squares); !varied[j] || math.IsInf(s.inverse[j], 0) {
			s.inverse[j] = 0
		}
	}
	return s
}

// A column whose standardised numbers all have smaller squares is not searched for far ones. Let k of n numbers have more than half of
// the squared distances from the median. They have more than ½ − k/n of those from the mean, whatever the distance δ between the two:
// by Cauchy and Schwarz's inequality, Σ_k(r+δ)² ≤ (√Σ_k r² + √k·δ)² ≤ (Σ_k r²/Σr² + k/n)·(Σr² + nδ²). One of them has n/2k − 1 at least.
const (
	farSquare = 25  // of few rows
	nearHalf  = .49 // for rounding
)

// farShare is the number of rows for each far number that is replaced; of fewer rows it may be one. More far numbers may be those of
// a rare class, and their differences tell something.
const farShare = 500

// columnWithin overwrites column with column j, far numbers replaced by the nearest fence, and returns it; nil if there are none, or
// more than a few. Room is for another column.
func columnWithin(column, room []float64, x []float32, j, d int) []float64 {
	for i := range column {
		column[i] = float64(x[i*d+j])
	}
	low, high, out := stat.Outliers(column, room)
	if len(out) == 0 || len(out) > max(1, len(column)/farShare) {
		return nil
	}
	for i, v := range column {
		column[i] = min(max(v, low), high)
	}
	return column
}

// standardise overwrites dst with the standardised rows of x, cut off beyond the limit.
func standardise[T float32 | float64](s *scaler, limit float64, dst []T, x []float32) {
	d := len(s.mean)
	for ; len(x) > 0; x, dst = x[d:], dst[d:] {
		mean, inverse, most, z := s.mean[:d], s.inverse[:d], s.most[:d], dst[:d]
		for j, v := range x[:d] {
			u, far := (float64(v)-mean[j])*inverse[j], most[j]
			if limit < far {
				far = limit
			}
			if u > far {
				u = far
			} else if u < -far {
				u = -far
			}
			z[j] = T(u)
		}
	}
}
