package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// PermuteScores returns the p-value of Σ score[i·classes + class[i]] being as large as it
// is, or larger, had the classes been dealt out at random among the examples of each
// stratum: the test of PermuteWithin for a score of every class, as a log-likelihood is.
// score is [examples, classes]; strata lists the examples of each. It panics unless the
// lengths fit, stretch is at least 1 and draws is positive.
func PermuteScores(score []float64, classes int, class []int, strata [][]int, stretch float64, draws int, r *rand.Rand) Permuted {
	if len(score) != classes*len(class) {
		panic(fmt.Sprintf("stat: %d scores of %d classes of %d examples", len(score), classes, len(class)))
	}
	checkStretch(stretch)
	var rows []float64 // by stratum, less the stratum's mean of each class, so that the mean over deals is 0
	var dealt []int
	var ends []int
	for _, at := range strata {
		if oneClassOf(class, at) {
			continue
		}
		first := len(rows)
		for _, i := range at {
			rows = append(rows, score[i*classes:(i+1)*classes]...)
			dealt = append(dealt, class[i])
		}
		centreColumns(rows[first:], classes)
		ends = append(ends, len(dealt))
	}
	seen, size := 0.0, 0.0
	for i, c := range dealt {
		v := rows[i*classes+c]
		seen, size = seen+v, size+math.Abs(v)
	}
	if size <= 1e-12*float64(len(dealt)) {
		return Permuted{P: 1}
	}
	need := stretched(seen, 0, stretch) - 1e-12*size
	return exceed(draws, enough, r, func() func(*rand.Rand) bool {
		own := make([]int, len(dealt))
		copy(own, dealt)
		return func(rng *rand.Rand) bool { return shuffledScores(rows, classes, own, ends, rng) >= need }
	})
}

// oneClassOf returns whether all examples at the given places are of one class.
func oneClassOf(class, at []int) bool {
	for _, i := range at {
		if class[i] != class[at[0]] {
			return false
		}
	}
	return true
}

// centreColumns subtracts from each column of x, [rows, width], its mean.
func centreColumns(x []float64, width int) {
	n := float64(len(x) / width)
	for c := range width {
		mean := 0.0
		for i := c; i < len(x); i += width {
			mean += x[i] / n
		}
		for i := c; i < len(x); i += width {
			x[i] -= mean
		}
	}
}

// shuffledScores shuffles class within the strata that end at ends and returns the sum of
// the scores of the classes that were dealt.
func shuffledScores(rows []float64, width int, class, ends []int, rng *rand.Rand) float64 {
	sum, start := 0.0, 0
	for _, end := range ends {
		for i := end - 1; i >= start; i-- {
			j := start + int(rng.Uint64N(uint64(i-start+1)))
			class[i], class[j] = class[j], class[i]
			sum += rows[i*width+class[i]]
		}
		start = end
	}
	return sum
}
