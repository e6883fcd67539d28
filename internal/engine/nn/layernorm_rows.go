package nn

import (
	"cmp"

	"tattle/internal/math/simd"
)

// rowNorm is the kernel of LayerNorm and GroupNorm: it standardises rows of cols
// entries. Each row has cols/segment channels of segment entries, whose scales and
// shifts follow those of the row before, until after period of them they begin anew.
type rowNorm[T Float] struct {
	epsilon      float64
	scale, move  *Param // or nil
	cols         int
	perExample   int // rows of one example
	segment      int
	period       int
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
		*made = make([]T, k.period)
		for i := range *made {
			(*made)[i] = v
		}
	}
	return *made
}

// channels returns the part of a parameter's values that belongs to row r.
func (k *rowNorm[T]) channels(v []T, r int) []T {
	n := k.cols / k.segment
	return v[r*n%k.period:][:n]
}

// primal returns the row of f.x to which row r of k tangents per example belongs.
func (k *rowNorm[T]) primal(r int) int {
	return r/(k.k*k.perExample)*k.perExample + r%k.perExample
}

func (k *rowNorm[T]) row(x []T, r int) []T { return x[r*k.cols:][:k.cols] }

// at returns the part of a row that belongs to its channel c.
func (k *rowNorm[T]) at(row []T, c int) []T { return row[c*k.segment:][:k.segment] }

func (k *rowNorm[T]) forwardRange(lo, hi int) {
	for r := lo; r < hi; r++ {
		y, x := k.row(k.out, r), k.row(k.in, r)
		mean, variance := rowMoments(x)
		invStd := inverseRoot(variance + k.epsilon)
		k.stats.mean[r], k.stats.invStd[r] = mean, invStd
		gains, moves := k.channels(k.gains, r), k.channels(k.moves, r)
		if k.segment == 1 {
			simd.NormForward(y, x, gains, moves, T(mean), T(invStd))
			continue
		}
		for c, g := range gains {
			centreScale(k.at(y, c), k.at(x, c), mean, invStd, g, moves[c])
		}
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
		out, d, x, gains := k.row(k.out, r), k.row(k.in, r), k.row(k.f.x[0], at), k.channels(k.gains, at)
		sum, dot := dotAndSum(d, x)
		p, q, s := k.products(at, sum, dot)
		k.combine(out, d, x, gains, p, q, s)
	}
}

func (k *rowNorm[T]) pullRange(lo, hi int) {
	for r := lo; r < hi; r++ {
		at := k.primal(r)
		out, d, x, gains := k.row(k.out, r), k.row(k.in, r), k.row(k.f.x[0], at), k.channels(k.gains, at)
		if k.segment == 1 {
			sum, dot := simd.NormSums(d, x, gains)
			p, q, s := k.products(at, sum, dot)
			simd.NormCotangent(out, d, x, gains, p, q, s)
			continue
		}
		var sum, dot float64
		for c, g := range gains {
			a, b := dotAndSum(k.at(d, c), k.at(x, c))
			sum, dot = sum+float64(g)*a, dot+float64(g)*b
		}
		p, q, s := k.products(at, sum, dot)
		for c, g := range gains {
			simd.Combine(k.at(out, c), k.at(d, c), k.at(x, c), p*g, q, s)
		}
	}
}

// combine sets out = (p·d + q·x + s)·gain.
func (k *rowNorm[T]) combine(out, d, x, gains []T, p, q, s T) {
	if k.segment == 1 {
		simd.NormTangent(out, d, x, gains, p, q, s)
		return
	}
	for c, g := range gains {
		simd.Combine(k.at(out, c), k.at(d, c), k.at(x, c), p*g, q*g, s*g)
	}
}

// grad adds Σ dy·x̂ to the gradient of the scale and Σ dy to that of the shift.
func (k *rowNorm[T]) grad(f *frame[float32], dy []float32) {
	if k.cols == 0 {
		return
	}
	k.f, k.in, k.stats = any(f).(*frame[T]), any(dy).([]T), f.aux.(*rowStats)
	k.spare = sized(k.spare, k.period)
	simd.Parallel(k.period, 32+grain/(f.batch*k.perExample*k.segment), k.pieces[rowGradient])
}

// gradientRange goes through the rows in order, each for channels lo to hi.
func (k *rowNorm[T]) gradientRange(lo, hi int) {
	dScale, dMove := gradOr(k.scale, k.spare), gradOr(k.move, k.spare)
	n := k.cols / k.segment
	for r := range k.f.batch * k.perExample {
		first := r * n % k.period // channel of the row's first
		from, to := max(lo, first), min(hi, first+n)
		if from >= to {
			continue
		}
		at := (from - first) * k.segment
		size := (to - from) * k.segment
		d := any(k.row(k.in, r)[at : at+size]).([]float32)
		x := any(k.row(k.f.x[0], r)[at : at+size]).([]float32)
		mean, invStd := k.stats.mean[r], k.stats.invStd[r]
		if k.segment == 1 {
			simd.NormGradient(dScale[from:to], dMove[from:to], d, x, float32(mean), float32(invStd))
			continue
		}
		for c := from; c < to; c++ {
			span := (c - from) * k.segment
			sum, dot := simd.DotAndSum(d[span:span+k.segment], x[span:span+k.segment])
			dScale[c] += float32((dot - sum*mean) * invStd)
			dMove[c] += float32(sum)
		}
	}
}

// gradOr returns the parameter's gradient, or spare where there is none.
func gradOr(p *Param, spare []float32) []float32 {
	if p == nil {
		return spare
	}
	return p.Grad
}
