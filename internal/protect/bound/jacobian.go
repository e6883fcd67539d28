package bound

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// A Jacobian is ∂a/∂θ at one input, kept as its rows that are not zero. Of a
// net that ends in a ReLU only the rows of active features are.
type Jacobian struct {
	Active []int     // the features whose rows these are, ascending
	Rows   []float64 // [len(Active), p]
	P      int
}

// rowBudget is how many float64 a batch of Jacobian rows may hold at once.
const rowBudget = 1 << 21

// Jacobians forms J of each example of x, [batch, p], in float64, one product
// with Jᵀ per active feature.
func Jacobians(m nn.Model, x []float64) []Jacobian {
	p, n := m.Dims()
	return jacobians(context.Background(), m.Linearize64(x), len(x)/p, p, n)
}

// jacobians reads the rows of J off products with Jᵀ, a chunk of features at a time;
// of a large one with more rows than columns, the columns off products with J. Once
// ctx is cancelled the rest are zero.
func jacobians[T nn.Float](ctx context.Context, lin nn.Linearization[T], batch, p, n int) []Jacobian {
	js, most := activeRows(lin, batch, p, n)
	count, in, out, product, inputs := most, n, p, lin.VJP, []int(nil)
	chunk := min(most, rowBudget/(batch*max(n, p)))
	if most > eigenSmall {
		chunk = min(chunk, certifyRowsOf(p, n)/batch)
		if p < most {
			count, in, out, product, inputs = p, p, n, lin.JVP, nn.Indices(p)
		}
	}
	chunk = max(1, min(chunk, count))
	u, dst := make([]T, batch*chunk*in), make([]T, batch*chunk*out)
	for first := 0; first < count && ctx.Err() == nil; first += chunk {
		chunk = min(chunk, count-first)
		u, dst := u[:batch*chunk*in], dst[:batch*chunk*out]
		clear(u)
		units := make([][]int, batch)
		for i, j := range js {
			all := j.Active
			if inputs != nil {
				all = inputs
			}
			units[i] = all[min(first, len(all)):min(first+chunk, len(all))]
			for k, at := range units[i] {
				u[(i*chunk+k)*in+at] = 1
			}
		}
		product(dst, u)
		parallel(batch, func(i int) {
			if some := len(units[i]); some > 0 {
				fill(js[i], rowOf(dst, i, chunk*out), first, some, inputs != nil, n)
			}
		})
	}
	return js
}

// fill stores the rows of J from first on, or columns, each of all n features.
func fill[T nn.Float](j Jacobian, x []T, first, count int, columns bool, n int) {
	if !columns {
		convert(j.Rows[first*j.P:], x[:count*j.P])
		return
	}
	for r, at := range j.Active {
		row := rowOf(j.Rows, r, j.P)
		for k := range count {
			row[first+k] = float64(x[k*n+at])
		}
	}
}

// activeRows makes room for the rows that may not be zero, and returns the
// largest number of them in an example.
func activeRows[T nn.Float](lin nn.Linearization[T], batch, p, n int) (js []Jacobian, most int) {
	on := activity(lin, batch*n)
	js = make([]Jacobian, batch)
	for i := range js {
		js[i].Active, js[i].P = trues(rowOf(on, i, n)), p
		js[i].Rows = make([]float64, len(js[i].Active)*p)
		most = max(most, len(js[i].Active))
	}
	return js, most
}

// activeCounts counts, at every point, the active features, on being [points, n].
func activeCounts(on []bool, n int) []int {
	rows := make([]int, len(on)/n)
	for k := range rows {
		rows[k] = len(trues(rowOf(on, k, n)))
	}
	return rows
}

// trues returns the places of what is true.
func trues(on []bool) (at []int) {
	for k, yes := range on {
		if yes {
			at = append(at, k)
		}
	}
	return at
}

// activity returns for each of so many features whether its row of J may be nonzero. A
// feature with such a row is called active.
func activity[T nn.Float](lin nn.Linearization[T], features int) []bool {
	on := make([]bool, features)
	if a, ok := lin.(nn.Activity); ok {
		a.Active(on)
		return on
	}
	for i := range on {
		on[i] = true
	}
	return on
}

