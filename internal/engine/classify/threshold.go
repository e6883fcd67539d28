package classify

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Threshold is paper B's attack without a model, eq. (4), of two classes: it guesses the
// second where the entropy of a row of probabilities, in nats, is above τ or, as the fit
// finds, where it is not. Entries that are not positive count as 0. Every τ halfway between two
// entropies is tried; package curious takes one from the grid of B's authors.
type Threshold struct{}

// Name returns "threshold".
func (Threshold) Name() string { return "threshold" }

// Suits reports whether the target has two classes.
func (Threshold) Suits(t Target) bool { return t.Labels != nil && t.Classes == 2 }

// A Cut guesses the second of two classes where a number is above Tau or, with Below, where it is
// not.
type Cut struct {
	Tau   float64
	Below bool
}

// BestCut returns the cut at one of taus, ascending, that guesses most of the labels, 0 and 1, of
// the numbers h, the first of equally good ones, and how many it guesses. Cuts with Below are tried
// if both is set.
func BestCut(h []float64, labels []int, taus []float64, both bool) (best Cut, right int) {
	order := make([]int, len(h))
	above := 0 // right guesses if all numbers are above τ
	for i, l := range labels {
		order[i] = i
		above += l
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(h[a], h[b]) })
	right = -1
	at := 0
	for _, tau := range taus {
		for ; at < len(order) && h[order[at]] <= tau; at++ {
			above += 1 - 2*labels[order[at]]
		}
		if above > right {
			best, right = Cut{Tau: tau}, above
		}
		if below := len(h) - above; both && below > right {
			best, right = Cut{tau, true}, below
		}
	}
	return best, right
}

// halfway returns a number below all of h, and one between each two that follow one another.
func halfway(h []float64) []float64 {
	values := slices.Compact(slices.Sorted(slices.Values(h)))
	taus := []float64{-math.MaxFloat64}
	for i, next := range values[1:] {
		tau := values[i]/2 + next/2
		if tau >= next { // rounded up, between neighbours
			tau = values[i]
		}
		taus = append(taus, tau)
	}
	return taus
}

// Entropy returns −Σ p log p of a row of probabilities, in nats.
func Entropy(p []float32) float64 {
	var h float64
	for _, v := range p {
		if v > 0 {
			h -= float64(v) * math.Log(float64(v))
		}
	}
	return h
}

// entropies returns that of each row of x, [n, d].
func entropies(x []float32, d int) []float64 {
	h := make([]float64, len(x)/d)
	for i := range h {
		h[i] = Entropy(x[i*d : (i+1)*d])
	}
	return h
}

// cuts is a fitted Threshold.
type cuts struct {
	shape
	cuts []Cut
}

// Fit takes the τ and the direction that are right most often, a constant guess where
// no τ betters it. The seed is not used.
func (l Threshold) Fit(ctx context.Context, rows Rows, targets []Target, seed uint64) (Fitted, error) {
	s, err := check(l, rows, targets)
	if err != nil {
		return nil, err
	}
	f, h := &cuts{shape: s}, LookUp(rows.entropies(), rows.at)
	taus := halfway(h)
	for _, t := range targets {
		best, _ := BestCut(h, t.Labels, taus, true)
		f.cuts = append(f.cuts, best)
	}
	return f, ctx.Err()
}

// Predict gives [0, ±(H − τ)].
func (f *cuts) Predict(ctx context.Context, dst [][]float32, rows Rows) error {
	f.check(dst, rows)
	for i, h := range LookUp(rows.entropies(), rows.at) {
		for t, c := range f.cuts {
			above := h - c.Tau
			if c.Below {
				above = -above
			}
			if dst[t] != nil {
				dst[t][2*i], dst[t][2*i+1] = 0, finite(above)
			}
		}
	}
	return ctx.Err()
}
