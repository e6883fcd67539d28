package measure

import (
	"context"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/protect/bound"
)

// priorBlock is the number of inputs of a list that priors reads at a time.
const priorBlock = 256

// priors adds to floors the mean-square error of guessing the mean of the list, without a
// release. It is computed over all inputs of the list, not estimated from draws. Adversaries with
// the list can guess its mean, so no floor for them is above it, and floors are limited to it.
func (l *lists) priors(ctx context.Context, floors []BandLimit, of *List, in Peopled) error {
	mean, err := meanInput(ctx, of, in)
	if err != nil {
		return err
	}
	p, bands := len(mean), bound.Octaves(l.target.Coordinates)
	sums, done := make([]float64, len(bands)), 0
	err = eachBlock(ctx, of, in.Indices, func(x []float64, n int) {
		squares := make([]float64, n*len(bands))
		simd.Parallel(n, 8, func(from, to int) {
			for i := from; i < to; i++ {
				simd.Axpy(-1, mean, x[i*p:(i+1)*p])
				for k, v := range l.bandValues(x[i*p:(i+1)*p], bands) {
					squares[i*len(bands)+k] = simd.SumSquares(v)
				}
			}
		})
		for i := range n {
			simd.Axpy(in.weight(done+i), squares[i*len(bands):(i+1)*len(bands)], sums)
		}
		done += n
	})
	if err != nil {
		return err
	}
	for k, sum := range sums {
		sum /= float64(floors[k].Coordinates)
		floors[k].Prior = digits(sum, math.Round)
		f := &floors[k].MeanSquare
		f.Low, f.Mean, f.High = min(f.Low, digits(sum, math.Floor)), min(f.Mean, floors[k].Prior), min(f.High, digits(sum, math.Ceil))
	}
	return nil
}

// meanInput returns the mean of inputs of a list.
func meanInput(ctx context.Context, of *List, in Peopled) ([]float64, error) {
	p, done := nn.Size(of.Set.Shape), 0
	mean := make([]float64, p)
	err := eachBlock(ctx, of, in.Indices, func(x []float64, n int) {
		for i := range n {
			simd.Axpy(in.weight(done+i), x[i*p:(i+1)*p], mean)
		}
		done += n
	})
	return mean, err
}

// eachBlock calls do with inputs of a list, [n, p], a block at a time.
func eachBlock(ctx context.Context, of *List, indices []int, do func(x []float64, n int)) error {
	p := nn.Size(of.Set.Shape)
	return nn.EachBatch(ctx, of.Set, p, indices, priorBlock, func(some []int, x []float32) error {
		do(nn.Float64s(x), len(some))
		return nil
	})
}