// Factors is the thin singular value decomposition J = Σ_i s_i u_i v_iᵀ of a
// Jacobian, over its numerical rank.
type Factors struct {
	Active []int     // the features that u_i are about
	S      []float64 // [rank], descending
	U      []float64 // [rank, len(Active)]
	V      []float64 // [rank, p]
	P      int
}

// Rank is the number of singular values above rankTolerance of the largest.
func (f *Factors) Rank() int { return len(f.S) }

const (
	// rankTolerance is the least singular value, over the largest, that counts. A
	// net's weights are float32, right to 6e-8: what is smaller is their rounding.
	rankTolerance = 1e-8
	// gramRatio is the least eigenvalue of a Gram matrix, over the largest, that is
	// trusted. Forming the matrix costs an error of about 1e-15 of the largest: at
	// this ratio an eigenvalue is right to 1e-7, and a singular value to half that.
	gramRatio = 1e-8
	// cutoff is the least singular value, over the largest, that a search inverts.
	// The float32 products of Algorithm 1's LSQR resolve none below about 1e-7; and
	// rows of J as small as that, of features that training has all but switched
	// off, would send ε far out of the linear regime, where it proves nothing.
	cutoff = 1e-6
)

// complete decomposes j by the eigenvalues of the smaller Gram matrix, JJᵀ or JᵀJ, and in full where what
// they give is not sound. It returns an error only if J is not finite or that does not converge.
func (j Jacobian) complete(ctx context.Context) (*Factors, error) {
	return j.factor(ctx, gramRatio, true)
}

// coarse decomposes j down to the cutoff, whose square is far enough above the
// rounding of a Gram matrix for a search, whose results need not be exact.
func (j Jacobian) coarse(ctx context.Context) (*Factors, error) {
	return j.factor(ctx, cutoff*cutoff, false)
}

func (j Jacobian) factor(ctx context.Context, ratio float64, complete bool) (*Factors, error) {
	f := &Factors{Active: j.Active, P: j.P}
	top := 0.
	for _, v := range j.Rows {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("the Jacobian of the features is not finite: the model's weights are too large")
		}
		top = max(top, math.Abs(v))
	}
	if top == 0 {
		return f, nil
	}
	if f.fromGrams(ctx, j, ratio, complete) && (!complete || f.sound(j)) {
		return f, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f, f.fromSVD(j)
}

// scaleRows divides row i of a by s[i].
func scaleRows(a, s []float64) {
	width := len(a) / len(s)
	for i, v := range s {
		simd.Scale(1/v, a[i*width:(i+1)*width])
	}
}

func (f *Factors) fromSVD(j Jacobian) error {
	rows := len(j.Active)
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(rows, j.P, j.Rows), mat.SVDThin) {
		return fmt.Errorf("the singular values of the Jacobian did not converge")
	}
	s := svd.Values(nil)
	rank := above(s, rankTolerance*s[0])
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	first := func(m *mat.Dense, rows int) []float64 {
		return mat.DenseCopyOf(m.Slice(0, rows, 0, rank).T()).RawMatrix().Data
	}
	f.S, f.U, f.V = s[:rank], first(&u, rows), first(&v, j.P)
	return nil
}

// pseudoinverse returns (J⁺)ᵀ = Σ_i u_i v_iᵀ / s_i over the singular values above
// the cutoff, [len(Active), p], rounded to float32: row by row what each active
// feature contributes to ε = J⁺ z.
func (f *Factors) pseudoinverse() []float32 {
	a := len(f.Active)
	out := make([]float32, a*f.P)
	if f.Rank() == 0 {
		return out
	}
	keep := f.Rank()
	for f.S[keep-1] < cutoff*f.S[0] {
		keep--
	}
	scaled := append([]float64(nil), f.U[:keep*a]...)
	scaleRows(scaled, f.S[:keep])
	some := min(a, max(1, wideValues/f.P)) // rows at a time
	wide := make([]float64, some*f.P)
	for lo := 0; lo < a; lo += some {
		n := min(some, a-lo)
		simd.Gemm(true, false, n, f.P, keep, 1, scaled[lo:], a, f.V, f.P, 0, wide[:n*f.P], f.P)
		convert(out[lo*f.P:(lo+n)*f.P], wide[:n*f.P])
	}
	return out
}

// wideValues is how many values of a pseudoinverse are held in float64 before they are rounded: 8 MB.
const wideValues = 1 << 20
