package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// PermuteProducts returns the p-value of Σ x·y being as large as it is, or larger, had
// the y been dealt out at random among the examples of each stratum: what
// PermuteWithin is to guesses of classes, for guesses of numbers. strata lists the
// examples of each. It panics unless x and y are of one length, stretch is at least 1 and
// draws is positive.
func PermuteProducts(x, y []float64, strata [][]int, stretch float64, draws int, r *rand.Rand) Permuted {
	if len(x) != len(y) {
		panic(fmt.Sprintf("stat: products of %d and %d numbers", len(x), len(y)))
	}
	checkStretch(stretch)
	var gx, gy []float64 // by stratum, less its means: what is left of cancellation in the sum
	var ends []int
	for _, s := range strata {
		first := len(gx)
		for _, i := range s {
			gx, gy = append(gx, x[i]), append(gy, y[i])
		}
		centreColumns(gx[first:], 1)
		centreColumns(gy[first:], 1)
		ends = append(ends, len(gx))
	}
	var seen, size float64
	for i := range gx {
		seen += gx[i] * gy[i]
		size += math.Abs(gx[i] * gy[i])
	}
	seen = stretched(seen, 0, stretch) - 1e-12*size
	return exceed(draws, enough, r, func() func(*rand.Rand) bool {
		dealt := make([]float64, len(gy))
		return func(rng *rand.Rand) bool {
			copy(dealt, gy)
			return shuffledProducts(gx, dealt, ends, rng) >= seen
		}
	})
}

// shuffledProducts shuffles y within the strata that end at ends and returns Σ x·y.
func shuffledProducts(x, y []float64, ends []int, rng *rand.Rand) float64 {
	var sum float64
	start := 0
	for _, end := range ends {
		xs, ys := x[start:end], y[start:end]
		for i := len(ys) - 1; i >= 0; i-- {
			j := rng.Uint64N(uint64(i + 1))
			ys[i], ys[j] = ys[j], ys[i]
			sum += xs[i] * ys[i]
		}
		start = end
	}
	return sum
}

// PermuteMeans returns the p-value of the means of y, [examples, width], differing as much between
// groups as they do, or more, had the rows of y been dealt out at random: of
// Σ nₖ·‖meanₖ − mean‖². It panics unless group has an entry for each row, the groups are
// 0 … groups−1, and draws is positive.
func PermuteMeans(group []int, groups int, y []float64, draws int, r *rand.Rand) Permuted {
	width := len(y) / max(1, len(group))
	if width < 1 || len(group)*width != len(y) {
		panic(fmt.Sprintf("stat: groups of %d numbers for %d", len(group), len(y)))
	}
	values, sizes := make([]float64, len(y)), make([]int, groups)
	copy(values, y)
	centreColumns(values, width)
	for _, g := range group {
		sizes[g]++
	}
	size := 0.
	for _, v := range values {
		size += v * v
	}
	own := make([]int, len(group))
	for i := range own {
		own[i] = i
	}
	slices.SortStableFunc(own, func(i, j int) int { return group[i] - group[j] })
	seen := betweenGroups(values, own, sizes, make([]float64, width)) - 1e-12*size
	return exceed(draws, enough, r, func() func(*rand.Rand) bool {
		dealt, sum := make([]int, len(own)), make([]float64, width)
		return func(rng *rand.Rand) bool {
			copy(dealt, own)
			rng.Shuffle(len(dealt), func(i, j int) { dealt[i], dealt[j] = dealt[j], dealt[i] })
			return betweenGroups(values, dealt, sizes, sum) >= seen
		}
	})
}

// betweenGroups returns Σ ‖sum of a group‖²/(its size) of rows, whose groups lie one after another in order.
func betweenGroups(x []float64, order, sizes []int, sum []float64) (s float64) {
	for _, n := range sizes {
		clear(sum)
		for _, i := range order[:n] {
			for k := range sum {
				sum[k] += x[i*len(sum)+k]
			}
		}
		for _, v := range sum {
			if n > 0 {
				s += v * v / float64(n)
			}
		}
		order = order[n:]
	}
	return s
}
