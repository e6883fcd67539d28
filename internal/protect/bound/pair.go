package bound

import (
	"math"

	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

// PairOptions configures the search for witnesses of pair floors: inputs whose features
// the noise hides, as far from θ as possible. Near witnesses, far ones and twins prove such
// floors as well. Its zero value disables the search.
type PairOptions struct {
	Witnesses int    `json:"witnesses"`        // per example for the whole input, at most MostPairs; 0 for none at all
	Groups    int    `json:"groups,omitempty"` // further ones, each for a group of coordinates, at most MostPairGroups; 0 for none
	Domain    Domain `json:"domain"`           // where θ+ε stays; on a grid, the box is searched and the result rounded
}

// groups is the number of groups of m coordinates.
func (o PairOptions) groups(m int) int { return min(o.Groups, m) }

// A PairFloor is what the witnesses of one kind prove of every adversary, biased or not: on average
// over an input θ and another one θ+ε, its mean-square error of wᵀθ is at least (wᵀε)²·h, and
// ‖ε‖²·h over all coordinates of the input (release.PairShare).
type PairFloor struct {
	Share      []float64 // [examples, witnesses]: h of each, at most ¼
	Std        []float64 // [examples, m]: lower bounds on root mean square errors, the largest |wᵀε|√h
	MeanSquare []float64 // [examples]: on the mean-square error per input, the largest ‖ε‖²h/p
}

// Pair returns a lower bound on the root mean square of the errors of wᵀθ that any estimator makes
// at θ and at θ+ε, given the computed g = wᵀε and a bound gerr on its error, by which |g| is
// reduced.
func (d Divergence) Pair(g, gerr float64) float64 {
	g = (math.Abs(g) - gerr) * (1 - 2*ulp)
	if !(g > 0 && g <= math.MaxFloat64) {
		return 0
	}
	return atLeast(g * math.Sqrt(d.Share) * (1 - 4*ulp))
}

// PairMeanSquare returns a lower bound on the mean-square error per input that any
// estimator of the whole input makes, on average over θ and θ+ε. The sum of squares errs
// by at most pu/(1−pu).
func (d Divergence) PairMeanSquare(eps []float64) float64 {
	s, p := square(eps), float64(len(eps))
	if !(s >= 0x1p-960 && s <= math.MaxFloat64) {
		return 0
	}
	return atLeast(s / p * d.Share * (1 - (p+16)*ulp))
}

// slack returns the largest relative difference of a floor on another processor. With q = −ln 4h, a
// small relative change of ‖z‖ changes h by less than 4q times as much.
func (d Divergence) slack() float64 {
	q := -math.Log(4 * d.Share)
	if !(q > 0) {
		return certificateTolerance
	}
	return min(certificateTolerance+4*q*(certificateTolerance+2*d.Rounding/(d.ZNorm+d.Allowance)), mostTolerance)
}

// share returns at most the h of PairShare for noise that is not Gaussian and features that differ
// by z, with an error of at most e.
func (c *Certifier) share(z, e []float64) float64 {
	if h := release.PairShare(c.Noise, z, e, c.Queries); h > 0 {
		return h
	}
	return 0
}

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
