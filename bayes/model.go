package bayes

import (
	"context"
	"fmt"

	"tattle/nn"
)

// Inputs are candidates that are inputs of a model: their features are computed in
// float64 whenever they are asked for, so that a list may be larger than memory.
type Inputs struct {
	Front   nn.Model  // computes the features
	Data    nn.Source // holds the inputs
	Indices []int     // of the candidates in Data
}

// batchInputs are run at a time.
const batchInputs = 64

// Len returns the number of candidates.
func (in Inputs) Len() int { return len(in.Indices) }

// Dim returns the number of features.
func (in Inputs) Dim() int { _, n := in.Front.Dims(); return n }

// Features overwrites dst, [len(indices), Dim], with the features of those candidates. It
// errs where ctx ends.
func (in Inputs) Features(ctx context.Context, dst []float64, indices []int) error {
	p, n := in.Front.Dims()
	x, wide := make([]float32, batchInputs*p), make([]float64, batchInputs*p)
	rows := make([]int, 0, batchInputs)
	for lo := 0; lo < len(indices); lo += batchInputs {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows = rows[:0]
		for _, j := range indices[lo:min(lo+batchInputs, len(indices))] {
			if j < 0 || j >= len(in.Indices) {
				return fmt.Errorf("candidate %d of %d", j, len(in.Indices))
			}
			rows = append(rows, in.Indices[j])
		}
		k := len(rows) * p
		in.Data.Examples(x[:k], rows)
		for i, v := range x[:k] {
			wide[i] = float64(v)
		}
		in.Front.Forward64(dst[lo*n:(lo+len(rows))*n], wide[:k])
	}
	return nil
}
