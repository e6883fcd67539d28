// Package stat summarises samples: quantiles, histograms, means, intervals for
// proportions and for their paired difference and ratio, curves of classifiers' scores,
// entropy and mutual information, and tests: paired ones with their power, and by
// permutation.
package stat

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"strings"

	gonum "gonum.org/v1/gonum/stat"

	"tattle/internal/math/simd"
)

// Quantile returns the quantile of x at p in [0, 1]: the sample's order
// statistics, interpolated linearly at (n−1)·p, as numpy does by default. x is
// left as it is. Infinite values count as such, so that a bound which is
// unbounded takes its place in the order; with a NaN in x the result is NaN. It
// panics if x is empty or p is outside [0, 1].
func Quantile(x []float64, p float64) float64 { return Quantiles(x, p)[0] }

// Quantiles returns the Quantile of x at each p.
func Quantiles(x []float64, ps ...float64) []float64 { return quantiles(slices.Clone(x), ps...) }

// quantiles is Quantiles of x, which it reorders.
func quantiles(x []float64, ps ...float64) []float64 {
	if len(x) == 0 {
		panic("stat: quantile of no values")
	}
	q, ranks := make([]float64, len(ps)), make([]int, 0, 2*len(ps))
	for _, p := range ps {
		if !(0 <= p && p <= 1) {
			panic(fmt.Sprintf("stat: quantile at %v", p))
		}
		below := int(p * float64(len(x)-1))
		ranks = append(ranks, below, min(below+1, len(x)-1))
	}
	if slices.ContainsFunc(x, math.IsNaN) {
		for i := range q {
			q[i] = math.NaN()
		}
		return q
	}
	arrange(x, slices.Compact(slices.Sorted(slices.Values(ranks))), 0, 2*bits.Len(uint(len(x))))
	for i, p := range ps {
		below, above := ranks[2*i], ranks[2*i+1]
		q[i] = between(x[below], x[above], p*float64(len(x)-1)-float64(below))
	}
	return q
}

// arrange reorders x so that the entries at the given ranks stand where a sort would put them. Ranks
// ascend, and x[0] has rank first. It is Hoare's selection; where that many partitions do not
// suffice, it sorts.
func arrange(x []float64, ranks []int, first, partitions int) {
	if len(ranks) == 0 {
		return
	}
	if len(x) < 16 || partitions == 0 {
		slices.Sort(x)
		return
	}
	middle := []float64{x[len(x)/8], x[len(x)/4], x[len(x)/2], x[3*len(x)/4], x[7*len(x)/8]}
	slices.Sort(middle)
	at := part(x, middle[2])
	if at == 0 { // nothing is below the pivot: those that equal it stand first then
		at = part(x, math.Nextafter(middle[2], math.Inf(1)))
		ranks = ranks[sort.SearchInts(ranks, first+at):]
		arrange(x[at:], ranks, first+at, partitions-1)
		return
	}
	k := sort.SearchInts(ranks, first+at)
	arrange(x[:at], ranks[:k], first, partitions-1)
	arrange(x[at:], ranks[k:], first+at, partitions-1)
}

// part moves the entries below a pivot before the others and returns how many they are. It has no branch that depends on an entry.
func part(x []float64, pivot float64) (less int) {
	for i, v := range x {
		x[i], x[less] = x[less], v
		below := 0 // set by a conditional move, not by a jump
		if v < pivot {
			below = 1
		}
		less += below
	}
	return less
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

// ParseShare reads "5%" as .05 and ".05" as it is. Percent is whether the text has the sign. The
// caller checks the range.
func ParseShare(text string) (share float64, percent bool, err error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, percent, fmt.Errorf("%q is not a number", text)
	}
	if percent {
		v /= 100
	}
	return v, percent, nil
}
