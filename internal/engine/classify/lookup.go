package classify

import (
	"context"
	"math"
)

const (
	// lookupTables bounds the tables that a Lookup adds up: a channel lies in one
	// column or a few, and the gain ends the search before.
	lookupTables = 12
	// lookupPrior is added to each cell's curvature, as four rows that say nothing
	// would: a cell of few rows moves its score little.
	lookupPrior = 1
	// lookupStep bounds what one table adds to a score: a cell whose rows are all of one
	// class would add without end.
	lookupStep = 4
	// lookupExtra is by how many nats the gain of a second table, and of every further
	// one, must exceed the logarithm of the number of columns: under independence half
	// of a χ² exceeds log m + 1 in fewer than one of m columns.
	lookupExtra = 1
)

// Lookup takes every column for a code, whose values have no order. It adds tables of
// single columns to the scores, from exact values to steps, by Newton's method on the
// softmax loss, or the squared one for numbers. Each time it takes the column that
// lowers the loss most on rows left out of the table, one at a time. A value that is in
// one row alone counts as any other that is not known.
type Lookup struct{}

// Name returns "lookup".
func (Lookup) Name() string { return "lookup" }

// Suits returns true.
func (Lookup) Suits(Target) bool { return true }

// codes are the columns of a fit as numbers of values; 0 is a value not known.
type codes struct {
	n, d   int
	of     [][]int32 // [d][n]
	values []map[uint32]int32
}

func newCodes(x []float32, n, d int) *codes {
	c := &codes{n: n, d: d, of: make([][]int32, d), values: make([]map[uint32]int32, d)}
	cells := make([]int32, n*d)
	for j := range d {
		c.of[j] = cells[j*n : (j+1)*n]
		c.values[j] = column(c.of[j], x[j:], d)
	}
	return c
}

// smallCodes is how many whole numbers, from leastCode on, are counted without a map.
const (
	smallCodes = 256
	leastCode  = -1
)

// small returns the place of a whole number among these, or −1 for any other value.
func small(v float32) int {
	if i := int(v); leastCode <= v && v < leastCode+smallCodes && math.Float32bits(float32(i)) == math.Float32bits(v) {
		return i - leastCode
	}
	return -1
}

// column numbers the values of a column of x that are there twice or more, in their
// order of appearance, and returns their numbers.
func column(dst []int32, x []float32, d int) map[uint32]int32 {
	var whole [smallCodes]int32 // as first, by place; 0 for none
	first := map[uint32]int32{} // the row, less 1 and negative, or the number
	next := int32(1)
	number := func(i int, at int32) int32 {
		if at < 0 { // there once before
			at, dst[-at-1] = next, next
			next++
		}
		dst[i] = at
		return at
	}
	for i := range dst {
		v := x[i*d]
		if q := small(v); q >= 0 {
			if whole[q] == 0 {
				whole[q] = -int32(i) - 1
			} else {
				whole[q] = number(i, whole[q])
			}
			continue
		}
		bits := math.Float32bits(v)
		if at, seen := first[bits]; seen {
			if n := number(i, at); n != at {
				first[bits] = n
			}
		} else {
			first[bits] = -int32(i) - 1
		}
	}
	for bits, at := range first {
		if at < 0 {
			delete(first, bits)
		}
	}
	for q, at := range whole {
		if at > 0 {
			first[math.Float32bits(float32(q+leastCode))] = at
		}
	}
	return first
}

// table is what the values of a column add to the scores; row 0 is for those not known.
type table struct {
	column int
	values map[uint32]int32
	steps  []float64 // [values+1, scores]
}

// lookups is what a Lookup learned of one target.
type lookups struct {
	response
	base   []float64
	tables []table
}

type fittedLookup struct {
	d       int
	targets []*lookups
	widths  []int
}

// Fit adds tables while they lower the loss. The seed is not used.
func (l Lookup) Fit(ctx context.Context, x []float32, d int, targets []Target, seed uint64) (Fitted, error) {
	n, err := check(l, x, d, targets)
	if err != nil {
		return nil, err
	}
	c, f := newCodes(x, n, d), &fittedLookup{d: d}
	for _, t := range targets {
		m, fit := newLookups(t)
		for range lookupTables {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if !m.extend(c, fit) {
				break
			}
		}
		f.targets, f.widths = append(f.targets, m), append(f.widths, t.Width())
	}
	return f, nil
}

// Predict gives log-odds of the classes up to a constant, or numbers.
func (f *fittedLookup) Predict(ctx context.Context, dst [][]float32, x []float32) error {
	n := checkPredict(dst, x, f.d, f.widths)
	for t, m := range f.targets {
		if dst[t] == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		m.predict(dst[t], x, f.d, n)
	}
	return nil
}

func (m *lookups) predict(dst, x []float32, d, n int) {
	k := len(m.base)
	scores := make([]float64, n*k)
	for i := range n {
		copy(scores[i*k:], m.base)
		for _, t := range m.tables {
			v := int(t.values[math.Float32bits(x[i*d+t.column])])
			for c, s := range t.steps[v*k : (v+1)*k] {
				scores[i*k+c] += s
			}
		}
	}
	all := make([]float32, n*m.scores())
	first := m.scores() - k // of two classes the second has the score
	for i, v := range scores {
		all[i/k*m.scores()+first+i%k] = float32(v)
	}
	m.deliver(dst, all)
}
