package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"tattle/internal/math/simd"
)

const (
	// streams is the number of independent sequences of random numbers among which
	// draws are divided, whatever the number of cores.
	streams = 64
	// round is the number of draws after which it is looked whether there are enough.
	round = 4 * streams
	// enough draws that say yes end a test: where they come before the last draw, the
	// relative standard error of the p-value is at most 1/√enough.
	enough = 100
)

// Permuted is the outcome of a test by permutations that are drawn.
type Permuted struct {
	Draws int // that were made, or that PermuteScores knows not to reach what was seen
	P     float64
}

// exceed calls draw(rng) until it has said yes as often as most says, or as often as
// draws says. In the first case the p-value is most over the number of calls, in the
// second (1 + how often it said yes)/(draws + 1): it is at most α with probability α at
// most where what was seen is one more draw (J. Besag and P. Clifford, Biometrika 78,
// 1991). start returns a draw with memory of its own; what it says depends on rng alone.
func exceed(draws, most int, r *rand.Rand, start func() func(rng *rand.Rand) bool) Permuted {
	if draws <= 0 {
		panic(fmt.Sprintf("stat: %d permutations", draws))
	}
	rngs := newStreams(r)
	var said [round]bool
	yes, free := 0, sync.Pool{New: func() any { return start() }}
	for done := 0; done < draws; done += round {
		part := min(round, draws-done)
		simd.Parallel(min(streams, part), 1, func(lo, hi int) {
			draw := free.Get().(func(*rand.Rand) bool)
			defer free.Put(draw)
			for i := lo; i < hi; i++ {
				for j := i; j < part; j += streams {
					said[j] = draw(rngs[i])
				}
			}
		})
		for j := range part {
			if said[j] {
				yes++
			}
			if yes == most {
				return Permuted{Draws: done + j + 1, P: float64(most) / float64(done+j+1)}
			}
		}
	}
	return Permuted{Draws: draws, P: float64(yes+1) / float64(draws+1)}
}

func newStreams(r *rand.Rand) (rngs [streams]*rand.Rand) {
	for i := range rngs {
		rngs[i] = rand.New(rand.NewPCG(r.Uint64(), r.Uint64()))
	}
	return rngs
}

// PermuteWithin returns a p-value for the number of right guesses: the probability of at least
// as many if the true classes are permuted at random within each stratum. If guess and class are
// independent given the stratum, the p-value is at most p with probability at most p. strata
// lists the examples of each stratum.
//
// The number of right guesses depends only on the counts of guess × class. Given their sums,
// these are multivariate hypergeometric and are drawn from that distribution, at a cost that
// grows with the root of the number of examples.
//
// stretch is 1 if the guesses do not depend on the classes. If they depend on the classes of
// other examples, the number of right guesses varies more than under permutations; stretch is
// the ratio of the standard deviations, by which the observed difference from the mean is
// divided. PermuteWithin panics unless guess and class have the same length, stretch is at least
// 1 and draws is positive.
func PermuteWithin(guess, class []int, strata [][]int, stretch float64, draws int, r *rand.Rand) Permuted {
	checkStretch(stretch)
	start := dealing(guess, class, strata, stretch)
	if start == nil {
		return Permuted{P: 1}
	}
	return exceed(draws, enough, r, start)
}

func checkStretch(stretch float64) {
	if !(stretch >= 1) {
		panic(fmt.Sprintf("stat: a deviation stretched by %v", stretch))
	}
}

// stretched returns what a draw must reach where seen was, beyond the mean; a little
// less, for rounding.
func stretched(seen, mean, stretch float64) float64 {
	if seen > mean {
		seen = mean + (seen-mean)/stretch
	}
	return seen - 1e-9*math.Abs(seen)
}

// dealing returns the start of the draws of PermuteWithin, nil if how many are right
// cannot vary.
func dealing(guess, class []int, strata [][]int, stretch float64) func() func(*rand.Rand) bool {
	if len(guess) != len(class) {
		panic(fmt.Sprintf("stat: %d guesses of %d classes", len(guess), len(class)))
	}
	var deals []deal
	seen, largest, widest, mean := 0, 0, 0, 0.
	for _, at := range strata {
		d, right := newDeal(guess, class, at)
		if len(d.rows) > 0 {
			deals = append(deals, d)
			seen += right
			largest, widest = max(largest, d.total), max(widest, len(d.columns))
			mean += d.mean()
		}
	}
	if len(deals) == 0 {
		return nil
	}
	f, need := newFactorials(largest), int(math.Ceil(stretched(float64(seen), mean, stretch)))
	return func() func(*rand.Rand) bool {
		left, row := make([]int, widest), make([]int, widest)
		return func(rng *rand.Rand) bool {
			right := 0
			for i := range deals {
				right += deals[i].draw(f, left, row, rng)
			}
			return right >= need
		}
	}
}

