package measure

import (
	"context"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/protect/bound"
)

// priorBlock is how many numbers of inputs of a list priors reads at a time: 8 MB.
const priorBlock = 1 << 20

// priors adds to floors the mean-square error of guessing the mean of the list, without a
// release. It is computed over all inputs of the list, not estimated from draws. Adversaries with
// the list can guess its mean, so no floor for them is above it, and floors are limited to it.
func (l *lists) priors(ctx context.Context, floors []BandLimit, of *List, in Peopled) error {
	p, bands := nn.Size(of.Set.Shape), bound.Octaves(l.target.Coordinates)
	mean, sums := make([]float64, p), make([]float64, len(bands))
	each := func(do func(x []float64, first int)) error { // inputs [n, p] from the first one on
		first, wide := 0, []float64(nil)
		return nn.EachBatch(ctx, of.Set, p, in.Indices, max(1, priorBlock/p), func(some []int, x []float32) error {
			wide = slices.Grow(wide[:0], len(x))[:len(x)]
			for i, v := range x {
				wide[i] = float64(v)
			}
			do(wide, first)
			first += len(some)
			return nil
		})
	}
	err := each(func(x []float64, first int) {
		for i := range len(x) / p {
			simd.Axpy(in.weight(first+i), x[i*p:(i+1)*p], mean)
		}
	})
	if err == nil {
		err = each(func(x []float64, first int) {
			n := len(x) / p
			squares := make([]float64, n*len(bands))
			simd.Parallel(n, 2, func(from, to int) {
				reader := l.reader(bands)
				defer l.readers.Put(reader)
				for i := from; i < to; i++ {
					copy(reader.values[0], x[i*p:(i+1)*p])
					simd.Axpy(-1, mean, reader.values[0])
					for k, v := range reader.split() {
						squares[i*len(bands)+k] = simd.SumSquares(v)
					}
				}
			})
			for i := range n {
				simd.Axpy(in.weight(first+i), squares[i*len(bands):(i+1)*len(bands)], sums)
			}
		})
	}
	for k, sum := range sums {
		sum /= float64(floors[k].Coordinates)
		floors[k].Prior = digits(sum, math.Round)
		f := &floors[k].MeanSquare
		f.Low, f.Mean, f.High = min(f.Low, digits(sum, math.Floor)), min(f.Mean, floors[k].Prior), min(f.High, digits(sum, math.Ceil))
	}
	return err
}
