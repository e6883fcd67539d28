package classify

import (
	"slices"
	"sync"

	"tattle/internal/math/simd"
)

const (
	// treeBins bounds the bins of a column: splits by quantiles of 1/64 do not miss much.
	treeBins = 64
	// binRows are for a bin, down to half of treeBins: a leaf has ten rows, of those that trees learn from.
	binRows = 64
)

// binsOf returns how many bins a column of n rows has at most.
func binsOf(n int) int { return min(max(n/binRows, treeBins/2), treeBins) }

// bins cuts the columns of a table at quantiles of its rows, between values that
// differ: bin b holds the values above edges[b−1] and up to edges[b]. A column is cut once a tree looks at it.
type bins struct {
	x     []float32 // of the table, [n, d]
	mu    sync.Mutex
	edges [][]float32
	codes [][]uint8 // [column][row], nil of one that is not cut
}

func newBins(x []float32, d int) *bins {
	return &bins{x: x, edges: make([][]float32, d), codes: make([][]uint8, d)}
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

// columns cuts some columns, unless they are.
func (b *bins) columns(columns []int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	columns = slices.DeleteFunc(slices.Clone(columns), func(j int) bool { return b.codes[j] != nil })
	n := len(b.x) / len(b.edges)
	simd.Parallel(len(columns), cutGrain, func(lo, hi int) {
		var s Sorter
		values, sorted := make([]float32, n), make([]float32, n)
		for _, j := range columns[lo:hi] {
			b.cut(j, values, sorted, &s)
		}
	})
}

// cutGrain columns are cut in the same room.
const cutGrain = 8

// cut cuts column j; values and sorted are room for one.
func (b *bins) cut(j int, values, sorted []float32, s *Sorter) {
	d, n, codes := len(b.edges), len(values), make([]uint8, len(values))
	for i := range values {
		values[i] = b.x[i*d+j]
	}
	order := s.Descending(values)
	for k, i := range order {
		sorted[n-1-k] = values[i]
	}
	e, bin := edges(sorted, binsOf(n)), 0
	for _, i := range slices.Backward(order) {
		for bin < len(e) && values[i] > e[bin] {
			bin++
		}
		codes[i] = uint8(bin)
	}
	b.edges[j], b.codes[j] = e, codes
}

// rows returns the codes, [column][row], of rows in some columns, which are cut.
func (b *bins) rows(rows Rows, of []bool) [][]uint8 {
	codes := make([][]uint8, rows.d)
	for j, cut := range of {
		if !cut {
			continue
		}
		own := make([]uint8, len(rows.at))
		for i, at := range rows.at {
			if rows.bins == b {
				own[i] = b.codes[j][at]
			} else {
				own[i] = b.code(j, rows.Row(i)[j])
			}
		}
		codes[j] = own
	}
	return codes
}
