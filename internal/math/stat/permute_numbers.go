package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
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
		gx, gy = append(gx, centred(x, s)...), append(gy, centred(y, s)...)
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
		copy(dealt, gy)
		return func(rng *rand.Rand) bool { return shuffledProducts(gx, dealt, ends, rng) >= seen }
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

// centred returns the values of x at the given places less their mean.
func centred(x []float64, at []int) []float64 {
	c, mean := make([]float64, len(at)), 0.0
	for i, j := range at {
		c[i] = x[j]
		mean += x[j] / float64(len(at))
	}
	for i := range c {
		c[i] -= mean
	}
	return c
}

// PermuteMeans returns the p-value of the means of y differing as much between groups
// as they do, or more, had the y been dealt out at random: of Σ nₖ·(meanₖ − mean)². It
// panics unless group and y are of one length, the groups are 0 … groups−1, and draws
// is positive.
func PermuteMeans(group []int, groups int, y []float64, draws int, r *rand.Rand) Permuted {
	if len(group) != len(y) {
		panic(fmt.Sprintf("stat: groups of %d numbers for %d", len(group), len(y)))
	}
	at, sizes := make([][]int, groups), make([]int, groups)
	all := make([]int, len(y))
	for i, g := range group {
		at[g] = append(at[g], i)
		sizes[g]++
		all[i] = i
	}
	values := centred(y, all)
	var sorted []float64 // by group
	var size float64
	for _, members := range at {
		for _, i := range members {
			sorted = append(sorted, values[i])
			size += values[i] * values[i]
		}
	}
	seen := betweenGroups(sorted, sizes) - 1e-12*size
	return exceed(draws, enough, r, func() func(*rand.Rand) bool {
		dealt := make([]float64, len(sorted))
		copy(dealt, sorted)
		return func(rng *rand.Rand) bool {
			rng.Shuffle(len(dealt), func(i, j int) { dealt[i], dealt[j] = dealt[j], dealt[i] })
			return betweenGroups(dealt, sizes) >= seen
		}
	})
}

// betweenGroups returns Σ (sum of a group)²/(its size) of groups that lie one after
// another.
func betweenGroups(x []float64, sizes []int) float64 {
	var s float64
	for _, n := range sizes {
		var sum float64
		for _, v := range x[:n] {
			sum += v
		}
		if n > 0 {
			s += sum * sum / float64(n)
		}
		x = x[n:]
	}
	return s
}