// deal is a stratum: rows holds how many have each guess that can be right, columns how
// many are of its class, and last of the other classes together.
type deal struct {
	rows, columns []int
	total         int
}

// newDeal sums up the examples of a stratum, and counts those that are right. The deal
// has no rows where how many are right cannot vary.
func newDeal(guess, class, at []int) (deal, int) {
	guesses, classes, right := map[int]int{}, map[int]int{}, 0
	for _, i := range at {
		guesses[guess[i]]++
		classes[class[i]]++
		if guess[i] == class[i] {
			right++
		}
	}
	d := deal{total: len(at)}
	if len(guesses) < 2 || len(classes) < 2 {
		return d, right
	}
	others, seen := len(at), map[int]bool{}
	for _, i := range at { // in the examples' order, not the map's
		g := guess[i]
		if seen[g] || classes[g] == 0 {
			continue
		}
		seen[g] = true
		d.rows, d.columns = append(d.rows, guesses[g]), append(d.columns, classes[g])
		others -= classes[g]
	}
	d.columns = append(d.columns, others)
	return d, right
}

// mean returns how many are right on average.
func (d *deal) mean() float64 {
	m := 0.
	for i, n := range d.rows {
		m += float64(n) * float64(d.columns[i]) / float64(d.total)
	}
	return m
}

// draw deals the classes out once and returns how many guesses are right.
func (d *deal) draw(f factorials, left, row []int, rng *rand.Rand) int {
	left, row = left[:len(d.columns)], row[:len(d.columns)]
	copy(left, d.columns)
	total, right := d.total, 0
	for i, n := range d.rows {
		if i == len(d.rows)-1 { // what this row takes of other classes is nothing to us
			return right + f.hypergeometric(rng, total, left[i], n)
		}
		f.spread(row, left, total, n, rng)
		right += row[i]
		total -= n
	}
	return right
}

// PermuteScores returns the p-value of Σ score[i·classes + class[i]] being as large as it
// is, or larger, had the classes been dealt out at random among the examples of each
// stratum: the test of PermuteWithin for a score of every class, as a log-likelihood is. Where all draws are below what was
// seen but for a probability of certain, they are not made.
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
	if d := (dealtRows{rows, classes, counts, ends}); d.below(need, math.Log(certain/float64(draws))) {
		newStreams(r) // what follows draws the same as if draws had been made
		return Permuted{Draws: draws, P: 1 / float64(draws+1)}
	}
	// Of each stratum its largest class, and the sum of all scores of these, which is 0 but for rounding.
	most, rest := make([]int, len(ends)), 0.
	for s, first := 0, 0; s < len(ends); s++ {
		of := counts[s*classes:][:classes]
		most[s] = slices.Index(of, slices.Max(of))
		for ; first < ends[s]; first++ {
			rest += rows[first*classes+most[s]]
		}
	}
	return exceed(draws, enough, r, func() func(*rand.Rand) bool {
		left := make([]int32, len(dealt))
		return func(rng *rand.Rand) bool { return rest+dealtScores(rows, counts, most, ends, left, rng) >= need }
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

// dealtScores deals out classes within the strata that end at ends. It returns the sum of their scores, less that of all scores of
// each stratum's class most[s]. counts, [strata, classes], is how many of each class there are. left is overwritten.
//
// The rows of that class are those that the others leave, and so need no draw.
func dealtScores(rows []float64, counts, most, ends []int, left []int32, rng *rand.Rand) float64 {
	classes := len(counts) / max(1, len(ends))
	for i := range left {
		left[i] = int32(i)
	}
	sum, start := 0.0, 0
	for s, end := range ends {
		of, free := counts[s*classes:][:classes], left[start:end]
		for c, k := range of {
			if c == most[s] {
				continue
			}
			for range k {
				last := len(free) - 1
				at := rng.Uint32N(uint32(len(free)))
				row := rows[int(free[at])*classes:][:classes]
				sum += row[c] - row[most[s]]
				free[at] = free[last]
				free = free[:last]
			}
		}
		start = end
	}
	return sum
}
