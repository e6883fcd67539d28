package bound

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"tattle/internal/engine/nn"
	"tattle/internal/math/lsqr"
	"tattle/internal/math/simd"
)

const (
	// farDirect is the largest number of rows of J for which a step is solved directly;
	// with more rows, by LSQR.
	farDirect = 256
	// farSolve is the number of LSQR's steps for one solve. They resolve the largest
	// singular values first, which move the features most, and so replace λ.
	farSolve = 24
	// farRidge is the least λ, over the largest diagonal element: J in float32 is of
	// full rank by its rounding alone.
	farRidge = 1e-9
	// farDamping is λ over (‖z‖/‖ε‖)². The rooms, mostly well below 1, scale the
	// singular values down.
	farDamping = 1e-3
	// farAlternations is the largest number of steps that move a start into the null
	// space.
	farAlternations = 12
	// farStride is the fraction of the way to the nearest face that one of them may go.
	farStride = 0.9
)

// hide moves the starts so that ‖Jε‖ shrinks, J being the Jacobian at θ, by an
// interior-point iteration in the box: each entry is scaled by the room that it has.
func (s *farSearch) hide(ctx context.Context, factors []*Factors) {
	examples := nn.Indices(len(s.theta) / s.p)
	if factors != nil {
		parallel(len(examples), func(i int) { s.hideFrom(i, factors[i].leading(farDirect)) })
		return
	}
	point := func(some []int) []float32 { return rowsAt(s.theta, some, s.p) }
	for some := range slices.Chunk(examples, max(1, rowBudget/(farDirect*s.p))) {
		s.byRows(ctx, some, point, func(some []int, lin nn.Linearization[float32], direct bool) {
			if direct {
				js := jacobians(ctx, lin, len(some), s.p, s.n)
				parallel(len(some), func(k int) { s.hideFrom(some[k], js[k].Rows) })
			}
		})
	}
}

// rowGroupSize is how many points are linearised together: products are made of as many for each
// as the one with most rows has.
const rowGroupSize = 8

// A solver solves the systems of some points, directly or by products.
type solver func(some []int, lin nn.Linearization[float32], direct bool)

// byRows linearises the model at some points, and calls solve with those at which J has few rows,
// for which a system is solved directly, and with the others. Which way is taken depends on a
// point alone.
func (s *farSearch) byRows(ctx context.Context, some []int, point func([]int) []float32, solve solver) {
	lin := s.model.Linearize(point(some))
	var few, many []int
	for k, rows := range activeCounts(activity(lin, len(some)*s.n), s.n) {
		if rows > farDirect {
			many = append(many, some[k])
		} else {
			few = append(few, some[k])
		}
	}
	for i, part := range [][]int{few, many} {
		if len(part) == 0 || ctx.Err() != nil {
			continue
		}
		if len(part) < len(some) {
			lin = s.model.Linearize(point(part))
		}
		solve(part, lin, i == 0)
	}
}

// rowsAt copies some rows of x, of width w.
func rowsAt[T any](x []T, some []int, w int) []T {
	out := make([]T, 0, len(some)*w)
	for _, i := range some {
		out = append(out, rowOf(x, i, w)...)
	}
	return out
}

// leading returns the first rows of SVᵀ, at most most of them: ‖SVᵀε‖ = ‖Jε‖ for every ε.
func (f *Factors) leading(most int) []float64 {
	rank := min(f.Rank(), most)
	rows := append([]float64(nil), f.V[:rank*f.P]...)
	for k, v := range f.S[:rank] {
		simd.Scale(v, rowOf(rows, k, f.P))
	}
	return rows
}

// hideFrom is hide for the starts of example i, given j, which is J up to a rotation of
// the features. If j has more than farDirect rows it does nothing: the later steps have
// to.
func (s *farSearch) hideFrom(i int, j []float64) {
	rank := len(j) / s.p
	if rank > farDirect {
		return
	}
	f := newFarSystem(rank, s.p)
	for k := range s.options.Starts {
		s.hideRow(f, j, i*s.options.Starts+k)
	}
}

