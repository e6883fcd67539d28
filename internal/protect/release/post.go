package release

import (
	"cmp"
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// Post is the processing of the features with noise before they leave. It uses nothing else of
// the input, so a bound on the features with noise still holds (post-processing).
// The zero value does nothing.
type Post struct {
	Digits int  `json:"digits,omitempty"` // round to so many decimals; 0: no rounding
	TopK   int  `json:"top_k,omitempty"`  // keep the so many largest; 0, or more than there are: all
	Label  bool `json:"label,omitempty"`  // keep only which is largest: 1 there, 0 elsewhere
}

// Apply changes x, [batch, n], in place. Entries outside the TopK become 0 or, where
// the smallest kept is negative, twice that, so that the kept stay the largest.
func (p Post) Apply(x []float32, n int) {
	if p == (Post{}) {
		return
	}
	order := make([]int, n)
	for i := 0; i < len(x); i += n {
		p.apply(x[i:i+n], order)
	}
}

func (p Post) apply(x []float32, order []int) {
	if p.Digits > 0 {
		round(x, p.Digits)
	}
	if p.TopK > 0 && p.TopK < len(x) {
		keepLargest(x, p.TopK, order)
	}
	if p.Label {
		oneHot(x)
	}
}

// round leaves as it is what has no such decimals: beyond 10⁻⁴⁵ and 10³⁸ there are no
// float32 numbers.
func round(x []float32, digits int) {
	unit := math.Pow10(digits)
	for i, v := range x {
		if r := math.Round(float64(v)*unit) / unit; r-r == 0 {
			x[i] = float32(r)
		}
	}
}

// keepLargest keeps the first of equal entries.
func keepLargest(x []float32, k int, order []int) {
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[j], x[i]) })
	fill := min(0, 2*x[order[k-1]])
	for _, i := range order[k:] {
		x[i] = fill
	}
}

func oneHot(x []float32) {
	best := nn.Largest(x)
	clear(x)
	x[best] = 1
}
