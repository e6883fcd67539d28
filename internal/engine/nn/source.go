package nn

import (
	"context"
	"slices"
)

// A Source holds labelled examples.
type Source interface {
	// Len returns the number of examples.
	Len() int
	// Examples overwrites x, [len(indices), p], with the inputs of those examples.
	Examples(x []float32, indices []int)
	// Label returns the class of example i.
	Label(i int) int
}

// Rows are examples of P inputs each that are in memory, [n, P].
type Rows struct {
	P      int
	X      []float32
	Labels []int // nil: all are 0
}

// Len implements Source.
func (r Rows) Len() int { return len(r.X) / r.P }

// Examples implements Source.
func (r Rows) Examples(x []float32, indices []int) {
	for k, i := range indices {
		copy(x[k*r.P:(k+1)*r.P], r.X[i*r.P:(i+1)*r.P])
	}
}

// Label implements Source.
func (r Rows) Label(i int) int {
	if r.Labels == nil {
		return 0
	}
	return r.Labels[i]
}

// EachBatch reads the examples at indices, of p inputs each, at most size of them at a time, and calls f with
// every batch. It ends with the error of f, or with ctx's.
func EachBatch(ctx context.Context, data Source, p int, indices []int, size int, f func(indices []int, x []float32) error) error {
	x := make([]float32, min(size, len(indices))*p)
	for batch := range slices.Chunk(indices, size) {
		if err := ctx.Err(); err != nil {
			return err
		}
		data.Examples(x[:len(batch)*p], batch)
		if err := f(batch, x[:len(batch)*p]); err != nil {
			return err
		}
	}
	return nil
}

// Indices returns the numbers below n: the indices of n examples.
func Indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Choose returns the examples of a source that have these indices.
func Choose(data Source, indices []int) Source { return chosen{data, indices} }

// ChosenFrom returns the arguments of the Choose that made data; nil indices if there was none.
func ChosenFrom(data Source) (of Source, indices []int) {
	c, _ := data.(chosen)
	return c.Source, c.indices
}

// chosen is what Choose returns.
type chosen struct {
	Source
	indices []int
}

// Len implements Source.
func (c chosen) Len() int { return len(c.indices) }

// Examples implements Source.
func (c chosen) Examples(x []float32, indices []int) {
	of := make([]int, len(indices))
	for i, k := range indices {
		of[i] = c.indices[k]
	}
	c.Source.Examples(x, of)
}

// Label implements Source.
func (c chosen) Label(i int) int { return c.Source.Label(c.indices[i]) }

// accuracyBatch is how many examples Accuracy evaluates at once.
const accuracyBatch = 256

// Accuracy returns the fraction of the data whose largest output of m, the first
// of equal ones, is at its label. It is NaN for no examples.
func Accuracy(m Model, data Source) float64 {
	p, n := m.Dims()
	y, right := make([]float32, accuracyBatch*n), 0
	// Neither the context nor the function fails.
	_ = EachBatch(context.Background(), data, p, Indices(data.Len()), accuracyBatch, func(indices []int, x []float32) error {
		m.Forward(y[:len(indices)*n], x)
		for i, k := range indices {
			if Largest(y[i*n:(i+1)*n]) == data.Label(k) {
				right++
			}
		}
		return nil
	})
	return float64(right) / float64(data.Len())
}

// Largest returns the first index of the largest entry.
func Largest[T Float](x []T) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}
