package stat

import (
	"fmt"
	"math"
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

// PermuteWithin returns the p-value of guesses being right as often as they are or
// more often, had the true classes been dealt out at random among the examples of each
// stratum: where guess and class are independent given the stratum, it is at most p
// with probability at most p. tables holds for each stratum how many examples have
// which guess (row) and class (column), the same indices meaning the same class.
//
// What is dealt decides how many are right through these counts alone, whose
// distribution given their sums is a product of multivariate hypergeometric ones: they
// are drawn from it, at a cost that does not depend on the number of examples but
// through its root. It panics unless the tables are square, without negative counts,
// and draws is positive.
func PermuteWithin(tables [][][]int, draws int, r *rand.Rand) float64 {
	var deals []deal
	seen, largest := 0, 0
	for _, table := range tables {
		d, right := newDeal(table)
		largest = max(largest, d.total)
		if len(d.rows) > 0 {
			deals = append(deals, d)
			seen += right
		}
	}
	if len(deals) == 0 {
		return 1
	}
	f := newFactorials(largest)
	return exceed(draws, r, func() func(*rand.Rand) bool {
		left, row := make([]int, largestWidth(deals)), make([]int, largestWidth(deals))
		return func(rng *rand.Rand) bool {
			right := 0
			for i := range deals {
				right += deals[i].draw(f, left, row, rng)
			}
			return right >= seen
		}
	})
}

// deal is a stratum: rows are the guesses that can be right, each with how many
// examples have it and the column of its class; the columns are the classes that are
// guessed, and the others together.
type deal struct {
	rows, class, columns []int
	total                int
}

// newDeal sums up a table, and counts those that are right. The deal has no rows where
// how many are right cannot vary.
func newDeal(table [][]int) (deal, int) {
	rows, columns := make([]int, len(table)), make([]int, len(table))
	d, right := deal{}, 0
	for g, row := range table {
		if len(row) != len(table) {
			panic(fmt.Sprintf("stat: a table of %d guesses and %d classes", len(table), len(row)))
		}
		for c, k := range row {
			if k < 0 {
				panic(fmt.Sprintf("stat: %d examples", k))
			}
			rows[g] += k
			columns[c] += k
			d.total += k
		}
		right += row[g]
	}
	others := d.total
	for g, k := range rows {
		if k > 0 && columns[g] > 0 {
			d.rows, d.class, d.columns = append(d.rows, k), append(d.class, len(d.columns)), append(d.columns, columns[g])
			others -= columns[g]
		}
	}
	d.columns = append(d.columns, others)
	if occupied(rows) < 2 || occupied(columns) < 2 {
		d.rows = nil
	}
	return d, right
}

func largestWidth(deals []deal) int {
	w := 0
	for _, d := range deals {
		w = max(w, len(d.columns))
	}
	return w
}

// draw deals the classes out once and returns how many guesses are right.
func (d *deal) draw(f factorials, left, row []int, rng *rand.Rand) int {
	left, row = left[:len(d.columns)], row[:len(d.columns)]
	copy(left, d.columns)
	total, right := d.total, 0
	for i, n := range d.rows {
		if i == len(d.rows)-1 { // what this row takes of other classes is nothing to us
			return right + f.hypergeometric(rng, total, left[d.class[i]], n)
		}
		f.spread(row, left, total, n, rng)
		right += row[d.class[i]]
		total -= n
	}
	return right
}

// Independence returns the p-value of rows and columns of a table of counts being as
// dependent as they are, or more, by chance: of the likelihood ratio G = 2 Σ k·ln k +
// constant among tables of the same sums, drawn with the probabilities they have where
// one is dealt out at random to the other. It holds for small counts, too. It panics
// unless the table is rectangular, without negative counts, and draws is positive.
func Independence(counts [][]int, draws int, r *rand.Rand) float64 {
	t := newTable(counts, .5)
	if occupied(t.rows) < 2 || occupied(t.columns) < 2 {
		return 1
	}
	total := int(t.n)
	f, g := newFactorials(total), newTerms(total)
	seen := 0.0
	for _, row := range counts {
		seen += g.sum(row)
	}
	seen -= 1e-10 * (1 + math.Abs(seen)) // equal tables whose rows are in another order sum differently
	return exceed(draws, r, func() func(*rand.Rand) bool {
		left, row := make([]int, len(t.columns)), make([]int, len(t.columns))
		return func(rng *rand.Rand) bool {
			copy(left, t.columns)
			sum, n := 0.0, total
			for _, k := range t.rows {
				f.spread(row, left, n, k, rng)
				sum += g.sum(row)
				n -= k
			}
			return sum >= seen
		}
	})
}

// terms holds k·ln k for k = 0, 1, ….
type terms []float64

func newTerms(n int) terms {
	g := make(terms, n+1)
	for k := 2; k <= n; k++ {
		g[k] = float64(k) * math.Log(float64(k))
	}
	return g
}

func (g terms) sum(counts []int) float64 {
	var s float64
	for _, k := range counts {
		s += g[k]
	}
	return s
}

// PermuteProducts returns the p-value of Σ x·y being as large as it is, or larger, had
// the y been dealt out at random among the examples of each stratum: what
// PermuteWithin is to guesses of classes, for guesses of numbers. strata lists the
// examples of each. It panics unless x and y are of one length and draws is positive.
func PermuteProducts(x, y []float64, strata [][]int, draws int, r *rand.Rand) float64 {
	if len(x) != len(y) {
		panic(fmt.Sprintf("stat: products of %d and %d numbers", len(x), len(y)))
	}
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
	seen -= 1e-12 * size
	return exceed(draws, r, func() func(*rand.Rand) bool {
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