// hideRow is hideFrom for one row.
func (s *farSearch) hideRow(f *farSystem, j []float64, row int) {
	e := rowOf(s.eps, row, s.p)
	w, wide, norm := rowOf(s.room, row, s.p), make([]float64, s.p), norm32(e)
	for range farAlternations {
		for i, v := range e {
			wide[i] = float64(v)
		}
		for r := range f.z {
			f.z[r] = simd.Dot(rowOf(j, r, s.p), wide)
		}
		s.measure(w, row, e)
		ratio := math.Sqrt(simd.SumSquares(f.z) / simd.SumSquares(wide))
		if !f.factor(j, w, ratio) {
			break
		}
		f.solve()
		stride := min(1, farStride/simd.MaxAbs(f.x))
		for i, x := range f.x {
			e[i] += float32(stride*x) * w[i]
		}
		if f.rank >= s.p {
			s.stretch(row, e, norm)
		} else if stride == 1 {
			break
		}
	}
	s.clip(row, e)
}

// stretch lengthens ε of a row to norm, or as far as the box allows.
func (s *farSearch) stretch(row int, e []float32, norm float64) {
	low, high := s.box(row)
	by := norm / max(norm32(e), math.SmallestNonzeroFloat32)
	for i, v := range e {
		if v > 0 {
			by = min(by, float64(high[i])/float64(v))
		} else if v < 0 {
			by = min(by, float64(low[i])/float64(v))
		}
	}
	if by > 1 {
		simd.Scale(float32(by), e)
	}
}

// correct overwrites step, for every open row, with the change Wx of ε of least ‖x‖ that
// makes z zero to first order, JWx = −z. J is taken at θ+ε, and the diagonal matrix W
// holds the room that each entry has in the box, so that the box contains small changes.
// Directions with singular values of JW below about ‖z‖/‖ε‖ are hardly changed (the λ of
// Levenberg and Marquardt). This raises ‖ε‖/‖z‖ even if J has no null space, as an inverse
// iteration does; once z nearly vanishes it is a full Gauss-Newton step.
func (s *farSearch) correct(ctx context.Context) {
	parallel(len(s.open), func(k int) {
		row := s.open[k]
		s.measure(rowOf(s.room, k, s.p), row, rowOf(s.eps, row, s.p))
	})
	for some := range slices.Chunk(nn.Indices(len(s.open)), rowGroupSize) {
		s.byRows(ctx, some, s.pointsOf, func(some []int, lin nn.Linearization[float32], direct bool) {
			if direct {
				s.byMatrices(ctx, some, lin)
			} else {
				s.byGradients(ctx, some, lin)
			}
		})
	}
}

// pointsOf returns θ+ε of some of the open rows.
func (s *farSearch) pointsOf(some []int) []float32 {
	parallel(len(some), func(i int) {
		row := s.open[some[i]]
		simd.Add(rowOf(s.point, i, s.p), rowOf(s.eps, row, s.p), rowOf(s.theta, s.input(row), s.p))
	})
	return s.point[:len(some)*s.p]
}

// advance takes the steps, or a half or a quarter of them, if that increases the value of
// the row.
func (s *farSearch) advance(ctx context.Context) {
	start := make([]float64, len(s.open))
	from := make([]float32, len(s.open)*s.p)
	for k, row := range s.open {
		e := rowOf(s.eps, row, s.p)
		copy(rowOf(from, k, s.p), e)
		start[k] = s.value(norm32(e), norm32(rowOf(s.z, row, s.n)), s.floor[s.input(row)], 0)
	}
	chosen := slices.Clone(start)
	for _, part := range []float32{1, .5, .25} {
		parallel(len(s.open), func(k int) {
			x := rowOf(s.x, k, s.p)
			simd.Combine(x, rowOf(from, k, s.p), rowOf(s.step, k, s.p), 1, part, 0)
			s.clip(s.open[k], x)
		})
		s.evaluate(ctx)
		s.take(chosen, 0)
	}
	for k, row := range s.open {
		s.stuck[row] = chosen[k] == start[k]
	}
}

