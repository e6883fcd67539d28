package classify

import (
	"bytes"
	"context"
	"hash/maphash"
	"math"
	"slices"

	"tattle/internal/math/simd"
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

// codeColumn is a column of a table as numbers of values; 0 is a value that one row alone has.
type codeColumn struct {
	values []float32 // those with numbers, from 1 on
	small  []uint8   // [n], the numbers; nil if one is above 255
	large  []int32   // [n], the numbers; nil if all fit into small
	again  bool      // an earlier column divides the rows alike, so that this one has no more to tell
}

const (
	// codeTile columns, which a cache line holds, are read at a time, of codeRows rows.
	codeTile = 16
	codeRows = 64
	// codeGrain tiles are read in the same room.
	codeGrain = 8
)

// newCodes returns the columns of x, [n, d].
func newCodes(x []float32, n, d int) []codeColumn {
	columns := make([]codeColumn, d)
	simd.Parallel((d+codeTile-1)/codeTile, codeGrain, func(lo, hi int) {
		var room [codeTile]numbering
		for first := lo * codeTile; first < min(d, hi*codeTile); first += codeTile {
			tile := room[:min(codeTile, d-first)]
			for k := range tile {
				tile[k].reset(n)
			}
			for i := 0; i < n; i += codeRows {
				for k := range tile {
					tile[k].add(i, min(n, i+codeRows), x[first+k:], d)
				}
			}
			for k := range tile {
				columns[first+k] = tile[k].column()
			}
		}
	})
	first, seed := map[uint64]int{}, maphash.MakeSeed()
	for j := range columns {
		c, sum := &columns[j], maphash.Bytes(seed, columns[j].small)
		if i, seen := first[sum]; !seen {
			first[sum] = j
		} else if c.small != nil && bytes.Equal(columns[i].small, c.small) {
			c.again, c.small = true, columns[i].small
		}
	}
	return columns
}

// number returns the number of a row.
func (c *codeColumn) number(row int) int32 {
	if c.small != nil {
		return int32(c.small[row])
	}
	return c.large[row]
}

// smallCodes is how many whole numbers, from leastCode on, are counted without a map.
const (
	smallCodes = 256
	leastCode  = -1
)

// numbering numbers the values of a column that are there twice or more, in the order in which they are there again.
type numbering struct {
	of     []int32
	values []float32
	whole  [smallCodes]int32 // by place: the row that was first, less 1 and negative, or the number; 0 for none
	first  map[uint32]int32  // the same of other values, by their bits
}

func (c *numbering) reset(n int) {
	c.of, c.values, c.whole = zeros(c.of, n), nil, [smallCodes]int32{}
	clear(c.first)
}

// column returns what was numbered.
func (c *numbering) column() codeColumn {
	if len(c.values) > math.MaxUint8 {
		return codeColumn{values: c.values, large: slices.Clone(c.of)}
	}
	small := make([]uint8, len(c.of))
	for i, v := range c.of {
		small[i] = uint8(v)
	}
	return codeColumn{values: c.values, small: small}
}

// add numbers the values of rows from … to−1 in the first column of x, whose rows are d long.
func (c *numbering) add(from, to int, x []float32, d int) {
	of := c.of[from:to]
	for k := range of {
		v, i := x[(from+k)*d], from+k
		q := int32(v) // of what does not fit, a number that is not v
		if at := uint32(q - leastCode); at < smallCodes && math.Float32bits(float32(q)) == math.Float32bits(v) {
			if of[k] = c.whole[at]; of[k] <= 0 {
				c.whole[at] = c.number(i, of[k], v)
			}
			continue
		}
		if c.first == nil {
			c.first = map[uint32]int32{}
		}
		bits := math.Float32bits(v)
		if of[k] = c.first[bits]; of[k] <= 0 {
			c.first[bits] = c.number(i, of[k], v)
		}
	}
}

// number returns what is kept of a value that was in row −1 − at only, or, if at is 0, in none.
func (c *numbering) number(i int, at int32, v float32) int32 {
	if at == 0 {
		c.of[i] = 0
		return -int32(i) - 1
	}
	c.values = append(c.values, v)
	at, c.of[-at-1] = int32(len(c.values)), int32(len(c.values))
	c.of[i] = at
	return at
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
	shape
	targets []*lookups
}

// Fit adds tables while they lower the loss. The seed is not used.
func (l Lookup) Fit(ctx context.Context, rows Rows, targets []Target, seed uint64) (Fitted, error) {
	s, err := check(l, rows, targets)
	if err != nil {
		return nil, err
	}
	f := &fittedLookup{shape: s}
	for _, t := range targets {
		m, fit := newLookups(t, rows)
		for range lookupTables {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if !m.extend(fit) {
				break
			}
		}
		f.targets = append(f.targets, m)
	}
	return f, nil
}

// Predict gives log-odds of the classes up to a constant, or numbers.
func (f *fittedLookup) Predict(ctx context.Context, dst [][]float32, rows Rows) error {
	f.check(dst, rows)
	for t, m := range f.targets {
		if dst[t] == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		m.predict(dst[t], rows)
	}
	return nil
}

func (m *lookups) predict(dst []float32, rows Rows) {
	k, n := len(m.base), len(rows.at)
	scores := make([]float64, n*k)
	for i := range n {
		copy(scores[i*k:], m.base)
		for _, t := range m.tables {
			v := int(t.values[math.Float32bits(rows.Row(i)[t.column])])
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
