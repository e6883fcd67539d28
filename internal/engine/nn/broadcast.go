package nn

import (
	"fmt"
	"slices"

	"tattle/internal/math/simd"
)

// BroadcastShape returns the shape to which the shapes broadcast. It returns an error if they do not.
func BroadcastShape(shapes ...[]int) ([]int, error) {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := make([]int, rank)
	for i := range out {
		out[i] = 1
		for _, s := range shapes {
			d := aligned(s, rank)[i]
			if d != out[i] && d != 1 && out[i] != 1 {
				return nil, fmt.Errorf("shapes %v do not broadcast to one another", shapes)
			}
			if d != 1 {
				out[i] = d
			}
		}
	}
	return out, nil
}

// aligned returns the shape with dimensions of 1 before it.
func aligned(shape []int, rank int) []int {
	return append(slices.Repeat([]int{1}, rank-len(shape)), shape...)
}

// maxOperands is how many tensors an operator broadcasts.
const maxOperands = 3

// longestRun bounds the runs, and with them the buffers of repeated entries.
const longestRun = 2048

// stretch is a run of consecutive entries of the output, over which each operand is
// either a run of its own or a single entry.
type stretch struct {
	out, n int
	at     [maxOperands]int
}

// layout says which entries of the operands meet.
type layout struct {
	runs   []stretch
	single [maxOperands]bool // the operand is one entry over each run
	sizes  [maxOperands]int
	out    int
}

// newLayout lays out operands of these shapes, which broadcast to one another.
func newLayout(shapes ...[]int) *layout {
	to := mustFit(BroadcastShape(shapes...))
	l := &layout{out: Size(to)}
	strides := make([][]int, len(shapes))
	for i, s := range shapes {
		l.sizes[i], strides[i] = Size(s), broadcastStrides(s, to)
	}
	if l.out == 0 {
		return l
	}
	dims := merge(to, strides)
	inner := len(dims) - 1
	for i, s := range strides {
		l.single[i] = s[inner] == 0
	}
	l.walk(dims, strides)
	return l
}

// broadcastStrides returns by how much an operand's index grows with each index of
// the output.
func broadcastStrides(shape, to []int) []int {
	s := aligned(shape, len(to))
	steps := Strides(s)
	for i, n := range s {
		if n == 1 {
			steps[i] = 0
		}
	}
	return steps
}

// merge joins neighbouring dimensions that every operand runs through as one, drops
// those of 1, and returns the dimensions that are left, at least one. It changes
// strides alike.
func merge(to []int, strides [][]int) []int {
	var dims []int
	kept := make([][]int, len(strides))
	for d := len(to) - 1; d >= 0; d-- { // from the last to the first
		if to[d] == 1 {
			continue
		}
		last := len(dims) - 1
		joins := last >= 0
		for i, s := range strides {
			joins = joins && s[d] == dims[last]*kept[i][last]
		}
		if joins {
			dims[last] *= to[d]
			continue
		}
		dims = append(dims, to[d])
		for i, s := range strides {
			kept[i] = append(kept[i], s[d])
		}
	}
	if dims == nil { // all are single entries: a run of one, which each operand has
		dims = []int{1}
		for i := range kept {
			kept[i] = []int{1}
		}
	}
	slices.Reverse(dims)
	for i, s := range kept {
		slices.Reverse(s)
		strides[i] = s
	}
	return dims
}

// walk lists the runs.
func (l *layout) walk(dims []int, strides [][]int) {
	inner := len(dims) - 1
	index := make([]int, inner)
	for out := 0; out < l.out; out += dims[inner] {
		for lo := 0; lo < dims[inner]; lo += longestRun {
			r := stretch{out: out + lo, n: min(longestRun, dims[inner]-lo)}
			for i, s := range strides {
				r.at[i] = lo * s[inner]
				for d, at := range index {
					r.at[i] += at * s[d]
				}
			}
			l.runs = append(l.runs, r)
		}
		for d := inner - 1; d >= 0; d-- {
			if index[d]++; index[d] < dims[d] {
				break
			}
			index[d] = 0
		}
	}
}

// bijective says that the operand has each entry of the output once.
func (l *layout) bijective(i int) bool { return l.sizes[i] == l.out }

// grain is how many runs are worth a core of their own.
func (l *layout) grain() int { return 1 + grain*len(l.runs)/max(1, l.out) }

// gather adds the entries of d, over that run, to the operand's sums.
func (l *layout) gather(sums []float64, i int, r *stretch, d []float64) {
	if !l.single[i] {
		simd.Add(sums[r.at[i]:][:r.n], sums[r.at[i]:][:r.n], d)
		return
	}
	sums[r.at[i]] += simd.Sum(d)
}
