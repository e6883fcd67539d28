package bound

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/math/gram"
	"tattle/internal/math/simd"
)

// DefaultWitnesses is enough, on paper A's MNIST net, for every singular direction (35 to
// 53 of them) and some far witnesses.
const DefaultWitnesses = 64

// nearSize is ‖z‖/σ of the witnesses along singular directions: small enough that
// hardly a ReLU switches, the bound being Cramér-Rao's but for O(nearSize²), and
// some 10⁸ times the rounding of features in float64.
const nearSize = 5e-5

// If the runtime's error counts, witnesses along singular directions are nearRoom times as
// large as that error, but at most nearMost: the error then costs a fiftieth of the bound.
const (
	nearRoom = 100
	nearMost = 0.25
)

// nearSize is the size of a block's witnesses along singular directions, for n features.
func (s *Bounds) nearSize(n int, sigma float64) float64 {
	if !s.counted {
		return nearSize
	}
	return max(nearSize, min(nearMost, nearRoom*2*s.runtime*math.Sqrt(float64(n))/sigma))
}

// leastPivot is the smallest pivot in the Cholesky factorization of M, scaled to a unit
// diagonal: witnesses with smaller pivots depend on the others and are dropped.
const leastPivot = 1e-9

// BarankinOptions says which witnesses are combined. Its zero value is none.
type BarankinOptions struct {
	Witnesses int  `json:"witnesses"`      // of each example, far ones among them; 0 for none
	Near      bool `json:"near,omitempty"` // leave far ones out: what is proved is then Cramér-Rao's bound, for the part of each coordinate that the features can see
}

// seek gathers the witnesses that are combined. The last rows, at most half, are far
// witnesses; the others lie along singular directions, or are the search's of the first
// size if J was not decomposed or is zero.
func (o BarankinOptions) seek(ctx context.Context, r *runner, s *Bounds, b *batch, _ func(part float64)) error {
	factors := b.factors
	if b.gramian != nil {
		f, err := b.gramian.smallest(ctx, s.Witnesses, r.experiment.Search.Seed, int(b.index[0]))
		if err != nil {
			return err
		}
		factors = []*Factors{f}
	}
	p, far, scale := b.p, b.set(SearchFar), r.experiment.Scale()
	_, n := r.model.Dims()
	count := 0
	if far != nil && !o.Near {
		count = min(far.Witnesses, s.Witnesses/2)
	}
	found := make([]float32, len(b.index)*s.Witnesses*p)
	parallel(len(b.index), func(i int) {
		eps := rowOf(found, i, s.Witnesses*p)
		near := eps[:(s.Witnesses-count)*p]
		if factors != nil && factors[i].Rank() > 0 {
			factors[i].near(near, rowOf(b.theta, i, p), s.domain, s.nearSize(n, scale), scale)
		} else {
			convert(near, b.sets[0].of(i, p))
		}
		if count > 0 {
			convert(eps[len(near):], far.of(i, p))
		}
	})
	keep(s, b.theta, found, p)
	return ctx.Err()
}

// near overwrites eps, [·, p], with witnesses along the right singular vectors of J
// at θ, those of the least singular values first, as many as there is room for:
// ‖z‖ ≈ size·σ to first order. In a box, a witness and its opposite are both
// moved into it: what one loses the other keeps. Rows left over are zero, and prove
// nothing.
func (f *Factors) near(eps, theta []float32, d Domain, size, sigma float64) {
	p, row := f.P, 0
	signs := []float64{1, -1}
	if d.Low == nil {
		signs = signs[:1]
	}
	clear(eps)
	for i := f.Rank() - 1; i >= 0; i-- {
		for _, sign := range signs {
			if (row+1)*p > len(eps) {
				return
			}
			e := eps[row*p : (row+1)*p]
			scale := sign * size * sigma / f.S[i]
			for k, v := range f.V[i*p : (i+1)*p] {
				e[k] = float32(scale * v)
			}
			d.project(e, theta)
			row++
		}
	}
}

// coefficients returns B ≈ M⁻¹, [m, m], over the witnesses that are independent of the
// others, zeros elsewhere. M is scaled to a unit diagonal, to which the row sums of its
// error are added, as the certificate counts them.
func (v *moments) coefficients(ds []Divergence) []float64 {
	b := make([]float64, v.m*v.m)
	var keep []int
	for i, d := range ds {
		if own := v.value[i*v.m+i]; !v.void[i] && d.Status == Bounded && own > 2*v.err[i*v.m+i] {
			keep = append(keep, i)
		}
	}
	a, scale := v.scaled(keep)
	pivots := independent(a, len(keep))
	if len(pivots) < len(keep) {
		left := make([]int, len(pivots))
		for i, k := range pivots {
			left[i] = keep[k]
		}
		keep = left
		a, scale = v.scaled(keep)
	}
	x := inverse(a, len(keep))
	if x == nil {
		return b
	}
	for r, i := range keep {
		for c, j := range keep {
			if y := x[r*len(keep)+c] * scale[r] * scale[c]; math.Abs(y) <= math.MaxFloat64 {
				b[i*v.m+j] = y
			}
		}
	}
	return b
}

// scaled returns D M D with ones and the errors' row sums on its diagonal, and D.
func (v *moments) scaled(keep []int) (a, scale []float64) {
	n := len(keep)
	a, scale = make([]float64, n*n), make([]float64, n)
	for r, i := range keep {
		scale[r] = 1 / math.Sqrt(v.value[i*v.m+i])
	}
	for r, i := range keep {
		for c, j := range keep {
			s := scale[r] * scale[c]
			a[r*n+c] += v.value[i*v.m+j] * s
			a[r*n+r] += v.err[i*v.m+j] * s
		}
	}
	return a, scale
}

// independent returns the rows that pivoted Cholesky takes before the rest are
// spanned, ascending in no order.
func independent(a []float64, n int) []int {
	if n == 0 {
		return nil
	}
	var c mat.PivotedCholesky
	c.Factorize(mat.NewSymDense(n, append([]float64(nil), a...)), leastPivot)
	return c.ColumnPivots(nil)[:c.Rank()]
}

// inverse inverts a positive definite matrix and refines it by one step of Newton's,
// X + X(I − AX); nil if it is not definite.
func inverse(a []float64, n int) []float64 {
	if n == 0 {
		return nil
	}
	x, r := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		x[i*n+i], r[i*n+i] = 1, 1
	}
	if gram.Solve(a, n, x) != nil {
		return nil
	}
	simd.Gemm(false, false, n, n, n, -1, a, n, x, n, 1, r, n)
	simd.Gemm(false, false, n, n, n, 1, append([]float64(nil), x...), n, r, n, 1, x, n)
	return x
}
