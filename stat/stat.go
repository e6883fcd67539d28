// Package stat summarises samples: quantiles, histograms, means, intervals for
// proportions and for their paired difference and ratio, curves of classifiers' scores,
// entropy and mutual information, and tests: paired ones with their power, and by
// permutation.
package stat

import (
	"fmt"
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/stat"

	"tattle/internal/simd"
)

// Quantile returns the quantile of x at p in [0, 1]: the sample's order
// statistics, interpolated linearly at (n−1)·p, as numpy does by default. x is
// left as it is. Infinite values count as such, so that a bound which is
// unbounded takes its place in the order; with a NaN in x the result is NaN. It
// panics if x is empty or p is outside [0, 1].
func Quantile(x []float64, p float64) float64 { return Quantiles(x, p)[0] }

// Quantiles returns the Quantile of x at each p.
func Quantiles(x []float64, ps ...float64) []float64 {
	if len(x) == 0 {
		panic("stat: quantile of no values")
	}
	sorted := slices.Sorted(slices.Values(x)) // NaNs come first
	q := make([]float64, len(ps))
	for i, p := range ps {
		if !(0 <= p && p <= 1) {
			panic(fmt.Sprintf("stat: quantile at %v", p))
		}
		if math.IsNaN(sorted[0]) {
			q[i] = math.NaN()
			continue
		}
		at := p * float64(len(x)-1)
		below := int(at)
		above := min(below+1, len(x)-1)
		q[i] = between(sorted[below], sorted[above], at-float64(below))
	}
	return q
}

// between interpolates from a, at t = 0, to b, at t = 1.
func between(a, b, t float64) float64 {
	switch {
	case t == 0 || a == b:
		return a
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		return a + b
	case t < .5:
		return a + (b-a)*t
	default: // exact at t = 1
		return b - (b-a)*(1-t)
	}
}

// A Histogram counts values in bins of fixed edges.
type Histogram struct {
	Edges        []float64 // ascending, one more than bins
	Counts       []int     // of edges[i] ≤ x < edges[i+1], in the last bin ≤
	Below, Above int       // beyond the edges; infinities count here
	NaN          int
}

// NewHistogram returns an empty Histogram. It panics unless there are two edges
// or more, finite and ascending.
func NewHistogram(edges []float64) *Histogram {
	ok := len(edges) >= 2 && !math.IsInf(edges[0], 0) && !math.IsInf(edges[len(edges)-1], 0)
	for i := 1; i < len(edges); i++ {
		ok = ok && edges[i-1] < edges[i]
	}
	if !ok {
		panic(fmt.Sprintf("stat: histogram edges %v", edges))
	}
	return &Histogram{Edges: slices.Clone(edges), Counts: make([]int, len(edges)-1)}
}

// Edges returns the n+1 edges of n bins of one width from lo to hi. It panics
// unless n is positive and lo < hi.
func Edges(lo, hi float64, n int) []float64 {
	if n <= 0 || !(lo < hi) {
		panic(fmt.Sprintf("stat: %d bins from %v to %v", n, lo, hi))
	}
	edges := make([]float64, n+1)
	for i := range edges {
		edges[i] = lo + (hi-lo)*float64(i)/float64(n)
	}
	edges[n] = hi
	return edges
}

// Add counts the values of x.
func (h *Histogram) Add(x ...float64) {
	last := len(h.Counts)
	for _, v := range x {
		switch {
		case math.IsNaN(v):
			h.NaN++
		case v < h.Edges[0]:
			h.Below++
		case v > h.Edges[last]:
			h.Above++
		case v == h.Edges[last]:
			h.Counts[last-1]++
		default:
			i, on := slices.BinarySearch(h.Edges, v)
			if !on {
				i--
			}
			h.Counts[i]++
		}
	}
}

// RMS returns the root of the mean square of x, summed in float64. It is 0 for
// no values.
func RMS[T simd.Float](x []T) float64 {
	if len(x) == 0 {
		return 0
	}
	var s float64
	for _, v := range x {
		s += float64(v) * float64(v)
	}
	return math.Sqrt(s / float64(len(x)))
}

// MeanStd returns the mean of x and its standard deviation with divisor n−1,
// NaN if x is too short for them.
func MeanStd(x []float64) (mean, std float64) { return gonum.MeanStdDev(x, nil) }

// Mode returns the middle of the fullest bin.
func (h *Histogram) Mode() float64 {
	at := 0
	for i, k := range h.Counts {
		if k > h.Counts[at] {
			at = i
		}
	}
	return (h.Edges[at] + h.Edges[at+1]) / 2
}
