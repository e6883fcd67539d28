package classify

import (
	"math"
	"slices"
)

// Descending returns the places of o's numbers, the largest first, of equal ones the first. A number and its place are
// sorted as one integer.
func Descending(o []float32) []int {
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
	var counts [4][256]int32 // of each byte
	for _, k := range keys {
		for b := range counts {
			counts[b][byte(k>>(32+8*b))]++
		}
	}
	for b := range counts {
		at, shift := &counts[b], 32+8*b
		from := int32(0)
		for v, n := range at {
			at[v], from = from, from+n
		}
		for _, k := range keys {
			v := byte(k >> shift)
			next[at[v]] = k
			at[v]++
		}
		keys, next = next, keys
	}
	return keys
}
