package stat

import (
	"fmt"
	"math/rand/v2"

	"tattle/internal/simd"
)

// streams is the number of independent sequences of random numbers among which draws
// are divided, whatever the number of cores.
const streams = 64

// exceed calls draw(rng) as often as draws says and returns (1 + how often it said
// yes)/(draws + 1): the p-value of a test by permutations that were drawn, which
// counts what was seen as one of them and so is never below its nominal rate (B.
// Phipson and G. Smyth, Statistical Applications in Genetics and Molecular Biology 9,
// 2010). start returns a draw with memory of its own.
func exceed(draws int, r *rand.Rand, start func() func(rng *rand.Rand) bool) float64 {
	if draws <= 0 {
		panic(fmt.Sprintf("stat: %d permutations", draws))
	}
	var seeds [streams][2]uint64
	for i := range seeds {
		seeds[i] = [2]uint64{r.Uint64(), r.Uint64()}
	}
	var counts [streams]int
	simd.Parallel(streams, 1, func(lo, hi int) {
		draw := start()
		for i := lo; i < hi; i++ {
			rng := rand.New(rand.NewPCG(seeds[i][0], seeds[i][1]))
			for range (i+1)*draws/streams - i*draws/streams {
				if draw(rng) {
					counts[i]++
				}
			}
		}
	})
	yes := 1
	for _, k := range counts {
		yes += k
	}
	return float64(yes) / float64(draws+1)
}

// shuffleRatio is how many examples are shuffled in the time of one hypergeometric draw.
const shuffleRatio = 8

// PermuteWithin returns the p-value of guesses being right as often as they are or
// more often, had the true classes been dealt out at random among the examples of each
// stratum: where guess and class are independent given the stratum, it is at most p
// with probability at most p. strata lists the examples of each.
//
// What is dealt decides how many are right through the counts of guess × class alone,
// whose distribution given their sums is multivariate hypergeometric: they are drawn
// from it, at a cost that grows with the root of the number of examples, or the classes
// are shuffled where that is less. It panics unless guess and class are of one length
// and draws is positive.
func PermuteWithin(guess, class []int, strata [][]int, draws int, r *rand.Rand) float64 {
	if len(guess) != len(class) {
		panic(fmt.Sprintf("stat: %d guesses of %d classes", len(guess), len(class)))
	}
	var deals []deal
	seen, largest, widest := 0, 0, 0
	for _, at := range strata {
		d, right := newDeal(guess, class, at)
		if len(d.rows) > 0 {
			deals = append(deals, d)
			seen += right
			largest, widest = max(largest, d.total), max(widest, len(d.columns))
		}
	}
	if len(deals) == 0 {
		return 1
	}
	f := newFactorials(largest)
	return exceed(draws, r, func() func(*rand.Rand) bool {
		left, row, cards := make([]int, widest), make([]int, widest), make([]int, largest)
		return func(rng *rand.Rand) bool {
			right := 0
			for i := range deals {
				if d := &deals[i]; d.order != nil {
					right += d.shuffle(cards, rng)
				} else {
					right += d.draw(f, left, row, rng)
				}
			}
			return right >= seen
		}
	})
}

// deal is a stratum: rows holds how many have each guess that can be right, columns how
// many are of its class, and last of the other classes together. Where shuffling is
// quicker, order holds the column of each example.
type deal struct {
	rows, columns []int
	order         []int
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
	if len(at) <= shuffleRatio*len(d.rows)*len(d.columns) {
		d.order = pack(d.columns)
	}
	return d, right
}

// pack returns the place of each count as often as it says.
func pack(counts []int) []int {
	var p []int
	for c, k := range counts {
		for range k {
			p = append(p, c)
		}
	}
	return p
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

// shuffle does what draw does, card by card.
func (d *deal) shuffle(cards []int, rng *rand.Rand) int {
	cards = cards[:len(d.order)]
	copy(cards, d.order)
	at, right := 0, 0
	for i, n := range d.rows {
		for range n {
			j := at + int(rng.Uint64N(uint64(len(cards)-at)))
			if cards[j] == i {
				right++
			}
			cards[j] = cards[at]
			at++
		}
	}
	return right
}
