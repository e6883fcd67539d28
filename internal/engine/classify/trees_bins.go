package classify

import (
	"slices"

	"tattle/internal/math/simd"
)

// treeBins bounds the bins of a column; splits by quantiles of 1/128 do not miss much.
const treeBins = 128

// bins cuts each column at quantiles of the rows it was made from, between values that
// differ: bin b holds the values above edges[b−1] and up to edges[b]. A column is cut once a tree looks at it.
type bins struct {
	edges [][]float32
	cut   []bool // [column]
}

func newBins(d int) *bins { return &bins{edges: make([][]float32, d), cut: make([]bool, d)} }

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

// columns cuts some columns of x's rows unless they are, and sets their codes, [d, n], of the rows in the order given.
func (b *bins) columns(codes []uint8, x []float32, order, columns []int) {
	d, n := len(b.edges), len(order)
	columns = slices.DeleteFunc(columns, func(j int) bool { return b.cut[j] })
	simd.Parallel(len(columns), 1, func(lo, hi int) {
		column := make([]float32, n)
		for _, j := range columns[lo:hi] {
			for i := range column {
				column[i] = x[i*d+j]
			}
			slices.Sort(column)
			b.edges[j], b.cut[j] = edges(column, treeBins), true
			for i, at := range order {
				codes[j*n+i] = b.code(j, x[at*d+j])
			}
		}
	})
}

// rows sets codes, [n, d], to those of the rows of x in the columns that are cut.
func (b *bins) rows(codes []uint8, x []float32) {
	d := len(b.edges)
	for j, cut := range b.cut {
		for i := j; cut && i < len(x); i += d {
			codes[i] = b.code(j, x[i])
		}
	}
}
