package nn

import (
	"fmt"
	"math"
)

// Rearrangements copy entries: y[o] = x[from(o)], or a constant where o is outside
// x. from is separable: along each output axis a list says which index of one input
// axis is read, so that an entry's place in x is a sum over the axes.

// outside marks an index that no input entry has. Sums of a few with offsets stay
// negative.
const outside = math.MinInt / 64

// axisView is an output axis of n entries: entry i reads index at(i) along the
// input's axis from, or is outside. A from of −1 is an axis that the input has not,
// of index 0.
type axisView struct {
	from, n int
	at      func(i int) int
}

// whole is an axis of n entries as it is.
func whole(from, n int) axisView { return axisView{from, n, func(i int) int { return i }} }

// isWhole reports whether the axis is that of n entries as it is.
func (v axisView) isWhole(n int) bool {
	for i := range v.n {
		if v.at(i) != i {
			return false
		}
	}
	return v.n == n
}

// viewed returns the views that leave a tensor of that shape as it is.
func viewed(shape []int) []axisView {
	views := make([]axisView, len(shape))
	for a, n := range shape {
		views[a] = whole(a, n)
	}
	return views
}

// viewShape returns the shape of the output.
func viewShape(views []axisView) []int {
	shape := make([]int, len(views))
	for d, v := range views {
		shape[d] = v.n
	}
	return shape
}

// Strides returns how far apart neighbours along each axis lie, row-major.
func Strides(shape []int) []int {
	s, step := make([]int, len(shape)), 1
	for a := len(shape) - 1; a >= 0; a-- {
		s[a] = step
		step *= shape[a]
	}
	return s
}

// run is a part of a block of output entries: entry to+i is input entry
// from+i·step, or outside where from is negative.
type run struct{ to, from, count, step int }

// arrangement is a rearrangement compiled: the output is cut into equal blocks,
// whose runs lie alike from where each starts in the input.
type arrangement struct {
	in, out int   // entries of one example
	starts  []int // of each block
	block   int   // entries of one
	runs    []run
}

// blockLimit is how many entries a block has at most, but for one long axis: few
// enough to share among the cores, enough to make the tables short.
const blockLimit = 4096

func newArrangement(in []int, views []axisView) arrangement {
	s, inner, block := Strides(in), len(views), 1
	for inner > 0 {
		n := views[inner-1].n
		if block > 1 && block*n > blockLimit {
			break
		}
		block *= n
		inner--
	}
	a := arrangement{in: Size(in), block: block}
	a.starts = offsets(s, views[:inner])
	a.runs = compress(offsets(s, views[inner:]))
	a.out = len(a.starts) * block
	return a
}

// offsets lists the places of the entries of these axes together, the last axis
// fastest.
func offsets(strides []int, views []axisView) []int {
	all := []int{0}
	for _, v := range views {
		step := 0
		if v.from >= 0 {
			step = strides[v.from]
		}
		next := make([]int, 0, len(all)*v.n)
		for _, base := range all {
			for j := range v.n {
				if i := v.at(j); base < 0 || i < 0 {
					next = append(next, outside)
				} else {
					next = append(next, base+i*step)
				}
			}
		}
		all = next
	}
	return all
}

// compress cuts a list of places into runs.
func compress(places []int) []run {
	var runs []run
	for i := 0; i < len(places); {
		r := run{to: i, from: places[i], count: 1}
		if i+1 < len(places) && (places[i] < 0) == (places[i+1] < 0) {
			r.step = places[i+1] - places[i]
			for i+r.count < len(places) && places[i+r.count] == r.from+r.count*r.step && (r.from < 0) == (places[i+r.count] < 0) {
				r.count++
			}
		}
		if r.count == 2 && r.step != 1 && r.step != 0 { // the second may begin a longer run
			r.count = 1
		}
		if r.count == 1 {
			r.step = 1
		}
		runs = append(runs, r)
		i += r.count
	}
	return runs
}

// injective reports whether no input entry is read twice.
func injective(in []int, views []axisView) bool {
	for _, v := range views {
		n := 1
		if v.from >= 0 {
			n = in[v.from]
		}
		seen := make([]bool, n)
		for j := range v.n {
			i := v.at(j)
			if i >= 0 && seen[i] {
				return false
			}
			if i >= 0 {
				seen[i] = true
			}
		}
	}
	return true
}

// rankError is the error for a list that does not have one entry for each dimension.
func rankError(what string, shape []int) error {
	return fmt.Errorf("%s: want one of each dimension of shape %v", what, shape)
}
