package classify

import "tattle/internal/math/simd"

// treeBins bounds the bins of a column; splits by quantiles of 1/128 do not miss much.
const treeBins = 128

// bins cuts each column at quantiles of the rows it was made from, between values that
// differ: bin b holds the values above edges[b−1] and up to edges[b].
type bins struct{ edges [][]float32 }

func newBins(x []float32, d int) *bins {
	b := &bins{edges: make([][]float32, d)}
	sortedColumns(x, d, func(j int, column []float32) { b.edges[j] = edges(column, treeBins) })
	return b
}

// edges returns less than most cuts of sorted values: all that there are, or those
// next to the quantiles.
func edges(sorted []float32, most int) []float32 {
	var all, some []float32
	n := len(sorted)
	quantile := 1
	for i := 1; i < n; i++ {
		if sorted[i] == sorted[i-1] {
			continue
		}
		e := between(sorted[i-1], sorted[i])
		if len(all) < most {
			all = append(all, e)
		}
		if i*most >= quantile*n {
			some = append(some, e)
			quantile = i*most/n + 1
		}
	}
	if len(all) < most {
		return all
	}
	return some
}

// between returns a number of [a, b) for a < b, near their middle.
func between(a, b float32) float32 {
	if e := a/2 + b/2; a <= e && e < b {
		return e
	}
	return a
}

// code returns the bin of a value.
func (b *bins) code(j int, v float32) uint8 {
	e := b.edges[j]
	lo, hi := 0, len(e)
	for lo < hi {
		if middle := (lo + hi) / 2; v <= e[middle] {
			hi = middle
		} else {
			lo = middle + 1
		}
	}
	return uint8(lo)
}

// columns returns the codes of x's rows in the order given, [d, n].
func (b *bins) columns(x []float32, order []int) []uint8 {
	d, n := len(b.edges), len(order)
	codes := make([]uint8, d*n)
	simd.Parallel(d, 1, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			for i, at := range order {
				codes[j*n+i] = b.code(j, x[at*d+j])
			}
		}
	})
	return codes
}

// rows returns the codes of the rows of x, [n, d].
func (b *bins) rows(x []float32) []uint8 {
	codes := make([]uint8, len(x))
	for i, v := range x {
		codes[i] = b.code(i%len(b.edges), v)
	}
	return codes
}
