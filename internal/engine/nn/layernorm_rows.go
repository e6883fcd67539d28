package nn

import (
	"cmp"

	"tattle/internal/math/simd"
)

// rowNorm is the kernel of LayerNorm: it standardises rows of cols entries.
type rowNorm[T Float] struct {
	epsilon      float64
	scale, move  *Param // or nil
	cols         int
	perExample   int // rows of one example
	pieces       [normPasses]func(lo, hi int)
	ones, zeros  []T       // in the place of missing parameters
	spare        []float32 // in the place of the gradient of one
	f            *frame[T]
	out, in      []T
	k            int
	stats        *rowStats
	gains, moves []T // the parameters' values
}

// What a pass over the rows computes.
const (
	rowForward  = iota
	rowTangent  // out = J·in
	rowPull     // out = Jᵀ·in
	rowGradient // of the parameters, shared by channel
	normPasses
)

// rowStats is what a frame keeps: mean and 1/√(variance + ε) of each row.
type rowStats struct{ mean, invStd []float64 }

func newRowNorm[T Float](epsilon float64, scale, move *Param) *rowNorm[T] {
	k := &rowNorm[T]{epsilon: cmp.Or(epsilon, DefaultLayerNormEpsilon), scale: scale, move: move}
	k.pieces = [normPasses]func(lo, hi int){k.forwardRange, k.tangentRange, k.pullRange, k.gradientRange}
	return k
}

func (k *rowNorm[T]) forward(f *frame[T]) {
	s, ok := f.aux.(*rowStats)
	if !ok {
		s = &rowStats{}
		f.aux = s
	}
	n := f.batch * k.perExample
	s.mean, s.invStd = sized(s.mean, n), sized(s.invStd, n)
	k.run(rowForward, f, f.y, f.x[0], 1)
}

func (k *rowNorm[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) { k.run(rowTangent, f, dy, dx[0], n) }

func (k *rowNorm[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] != nil {
		k.run(rowPull, f, dx[0], dy, n)
	}
}

// run shares the rows among the cores.
func (k *rowNorm[T]) run(pass int, f *frame[T], out, in []T, n int) {
	if k.cols == 0 {
		return
	}
	k.f, k.out, k.in, k.k, k.stats = f, out, in, n, f.aux.(*rowStats)
	k.gains, k.moves = k.valuesOr(k.scale, &k.ones, 1), k.valuesOr(k.move, &k.zeros, 0)
	simd.Parallel(f.batch*k.perExample*n, 1+grain/4/k.cols, k.pieces[pass])
}

// valuesOr returns the parameter's values, or as many of v, made once, where there
// is none.
func (k *rowNorm[T]) valuesOr(p *Param, made *[]T, v T) []T {
	if p != nil {
		return values[T](p)
	}
	if *made == nil {
		*made = make([]T, k.cols)
		for i := range *made {
			(*made)[i] = v
		}
	}
	return *made
}

// primal returns the row of f.x to which row r of k tangents per example belongs.
func (k *rowNorm[T]) primal(r int) int {
	return r/(k.k*k.perExample)*k.perExample + r%k.perExample
}

func (k *rowNorm[T]) row(x []T, r int) []T { return x[r*k.cols:][:k.cols] }

func (k *rowNorm[T]) forwardRange(lo, hi int) {
	for r := lo; r < hi; r++ {
		y, x := k.row(k.out, r), k.row(k.in, r)
		mean, variance := rowMoments(x)
		invStd := inverseRoot(variance + k.epsilon)
		k.stats.mean[r], k.stats.invStd[r] = mean, invStd
		simd.NormForward(y, x, k.gains, k.moves, T(mean), T(invStd))
	}
}

// products returns what makes J·d = (p·d + q·x + s)·scale, and with d scaled
// Jᵀ·d = p·d + q·x + s, given Σ d and Σ d·x over primal row r:
//
//	J·d = scale·r·(d − mean(d) − x̂·mean(d·x̂)),   x̂ = r·(x − mean(x)),  r = 1/√(variance+ε).
func (k *rowNorm[T]) products(r int, sum, dot float64) (p, q, s T) {
	n, mean, invStd := float64(k.cols), k.stats.mean[r], k.stats.invStd[r]
	slope := -invStd * invStd * invStd * (dot - sum*mean) / n
	return T(invStd), T(slope), T(-invStd*sum/n - slope*mean)
}

func (k *rowNorm[T]) tangentRange(lo, hi int) {
	for r := lo; r < hi; r++ {
		at := k.primal(r)
		d, x := k.row(k.in, r), k.row(k.f.x[0], at)
		sum, dot := dotAndSum(d, x)
		p, q, s := k.products(at, sum, dot)
		out := k.row(k.out, r)
		simd.Combine(out, d, x, p, q, s)
		simd.Mul(out, out, k.gains)
	}
}

func (k *rowNorm[T]) pullRange(lo, hi int) {
	for r := lo; r < hi; r++ {
		at := k.primal(r)
		out, x := k.row(k.out, r), k.row(k.f.x[0], at)
		simd.Mul(out, k.row(k.in, r), k.gains)
		sum, dot := dotAndSum(out, x)
		p, q, s := k.products(at, sum, dot)
		simd.Combine(out, out, x, p, q, s)
	}
}

// grad adds Σ dy·x̂ to the gradient of the scale and Σ dy to that of the shift.
func (k *rowNorm[T]) grad(f *frame[float32], dy []float32, keep float32) {
	if k.cols == 0 {
		return
	}
	if keep == 0 {
		clear(gradOr(k.scale, nil))
		clear(gradOr(k.move, nil))
	}
	k.f, k.in, k.stats = any(f).(*frame[T]), any(dy).([]T), f.aux.(*rowStats)
	k.spare = sized(k.spare, k.cols)
	simd.Parallel(k.cols, 32+grain/(f.batch*k.perExample), k.pieces[rowGradient])
}

// gradientRange goes through the rows in order, each for channels lo to hi.
func (k *rowNorm[T]) gradientRange(lo, hi int) {
	dScale, dMove := gradOr(k.scale, k.spare), gradOr(k.move, k.spare)
	for r := range k.f.batch * k.perExample {
		d := any(k.row(k.in, r)[lo:hi]).([]float32)
		x := any(k.row(k.f.x[0], r)[lo:hi]).([]float32)
		simd.NormGradient(dScale[lo:hi], dMove[lo:hi], d, x, float32(k.stats.mean[r]), float32(k.stats.invStd[r]))
	}
}

// gradOr returns the parameter's gradient, or spare where there is none.
func gradOr(p *Param, spare []float32) []float32 {
	if p == nil {
		return spare
	}
	return p.Grad
}

// dotAndSum is [simd.DotAndSum] in either precision.
func dotAndSum[T Float](d, x []T) (sum, dot float64) {
	if d, ok := any(d).([]float32); ok {
		return simd.DotAndSum(d, any(x).([]float32))
	}
	return float64(simd.Sum(d)), float64(simd.Dot(d, x))
}
