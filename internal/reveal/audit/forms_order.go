package audit

import (
	"cmp"
	"math"
	"slices"

	"tattle/internal/engine/classify"
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
	top, w := classify.Best(o), len(o)
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

// descending returns the places of o's numbers, the largest first, of equal ones the first. A number and its place are
// sorted as one integer.
func descending(o []float32) []int {
	keys, order := make([]uint64, len(o)), make([]int, len(o))
	for j, v := range o {
		b := math.Float32bits(v + 0) // −0 is 0
		if b>>31 == 0 {
			b = ^b & math.MaxInt32 // positive ones in falling order, before the negative ones
		}
		keys[j] = uint64(b)<<32 | uint64(j)
	}
	if len(keys) < radixLeast {
		slices.Sort(keys)
	} else {
		keys = sortedHighs(keys)
	}
	for k, key := range keys {
		order[k] = int(uint32(key))
	}
	return order
}

// radixLeast is from how many numbers on passes over their bytes are faster than comparisons.
const radixLeast = 128

// sortedHighs returns the keys by their high halves, one byte after another from the lowest on; equal ones keep their order.
func sortedHighs(keys []uint64) []uint64 {
	next := make([]uint64, len(keys))
	for shift := 32; shift < 64; shift += 8 {
		var end [257]int // of the places of each byte
		for _, k := range keys {
			end[int(byte(k>>shift))+1]++
		}
		for b := range 256 {
			end[b+1] += end[b]
		}
		for _, k := range keys {
			b := byte(k >> shift)
			next[end[b]] = k
			end[b]++
		}
		keys, next = next, keys
	}
	return keys
}

// neighbours compares the classes of two outputs, the larger one first.
func neighbours(o []float32, a, b int) float32 {
	if o[a] == o[b] {
		return 0
	}
	return float32(cmp.Compare(b, a))
}
