package classify

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Threshold is paper B's attack without a model, eq. (4), of two classes: it guesses the
// second where the entropy of a row of probabilities, in nats, is above τ or, as the fit
// finds, where it is not. Entries that are not positive count as 0. The τ of package curious
// is from the grid of B's authors, and its attack is a graph: taking either choice for both
// would change the bytes of the other's models.
type Threshold struct{}

// Name returns "threshold".
func (Threshold) Name() string { return "threshold" }

// Suits reports whether the target has two classes.
func (Threshold) Suits(t Target) bool { return t.Labels != nil && t.Classes == 2 }

// cut is a threshold and its direction: scores are [0, sign·(H − tau)].
type cut struct{ tau, sign float64 }

type cuts struct {
	d    int
	cuts []cut
}

// entropy returns −Σ p log p.
func entropy(p []float32) float64 {
	var h float64
	for _, v := range p {
		if v > 0 {
			h -= float64(v) * math.Log(float64(v))
		}
	}
	return h
}

// Fit takes the τ and the direction that are right most often, a constant guess where
// no τ betters it. The seed is not used.
func (l Threshold) Fit(ctx context.Context, x []float32, d int, targets []Target, seed uint64) (Fitted, error) {
	n, err := check(l, x, d, targets)
	if err != nil {
		return nil, err
	}
	h, order := make([]float64, n), make([]int, n)
	for i := range n {
		h[i], order[i] = entropy(x[i*d:(i+1)*d]), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(h[a], h[b]) })
	f := &cuts{d: d}
	for _, t := range targets {
		f.cuts = append(f.cuts, bestCut(h, order, t.Labels))
	}
	return f, ctx.Err()
}

// bestCut looks at every τ halfway between two entropies, in ascending order.
func bestCut(h []float64, order, labels []int) cut {
	ones := 0
	for _, l := range labels {
		ones += l
	}
	n := len(labels)
	best, right := cut{-math.MaxFloat64, -1}, n-ones // always the first class
	if ones > right {
		best, right = cut{-math.MaxFloat64, 1}, ones
	}
	below := 0 // rows of the first class up to τ, less those of the second
	for i, at := range order {
		below += 1 - 2*labels[at]
		if i+1 < n && h[order[i+1]] == h[at] || i+1 == n {
			continue
		}
		next := h[order[i+1]]
		tau := h[at]/2 + next/2
		if tau >= next { // rounded up, between neighbours
			tau = h[at]
		}
		if above := ones + below; above > right {
			best, right = cut{tau, 1}, above
		}
		if under := n - ones - below; under > right {
			best, right = cut{tau, -1}, under
		}
	}
	return best
}

// Predict gives [0, ±(H − τ)].
func (f *cuts) Predict(ctx context.Context, dst [][]float32, x []float32) error {
	widths := make([]int, len(f.cuts))
	for t := range widths {
		widths[t] = 2
	}
	n := checkPredict(dst, x, f.d, widths)
	for i := range n {
		h := entropy(x[i*f.d : (i+1)*f.d])
		for t, c := range f.cuts {
			if dst[t] != nil {
				dst[t][2*i], dst[t][2*i+1] = 0, finite(c.sign*(h-c.tau))
			}
		}
	}
	return ctx.Err()
}