// byMatrices solves with the Jacobian of each of some open rows.
func (s *farSearch) byMatrices(ctx context.Context, some []int, lin nn.Linearization[float32]) {
	js := jacobians(ctx, lin, len(some), s.p, s.n)
	parallel(len(some), func(i int) {
		k, j := some[i], js[i]
		row, u := s.open[k], rowOf(s.step, k, s.p)
		clear(u)
		f := newFarSystem(len(j.Active), s.p)
		z, w := rowOf(s.z, row, s.n), rowOf(s.room, k, s.p)
		for r, a := range j.Active {
			f.z[r] = float64(z[a])
		}
		if !f.factor(j.Rows, w, norm32(z)/norm32(rowOf(s.eps, row, s.p))) {
			return
		}
		f.solve()
		for i, x := range f.x {
			u[i] = float32(x) * w[i]
		}
	})
}

// farSystem is one row's (JW²Jᵀ + λ) y = −z with x = WJᵀy.
type farSystem struct {
	rank, p  int
	jw, gram []float64 // [rank, p], [rank, rank]
	z, x     []float64 // [rank], [p]
	factored blas64.Triangular
}

// newFarSystem allocates a system.
func newFarSystem(rank, p int) *farSystem {
	return &farSystem{rank: rank, p: p, jw: make([]float64, rank*p), gram: make([]float64, rank*rank),
		z: make([]float64, rank), x: make([]float64, p)}
}

// factor factors the system of another J and W, with λ proportional to ratio². It reports
// whether there is a system to solve.
func (f *farSystem) factor(j []float64, w []float32, ratio float64) bool {
	if f.rank == 0 {
		return false
	}
	for i, v := range w {
		f.x[i] = float64(v)
	}
	for r := range f.rank {
		simd.Mul(rowOf(f.jw, r, f.p), rowOf(j, r, f.p), f.x)
	}
	simd.Gram(false, f.rank, f.p, 1, f.jw, f.p, 0, f.gram, f.rank)
	simd.Mirror(f.rank, f.gram, f.rank)
	top := 0.
	for r := range f.rank {
		top = max(top, f.gram[r*f.rank+r])
	}
	for r := range f.rank {
		f.gram[r*f.rank+r] += farDamping*ratio*ratio + farRidge*top
	}
	var ok bool
	f.factored, ok = lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: f.rank, Stride: f.rank, Data: f.gram})
	return ok
}

// solve overwrites x with the solution; it also overwrites z.
func (f *farSystem) solve() {
	lapack64.Potrs(f.factored, blas64.General{Rows: f.rank, Cols: 1, Stride: 1, Data: f.z})
	clear(f.x)
	for r, y := range f.z {
		simd.Axpy(-y, rowOf(f.jw, r, f.p), f.x)
	}
}

// byGradients solves, for some open rows, by a few steps of LSQR on JWx = −z.
func (s *farSearch) byGradients(ctx context.Context, some []int, lin nn.Linearization[float32]) {
	w, z := rowsAt(s.room, some, s.p), make([]float32, len(some)*s.n)
	for i, k := range some {
		simd.ScaleShift(rowOf(z, i, s.n), rowOf(s.z, s.open[k], s.n), -1, 0)
	}
	a := &roomy{products{ctx.Err, lin, s.p, s.n}, w, make([]float32, len(w))}
	x := lsqr.Solve(a, z, len(some), lsqr.Options{MaxIter: farSolve}).X
	for i, k := range some {
		simd.Mul(rowOf(s.step, k, s.p), rowOf(x, i, s.p), rowOf(w, i, s.p))
	}
}

// roomy is the products of JW.
type roomy struct {
	products
	w, room []float32 // [systems, p]: the diagonal of W, and room for Wv
}

func (a *roomy) Mul(dst, v []float32) {
	simd.Mul(a.room, v, a.w)
	a.products.Mul(dst, a.room)
}

func (a *roomy) MulTrans(dst, u []float32) {
	a.products.MulTrans(dst, u)
	simd.Mul(dst, dst, a.w)
}
