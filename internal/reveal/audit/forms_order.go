package audit

import (
	"cmp"

	"tattle/internal/reveal/curious"
)

const (
	// orderColumns is how many outputs, the first, are compared with one another: 66
	// pairs of 12.
	orderColumns = 12
	// orderNeighbours is how many neighbours in the order of a row are compared at
	// either end of it.
	orderNeighbours = 15
	// orderClasses is the fewest outputs that have an order beside the largest.
	orderClasses = 3
)

// orderWidth: the hard label; the rank of each of the first outputs; which is larger of
// each pair of fewer; and of neighbours in the order of the row, largest first and
// smallest first, which class comes first.
func orderWidth(w int, _ curious.Outputs) int {
	c, p := coded(w), min(w, orderColumns)
	return 1 + c + p*(p-1)/2 + 2*min(w-1, orderNeighbours)
}

// orderRow writes 1 for what is in the order of the classes or ascending, −1 for the
// opposite, and 0 for equal outputs and for pairs with the largest, which the hard label
// determines.
func orderRow(dst []float32, r *outputRow) {
	o, order := r.o, r.descending()
	top, w := r.first, len(o)
	dst[0] = float32(top)
	ranks := dst[1 : 1+coded(w)]
	for rank, j := range order {
		if j < len(ranks) {
			ranks[j] = float32(rank)
		}
	}
	at := 1 + len(ranks)
	for b := range min(w, orderColumns) {
		for a := range b {
			if dst[at] = float32(cmp.Compare(o[b], o[a])); a == top || b == top {
				dst[at] = 0
			}
			at++
		}
	}
	for k := range min(w-1, orderNeighbours) {
		dst[at] = neighbours(o, order[k], order[k+1])
		dst[at+1] = neighbours(o, order[w-k-2], order[w-k-1])
		at += 2
	}
}

// neighbours compares the classes of two outputs, the larger one first.
func neighbours(o []float32, a, b int) float32 {
	if o[a] == o[b] {
		return 0
	}
	return float32(cmp.Compare(b, a))
}
