package stat

import (
	"math"
	"math/rand/v2"
)

// Independence returns the p-value of rows and columns of a table of counts being as
// dependent as they are, or more, by chance: of the likelihood ratio G = 2 Σ k·ln k +
// constant among tables of the same sums, drawn with the probabilities they have where
// one is dealt out at random to the other. It holds for small counts, too. It panics
// unless the table is rectangular, without negative counts, and draws is positive.
func Independence(counts [][]int, draws int, r *rand.Rand) Permuted {
	t := newTable(counts, .5)
	rows, columns := positive(t.rows), positive(t.columns)
	if len(rows) < 2 || len(columns) < 2 {
		return Permuted{P: 1}
	}
	total := int(t.n)
	g := newTerms(total)
	var seen float64
	for _, row := range counts {
		seen += g.sum(row)
	}
	seen -= 1e-10 * (1 + seen) // equal tables whose sums are taken in another order differ
	f := newFactorials(total)
	return exceed(draws, enough, r, func() func(*rand.Rand) bool {
		left, row := make([]int, len(columns)), make([]int, len(columns))
		return func(rng *rand.Rand) bool {
			copy(left, columns)
			sum, n := 0.0, total
			for _, k := range rows {
				f.spread(row, left, n, k, rng)
				sum += g.sum(row)
				n -= k
			}
			return sum >= seen
		}
	})
}

// positive returns the entries that are.
func positive(x []int) []int {
	var p []int
	for _, k := range x {
		if k > 0 {
			p = append(p, k)
		}
	}
	return p
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
