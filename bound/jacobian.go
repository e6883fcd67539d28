package bound

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/simd"
	"tattle/nn"
)

// A Jacobian is ∂a/∂θ at one input, kept as its rows that are not zero. Of a
// net that ends in a ReLU only the rows of active features are.
type Jacobian struct {
	Active []int     // the features whose rows these are, ascending
	Rows   []float64 // [len(Active), p]
	P      int
}

// rowBudget is how many float64 a batch of Jacobian rows may hold at once.
const rowBudget = 1 << 23

// Jacobians forms J of each example of x, [batch, p], in float64, one product
// with Jᵀ per active feature.
func Jacobians(m nn.Model, x []float64) []Jacobian {
	p, n := m.Dims()
	return jacobians(m.Linearize64(x), len(x)/p, p, n)
}

// jacobians reads the rows of J off products with Jᵀ, a chunk of features at a
// time.
func jacobians[T nn.Float](lin nn.Linearization[T], batch, p, n int) []Jacobian {
	js, most := activeRows(lin, batch, p, n)
	chunk := max(1, min(most, rowBudget/(batch*max(n, p))))
	u, dst := make([]T, batch*chunk*n), make([]T, batch*chunk*p)
	for first := 0; first < most; first += chunk {
		clear(u)
		for i := range js {
			for k := 0; k < chunk && first+k < len(js[i].Active); k++ {
				u[(i*chunk+k)*n+js[i].Active[first+k]] = 1
			}
		}
		lin.VJP(dst, u)
		parallel(batch, func(i int) {
			if k := min(chunk, len(js[i].Active)-first); k > 0 {
				rows := js[i].Rows[first*p : (first+k)*p]
				for c, v := range dst[i*chunk*p : (i*chunk+k)*p] {
					rows[c] = float64(v)
				}
			}
		})
	}
	return js
}

// activeRows makes room for the rows that may not be zero, and returns the
// largest number of them in an example.
func activeRows[T nn.Float](lin nn.Linearization[T], batch, p, n int) (js []Jacobian, most int) {
	on := make([]bool, batch*n)
	if a, ok := lin.(nn.Activity); ok {
		a.Active(on)
	} else {
		for i := range on {
			on[i] = true
		}
	}
	js = make([]Jacobian, batch)
	for i := range js {
		for j, yes := range on[i*n : (i+1)*n] {
			if yes {
				js[i].Active = append(js[i].Active, j)
			}
		}
		js[i].P = p
		js[i].Rows = make([]float64, len(js[i].Active)*p)
		most = max(most, len(js[i].Active))
	}
	return js, most
}

// factorAll decomposes Jacobians on all cores.
func factorAll(js []Jacobian) ([]*Factors, error) {
	fs, errs := make([]*Factors, len(js)), make([]error, len(js))
	parallel(len(js), func(i int) { fs[i], errs[i] = js[i].Factor() })
	return fs, errors.Join(errs...)
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

// Rank is the number of singular values above max(n, p)·2⁻⁵² of the largest, the
// rounding error to be expected of them.
func (f *Factors) Rank() int { return len(f.S) }

// gramRatio is the least ratio of eigenvalues of a Gram matrix that is trusted.
// Forming it costs an error of about 1e-15 of its largest eigenvalue: at this
// ratio the smallest is right to 1e-7, and singular values to half of that.
const gramRatio = 1e-8

// Factor decomposes j. The eigenvalues of the smaller Gram matrix, JJᵀ or JᵀJ,
// give the singular values while their ratio is far from rounding; else a full
// decomposition of J does. It errs only where J is not finite.
func (j Jacobian) Factor() (*Factors, error) {
	f := &Factors{Active: j.Active, P: j.P}
	rows := len(j.Active)
	if rows == 0 || simd.MaxAbs(j.Rows) == 0 {
		return f, nil
	}
	for _, v := range j.Rows {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("the Jacobian is not finite")
		}
	}
	if !f.fromGram(j) {
		if err := f.fromSVD(j); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// fromGram reports whether the Gram matrix was regular enough to be used.
func (f *Factors) fromGram(j Jacobian) bool {
	rows := len(j.Active)
	d := min(rows, j.P)
	gram := make([]float64, d*d)
	if rows <= j.P {
		simd.Gemm(false, true, d, d, j.P, 1, j.Rows, j.P, j.Rows, j.P, 0, gram, d)
	} else {
		simd.Gemm(true, false, d, d, rows, 1, j.Rows, j.P, j.Rows, j.P, 0, gram, d)
	}
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(d, gram), true) {
		return false
	}
	values := e.Values(nil) // ascending
	if !(values[0] > gramRatio*values[d-1]) {
		return false
	}
	var q mat.Dense
	e.VectorsTo(&q)
	// near holds the singular vectors on the Gram matrix's side, one a row.
	near := make([]float64, d*d)
	f.S = make([]float64, d)
	for i := range d {
		f.S[i] = math.Sqrt(values[d-1-i])
		for k := range d {
			near[i*d+k] = q.At(k, d-1-i)
		}
	}
	if rows <= j.P {
		f.U, f.V = near, make([]float64, d*j.P)
		simd.Gemm(false, false, d, j.P, rows, 1, near, d, j.Rows, j.P, 0, f.V, j.P)
		scaleRows(f.V, f.S)
	} else {
		f.V, f.U = near, make([]float64, d*rows)
		simd.Gemm(false, true, d, rows, j.P, 1, near, d, j.Rows, j.P, 0, f.U, rows)
		scaleRows(f.U, f.S)
	}
	return true
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
	rank := 0
	for rank < len(s) && s[rank] > float64(max(rows, j.P))*0x1p-52*s[0] {
		rank++
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	f.S = s[:rank]
	f.U, f.V = make([]float64, rank*rows), make([]float64, rank*j.P)
	for i := range rank {
		mat.Col(f.U[i*rows:(i+1)*rows], i, &u)
		mat.Col(f.V[i*j.P:(i+1)*j.P], i, &v)
	}
	return nil
}

// Pseudoinverse returns (J⁺)ᵀ = Σ_i u_i v_iᵀ / s_i, [len(Active), p], rounded to
// float32: row by row what each active feature contributes to ε = J⁺ z.
func (f *Factors) Pseudoinverse() []float32 {
	a := len(f.Active)
	out := make([]float32, a*f.P)
	if f.Rank() == 0 {
		return out
	}
	scaled := append([]float64(nil), f.U...)
	scaleRows(scaled, f.S)
	wide := make([]float64, a*f.P)
	simd.Gemm(true, false, a, f.P, f.Rank(), 1, scaled, a, f.V, f.P, 0, wide, f.P)
	for i, v := range wide {
		out[i] = float32(v)
	}
	return out
}
