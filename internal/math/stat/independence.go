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

// factorials holds ln k! for k = 0, 1, ….
type factorials []float64

// newFactorials returns ln k! for k up to n.
func newFactorials(n int) factorials {
	f := make(factorials, n+1)
	for k := 2; k <= n; k++ {
		f[k] = f[k-1] + math.Log(float64(k))
	}
	return f
}

// choose returns ln of the binomial coefficient of n over k.
func (f factorials) choose(n, k int) float64 { return f[n] - f[k] - f[n-k] }

// fewTaken are faster to take one by one than by the distribution function.
const fewTaken = 8

// hypergeometric draws how many of the marked ones are among taken of total: by
// inversion of the distribution function, whose terms are added from the mode outward,
// which takes about as many steps as the standard deviation. Few are taken one by one.
func (f factorials) hypergeometric(r *rand.Rand, total, marked, taken int) int {
	low, high := max(0, taken+marked-total), min(taken, marked)
	if low == high {
		return low
	}
	if taken <= fewTaken {
		found := 0
		for i := range taken {
			if r.IntN(total-i) < marked-found {
				found++
			}
		}
		return found
	}
	mode := int(float64(taken+1) * float64(marked+1) / float64(total+2))
	mode = min(max(mode, low), high)
	top := math.Exp(f.choose(marked, mode) + f.choose(total-marked, taken-mode) - f.choose(total, taken))
	rest := total - marked - taken // unmarked that would be left had all taken been marked
	for {
		u := r.Float64() - top
		if u < 0 {
			return mode
		}
		up, down, pUp, pDown := mode, mode, top, top
		for up < high || down > low {
			if up < high {
				pUp *= float64(marked-up) * float64(taken-up) / (float64(up+1) * float64(rest+up+1))
				up++
				if u -= pUp; u < 0 {
					return up
				}
			}
			if down > low {
				pDown *= float64(down) * float64(rest+down) / (float64(marked-down+1) * float64(taken-down+1))
				down--
				if u -= pDown; u < 0 {
					return down
				}
			}
		}
	} // the terms add up to 1 but for rounding: u was beyond
}

// spread sets dst to how many of taken, drawn out of left, are of each kind, and takes
// them out of it: a multivariate hypergeometric draw, kind by kind. total is the sum of
// left.
func (f factorials) spread(dst, left []int, total, taken int, r *rand.Rand) {
	for c, have := range left {
		if taken == 0 {
			dst[c] = 0
			continue
		}
		k := f.hypergeometric(r, total, have, taken)
		dst[c] = k
		left[c] -= k
		taken -= k
		total -= have
	}
}
