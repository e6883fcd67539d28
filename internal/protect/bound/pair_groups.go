package bound

import (
	"math"

	"tattle/internal/math/simd"
	"tattle/internal/run"
)

const (
	// MostPairGroups is the largest number of groups of coordinates: a witness for each takes
	// about as long as a third of the search for whole inputs if there are so many.
	MostPairGroups = 8
	// groupSteps is the number of gradient steps for a group, and groupStep the part of its
	// range by which the first moves every input.
	groupSteps = 8
	groupStep  = .06
)

// pairDirections returns a direction for each of some groups of coordinates: the sum of the
// group's functionals with random signs, of norm 1. A witness that is far along the sum is
// usually far along each of them. Cosine modes are grouped by frequency,
// into bands of the same width, other coordinates in their order, as many in each group. With
// as many groups as coordinates the directions are the coordinates.
func pairDirections(c Coordinates, groups int) [][]float32 {
	order, banded := byFrequency(c)
	m, p := c.Len(), c.Inputs()
	signs := run.Rand(0, 0, 0)
	out, from := make([][]float32, groups), 0
	for i := range out {
		part := float64(i+1) / float64(groups)
		if banded {
			part *= part
		}
		to := max(from+1, int(math.Round(part*float64(m))))
		y, w := make([]float64, m), make([]float64, p)
		for _, k := range order[from:to] {
			y[k] = 1 - 2*float64(signs.Uint32()&1)
		}
		c.Transpose(w, y)
		if norm := math.Sqrt(simd.SumSquares(w)); norm > 0 {
			simd.Scale(1/norm, w)
		}
		out[i], from = make([]float32, p), to
		convert(out[i], w)
	}
	return out
}

// byFrequency lists the coordinates from the lowest frequency to the highest, or in their own order
// if they have no frequencies, and reports whether they have.
func byFrequency(c Coordinates) (order []int, banded bool) {
	listed := make([]bool, c.Len())
	banded = len(c.Band(1)) > 0
	for size := 1; banded && len(order) < len(listed); size++ {
		for _, k := range c.Band(size) {
			if !listed[k] {
				listed[k] = true
				order = append(order, k)
			}
		}
	}
	for k := range listed {
		if !listed[k] {
			order = append(order, k)
		}
	}
	return order, banded
}

// further begins a search along directions where one for whole inputs found the best of each
// input.
func (s *pairSearch) further(along [][]float32) *pairSearch {
	f := *s
	f.along = along
	f.begin(len(along))
	for row := range f.score {
		best := row / f.each * s.each
		for k := best; k < (row/f.each+1)*s.each; k++ {
			if s.score[k] > s.score[best] {
				best = k
			}
		}
		copy(rowOf(f.eps, row, f.p), rowOf(s.best, best, s.p))
	}
	return &f
}

// interleave joins rows of a, each of width w, to rows of b, each of width v.
func interleave(a, b []float32, w, v int) []float32 {
	out := make([]float32, 0, len(a)+len(b))
	for i := range len(a) / w {
		out = append(out, rowOf(a, i, w)...)
		out = append(out, rowOf(b, i, v)...)
	}
	return out
}
