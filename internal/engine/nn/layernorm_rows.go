package nn

import (
	"cmp"
	"math"

	"tattle/internal/math/simd"
)

// rowNorm is the kernel of LayerNorm: it standardises rows. Parameters that the operator has not are its own.
type rowNorm[T Float] struct {
	rows
	epsilon     float64
	scale, move *Param
}

// rowStats is what a frame keeps: mean and 1/√(variance + ε) of each row.
type rowStats struct{ mean, invStd []float64 }

func newLayerNorm[T Float](o *LayerNorm, in []int) *rowNorm[T] {
	at := len(in) - o.axes()
	k := &rowNorm[T]{rows: rows{Size(in[at:]), Size(in[:at])}, epsilon: cmp.Or(o.Epsilon, DefaultLayerNormEpsilon), scale: o.Scale, move: o.Shift}
	if k.scale == nil {
		k.scale = ones(k.cols)
		k.scale.Grad = make([]float32, k.cols)
	}
	if k.move == nil {
		k.move = NewParam("", k.cols)
		k.move.Grad = make([]float32, k.cols)
	}
	return k
}

// rowGrain is how many entries of a row are worth a core of their own.
const rowGrain = grain / 4

func (k *rowNorm[T]) forward(f *frame[T]) {
	s, ok := f.aux.(*rowStats)
	if !ok {
		s = &rowStats{}
		f.aux = s
	}
	n := f.batch * k.perExample
	s.mean, s.invStd = sized(s.mean, n), sized(s.invStd, n)
	gains, moves := values[T](k.scale), values[T](k.move)
	k.each(f.batch, 1, rowGrain, func(lo, hi, _ int) {
		x, r := f.x[0][lo:hi], lo/k.cols
		mean, variance := rowMoments(x)
		invStd := 1 / math.Sqrt(variance+k.epsilon)
		s.mean[r], s.invStd[r] = mean, invStd
		simd.NormForward(f.y[lo:hi], x, gains, moves, T(mean), T(invStd))
	})
}

// products returns what makes J·d = (p·d + q·x + s)·scale, and with d scaled
// Jᵀ·d = p·d + q·x + s, given Σ d and Σ d·x over row r of the examples:
//
//	J·d = scale·r·(d − mean(d) − x̂·mean(d·x̂)),   x̂ = r·(x − mean(x)),  r = 1/√(variance+ε).
func (k *rowNorm[T]) products(stats *rowStats, r int, sum, dot float64) (p, q, s T) {
	n, mean, invStd := float64(k.cols), stats.mean[r], stats.invStd[r]
	slope := -invStd * invStd * invStd * (dot - sum*mean) / n
	return T(invStd), T(slope), T(-invStd*sum/n - slope*mean)
}

func (k *rowNorm[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	stats, gains := f.aux.(*rowStats), values[T](k.scale)
	k.each(f.batch, n, rowGrain, func(lo, hi, at int) {
		out, d, x := dy[lo:hi], dx[0][lo:hi], f.x[0][at:][:k.cols]
		sum, dot := dotAndSum(d, x)
		p, q, s := k.products(stats, at/k.cols, sum, dot)
		simd.Combine(out, d, x, p, q, s)
		simd.Mul(out, out, gains)
	})
}

func (k *rowNorm[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] == nil {
		return
	}
	stats, gains := f.aux.(*rowStats), values[T](k.scale)
	k.each(f.batch, n, rowGrain, func(lo, hi, at int) {
		out, x := dx[0][lo:hi], f.x[0][at:][:k.cols]
		simd.Mul(out, dy[lo:hi], gains)
		sum, dot := dotAndSum(out, x)
		p, q, s := k.products(stats, at/k.cols, sum, dot)
		simd.Combine(out, out, x, p, q, s)
	})
}

// grad adds Σ dy·x̂ to the gradient of the scale and Σ dy to that of the shift.
func (k *rowNorm[T]) grad(f *frame[float32], dy []float32, keep float32) {
	if k.cols == 0 {
		return
	}
	if keep == 0 {
		clear(k.scale.Grad)
		clear(k.move.Grad)
	}
	stats := f.aux.(*rowStats)
	simd.Parallel(k.cols, 32+grain/(f.batch*k.perExample), func(lo, hi int) {
		for r := range f.batch * k.perExample { // in order, for the channels lo to hi
			at, n := r*k.cols+lo, hi-lo
			simd.NormGradient(k.scale.Grad[lo:hi], k.move.Grad[lo:hi], dy[at:][:n], f.x[0][at:][:n], float32(stats.mean[r]), float32(stats.invStd[r]))
		}
	})
}

// dotAndSum is [simd.DotAndSum] in either precision.
func dotAndSum[T Float](d, x []T) (sum, dot float64) {
	if d, ok := any(d).([]float32); ok {
		return simd.DotAndSum(d, any(x).([]float32))
	}
	return float64(simd.Sum(d)), float64(simd.Dot(d, x))
}
