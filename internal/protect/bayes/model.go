package bayes

import (
	"context"

	"tattle/internal/engine/nn"
)

// Inputs is a list of candidates given as inputs of a model. Without a Memo each call of Features
// computes the features in float64, so a list may be larger than memory.
type Inputs struct {
	Front   nn.Model  // computes the features
	Data    nn.Source // holds the inputs
	Indices []int     // of the candidates in Data
	Memo    *Memo     // keeps the features of Data's inputs; nil: they are computed in each call
}

// batchInputs is the number of inputs in one pass of the model.
const batchInputs = 64

// Len returns the number of candidates.
func (in Inputs) Len() int { return len(in.Indices) }

// Dim returns the number of features.
func (in Inputs) Dim() int { _, n := in.Front.Dims(); return n }

// Features overwrites dst, [len(indices), Dim], with the features of those candidates. It
// returns an error if ctx ends.
func (in Inputs) Features(ctx context.Context, dst []float64, indices []int) error {
	rows := make([]int, len(indices))
	for i, j := range indices {
		rows[i] = in.Indices[j]
	}
	if in.Memo != nil {
		err := in.compute(ctx, in.Memo.unknown(rows), in.Memo.keep)
		if err == nil {
			in.Memo.read(dst, rows)
		}
		return err
	}
	return in.compute(ctx, rows, func(_ []int, features []float64) { dst = dst[copy(dst, features):] })
}

// compute calls f with the features of inputs of Data, batchInputs of them at a time.
func (in Inputs) compute(ctx context.Context, rows []int, f func(rows []int, features []float64)) error {
	p, n := in.Front.Dims()
	most := min(batchInputs, len(rows))
	wide, features := make([]float64, most*p), make([]float64, most*n)
	return nn.EachBatch(ctx, in.Data, p, rows, batchInputs, func(some []int, x []float32) error {
		for i, v := range x {
			wide[i] = float64(v)
		}
		in.Front.Forward64(features[:len(some)*n], wide[:len(x)])
		f(some, features[:len(some)*n])
		return nil
	})
}

// Kept returns a list that computes its features once, so that several passes need no more. One without a Memo gets one of
// its own inputs.
func (in Inputs) Kept() Inputs {
	if in.Memo == nil {
		in.Data, in.Indices = nn.Choose(in.Data, in.Indices), nn.Indices(len(in.Indices))
		in.Memo = NewMemo(in.Len(), in.Dim())
	}
	return in
}
