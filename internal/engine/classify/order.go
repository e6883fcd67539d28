package classify

import (
	"math"
	"slices"
)

// A Sorter sorts numbers in room that it keeps.
type Sorter struct {
	keys, next []uint64
	order      []int
}

// Descending returns the places of o's numbers, the largest first, of equal ones the first. They hold until the next call. A number and
// its place are sorted as one integer.
func (s *Sorter) Descending(o []float32) []int {
	n := len(o)
	s.keys, s.next, s.order = slices.Grow(s.keys[:0], n)[:n], slices.Grow(s.next[:0], n)[:n], slices.Grow(s.order[:0], n)[:n]
	for j, v := range o {
		b := math.Float32bits(v + 0) // −0 is 0
		if b>>31 == 0 {
			b = ^b & math.MaxInt32 // positive ones in falling order, before the negative ones
		}
		s.keys[j] = uint64(b)<<32 | uint64(j)
	}
	if n < radixLeast {
		slices.Sort(s.keys)
	} else {
		s.sortHighs()
	}
	for k, key := range s.keys {
		s.order[k] = int(uint32(key))
	}
	return s.order
}

// radixLeast is from how many numbers on passes over their bytes are faster than comparisons.
const radixLeast = 128

// sortHighs sorts the keys by their high halves, one byte after another from the lowest on; equal ones keep their order.
func (s *Sorter) sortHighs() {
	var counts [4][256]int32 // of each byte
	for _, k := range s.keys {
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
		for _, k := range s.keys {
			v := byte(k >> shift)
			s.next[at[v]] = k
			at[v]++
		}
		s.keys, s.next = s.next, s.keys
	}
}
