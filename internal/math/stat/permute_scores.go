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
	var ends, counts []int // of each stratum its end, and how many are of each class
	for _, at := range strata {
		if oneClassOf(class, at) {
			continue
		}
		first, of := len(rows), make([]int, classes)
		for _, i := range at {
			of[class[i]]++
			rows = append(rows, score[i*classes:(i+1)*classes]...)
			dealt = append(dealt, class[i])
		}
		centreColumns(rows[first:], classes)
		ends, counts = append(ends, len(dealt)), append(counts, of...)
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
		left := make([]int, len(counts))
		return func(rng *rand.Rand) bool {
			copy(left, counts)
			return dealtScores(rows, left, ends, rng) >= need
		}
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

// dealtScores deals out classes within the strata that end at ends, and returns the sum of their scores. left,
// [strata, classes], is how many of each class there are; it is used up.
func dealtScores(rows []float64, left, ends []int, rng *rand.Rand) float64 {
	classes := len(left) / max(1, len(ends))
	sum, start := 0.0, 0
	for s, end := range ends {
		of := left[s*classes:][:classes]
		for n := end - start; n > 0; n-- {
			k, c := int(rng.Uint32N(uint32(n))), 0
			for k >= of[c] {
				k -= of[c]
				c++
			}
			of[c]--
			sum += rows[(end-n)*classes+c]
		}
		start = end
	}
	return sum
}
