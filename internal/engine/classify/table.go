package classify

import (
	"fmt"
	"sync"

	"tattle/internal/engine/nn"
)

// Table holds rows of numbers, [n, d]. Learners are fitted to all of them or to some. What they need to know of the rows
// without any target is computed once, from all rows, when it is first asked for: fits to parts of a table, or to
// other targets, share it.
type Table struct {
	x    []float32
	n, d int

	wrong     func() error // names a number that is not finite
	scale     func() *scaler
	entropies func() []float64
	codes     func() []codeColumn
	white     func() *whitened
	bins      *bins
}

// NewTable returns the table of rows x, [n, d], which it keeps. It panics if a length does not fit.
func NewTable(x []float32, d int) *Table {
	if d < 1 || len(x)%d != 0 {
		panic(fmt.Sprintf("classify: %d numbers do not divide into rows of %d", len(x), d))
	}
	t := &Table{x: x, n: len(x) / d, d: d}
	t.wrong = sync.OnceValue(func() error {
		for i, v := range x {
			if v-v != 0 {
				return fmt.Errorf("row %d, column %d is %v, not a finite number", i/d, i%d, v)
			}
		}
		return nil
	})
	t.scale = sync.OnceValue(func() *scaler { return newScaler(x, d) })
	t.entropies = sync.OnceValue(func() []float64 { return entropies(x, d) })
	t.codes = sync.OnceValue(func() []codeColumn { return newCodes(x, t.n, d) })
	t.white = sync.OnceValue(func() *whitened { return newWhitened(t) })
	t.bins = newBins(x, d)
	return t
}

// All returns all rows.
func (t *Table) All() Rows {
	return Rows{t, nn.Indices(t.n)}
}

// Rows are some rows of a table, in an order of their own.
type Rows struct {
	*Table
	at []int
}

// Rows returns the rows with these indices.
func (t *Table) Rows(at []int) Rows { return Rows{t, at} }

// Len returns how many rows there are.
func (r Rows) Len() int { return len(r.at) }

// Row returns the i-th of the rows.
func (r Rows) Row(i int) []float32 { return r.x[r.at[i]*r.d:][:r.d] }
