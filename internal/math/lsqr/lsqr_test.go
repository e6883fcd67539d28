package lsqr

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tattle/internal/must"
)

// dense is one matrix for each system of a batch; mul counts products.
type dense[T Float] struct {
	rows, cols int
	a          [][]T
	products   int
}

func (d *dense[T]) Dims() (rows, cols int) { return d.rows, d.cols }

func (d *dense[T]) Mul(dst, v []T) {
	d.products++
	for s, a := range d.a {
		for i := range d.rows {
			var sum T
			for j := range d.cols {
				sum += a[i*d.cols+j] * v[s*d.cols+j]
			}
			dst[s*d.rows+i] = sum
		}
	}
}

func (d *dense[T]) MulTrans(dst, u []T) {
	clear(dst[:len(d.a)*d.cols])
	for s, a := range d.a {
		for i := range d.rows {
			for j := range d.cols {
				dst[s*d.cols+j] += a[i*d.cols+j] * u[s*d.rows+i]
			}
		}
	}
}

func one[T Float](rows, cols int, a []T) *dense[T] {
	return &dense[T]{rows: rows, cols: cols, a: [][]T{a}}
}

func fill(m, n int, f func(i, j float64) float64) []float64 {
	a := make([]float64, m*n)
	for i := range m {
		for j := range n {
			a[i*n+j] = f(float64(i), float64(j))
		}
	}
	return a
}

func wave(i, j float64) float64    { return math.Cos((i + 1) * (j + 2)) }
func graded(i, j float64) float64  { return wave(i, j) * math.Pow(10, -.5*j) }
func hilbert(i, j float64) float64 { return 1 / (i + j + 1) }
func rank3(i, j float64) float64 {
	var s float64
	for k := range 3 {
		s += wave(i, float64(k)) * wave(float64(k), j)
	}
	return s
}

func narrow[T Float](x []float64) []T {
	y := make([]T, len(x))
	for i := range x {
		y[i] = T(x[i])
	}
	return y
}

// The reference is scipy.sparse.linalg.lsqr 1.10 on the same matrices, with
// b[i] = sin(3i + 1). On ill-conditioned matrices the bidiagonalization amplifies
// rounding: permuting rows changes the reference by as much as is allowed.
func TestMatchesReference(t *testing.T) {
	const off = -1 // a tolerance of zero
	for _, c := range []struct {
		name                    string
		rows, cols              int
		f                       func(i, j float64) float64
		o                       Options
		status                  Status
		iterations              int
		rnorm, anorm, acond     float64
		arnorm, xnorm, firstOfX float64
	}{
		{"tall", 20, 8, wave, Options{}, LeastSquares, 6, 1.3794615266437398, 7.328219965487826, 6.186746329666697, 1.6919308277654647e-07, 0.8956610460462505, -0.020737038338978796},
		{"wide", 8, 20, wave, Options{}, Compatible, 5, 4.186042121075231e-06, 6.577367207827752, 5.137925403925212, 1.3803158086405145e-05, 0.5527933764787865, 0.04216644244231969},
		{"hilbert", 12, 12, hilbert, Options{}, LeastSquares, 10, 1.1732803499512343, 3.1564723993172477, 283892.4301538274, 2.805579811097181e-07, 30023.72417305615, 414.4764811435026},
		{"graded", 30, 10, graded, Options{}, LeastSquares, 15, 1.5018622215704183, 7.056593674745922, 21164.501695045987, 5.239795597353997e-06, 263.9736995791432, 0.00635911500903472},
		{"tall, tight", 20, 8, wave, Options{ATol: 1e-12, BTol: 1e-12}, LeastSquares, 8, 1.3794615266437389, 8.708014043936968, 8.231399799528782, 0, 0.8956610460462527, -0.02073703722742313},
		{"graded, tight", 30, 10, graded, Options{ATol: 1e-13, BTol: 1e-13, ConLim: off, MaxIter: 500}, LeastSquares, 23, 1.501231017195315, 9.018816837739124, 81758.62847847275, 0, 492.4401246048302, 0.005843360660273398},
		{"rank three", 15, 9, rank3, Options{}, LeastSquares, 3, 1.200347838628575, 9.500970655379652, 3.3812857968484438, 0, 0.36596264806863693, 0.09835584788633477},
		{"rank three, tight", 15, 9, rank3, Options{ATol: 1e-11, BTol: 1e-11}, LeastSquares, 3, 1.200347838628575, 9.500970655379652, 3.3812857968484438, 0, 0.36596264806863693, 0.09835584788633477},
		{"graded, conlim", 30, 10, graded, Options{ConLim: 100}, IllConditioned, 5, 1.5197662065706052, 4.080917195093173, 130.48570666588702, 0.0006625087961225166, 2.961274795095661, 0.007396903348618794},
		{"graded, limit", 30, 10, graded, Options{MaxIter: 3}, IterationLimit, 3, 1.520398478197207, 4.078949551325372, 11.080822965887272, 0.0019044969423221217, 2.649986481976177, 0.007427106082714128},
		{"no tolerances", 20, 8, wave, Options{ATol: off, BTol: off, ConLim: off}, LeastSquaresToPrecision, 8, 1.3794615266437389, 8.708014043936968, 8.231399799528782, 0, 0.8956610460462527, -0.02073703722742313},
		{"no tolerances, wide", 8, 20, wave, Options{ATol: off, BTol: off, ConLim: off}, CompatibleToPrecision, 8, 0, 8.740551248943929, 8.208153701639898, 0, 0.552793376499587, 0.04216708799855789},
		{"one", 1, 1, func(i, j float64) float64 { return 4 }, Options{}, Compatible, 1, 0, 0, 0, 0, 0.21036774620197413, 0.21036774620197413},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := fill(c.rows, 1, func(i, _ float64) float64 { return math.Sin(3*i + 1) })
			var solver Solver[float64]
			r := solver.Solve(one(c.rows, c.cols, fill(c.rows, c.cols, c.f)), b, 1, c.o)
			s, of := r.Stats[0], solver.systems[0]
			tol, slack := 1e-8, 0
			if c.acond > 1e2 {
				tol, slack = 1e-3, 1
			}
			if s.Status != c.status || max(s.Iterations-c.iterations, c.iterations-s.Iterations) > slack {
				t.Errorf("status %d after %d iterations, want %d after %d", s.Status, s.Iterations, c.status, c.iterations)
			}
			for _, v := range []struct {
				what      string
				got, want float64
			}{
				{"residual", of.rnorm, c.rnorm}, {"anorm", of.anorm, c.anorm}, {"acond", of.acond, c.acond},
				{"normal residual", of.arnorm, c.arnorm}, {"xnorm", of.xnorm, c.xnorm}, {"x[0]", r.X[0], c.firstOfX},
			} {
				if slack > 0 && (v.what == "anorm" || v.what == "acond") && s.Iterations != c.iterations {
					continue // one more step, one more term
				}
				if math.Abs(v.got-v.want) > tol*math.Abs(v.want)+tol*.01 {
					t.Errorf("%s %v, want %v", v.what, v.got, v.want)
				}
			}
		})
	}
}

// pseudosolve returns A⁺b by a dense singular value decomposition.
func pseudosolve(rows, cols int, a, b []float64) []float64 {
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(rows, cols, a), mat.SVDThin) {
		panic("no SVD")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	x := make([]float64, cols)
	values := svd.Values(nil)
	for k, s := range values {
		if s > 1e-12*values[0] {
			c := floats.Dot(mat.Col(nil, k, &u), b) / s
			floats.AddScaled(x, c, mat.Col(nil, k, &v))
		}
	}
	return x
}

// normalResidual returns ‖Aᵀ(b − A x)‖, computed afresh.
func normalResidual(rows, cols int, a, b, x []float64) float64 {
	d := one(rows, cols, a)
	r, n := make([]float64, rows), make([]float64, cols)
	d.Mul(r, x)
	floats.SubTo(r, b, r)
	d.MulTrans(n, r)
	return floats.Norm(n, 2)
}

func zoo() map[string]struct {
	rows, cols int
	a          []float64
} {
	r := rand.New(rand.NewPCG(1, 2))
	normal := func(i, j float64) float64 { return r.NormFloat64() }
	product := func(m, k, n int) []float64 {
		var c mat.Dense
		c.Mul(mat.NewDense(m, k, fill(m, k, normal)), mat.NewDense(k, n, fill(k, n, normal)))
		return c.RawMatrix().Data
	}
	type problem = struct {
		rows, cols int
		a          []float64
	}
	return map[string]problem{
		"tall":           {40, 15, fill(40, 15, normal)},
		"wide":           {15, 40, fill(15, 40, normal)},
		"square":         {20, 20, fill(20, 20, normal)},
		"singular":       {30, 30, product(30, 12, 30)},
		"singular, wide": {20, 50, product(20, 7, 50)},
		"rank one":       {25, 10, product(25, 1, 10)},
		"ill-conditioned": {30, 8, fill(30, 8, func(i, j float64) float64 {
			return r.NormFloat64() * math.Pow(10, -.75*j)
		})},
		"one":        {1, 1, []float64{-3}},
		"one row":    {1, 9, fill(1, 9, normal)},
		"one column": {9, 1, fill(9, 1, normal)},
		"identity":   {6, 6, fill(6, 6, func(i, j float64) float64 { return 1 - min(1, math.Abs(i-j)) })},
	}
}

var tight = Options{ATol: 1e-14, BTol: 1e-14, ConLim: -1, MaxIter: 1000}

func TestZooAgainstPseudoinverse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, p := range zoo() {
		b := fill(p.rows, 1, func(i, j float64) float64 { return r.NormFloat64() })
		var solver Solver[float64]
		got := solver.Solve(one(p.rows, p.cols, p.a), b, 1, tight)
		if s := got.Stats[0].Status; !s.Solved() {
			t.Errorf("%s: %v", name, s)
		}
		scale := mat.Norm(mat.NewDense(p.rows, p.cols, p.a), 2)
		if n := normalResidual(p.rows, p.cols, p.a, b, got.X); n > 1e-12*scale*floats.Norm(b, 2) {
			t.Errorf("%s: ‖Aᵀr‖ = %g, ‖A‖ = %g", name, n, scale)
		}
		want := pseudosolve(p.rows, p.cols, p.a, b)
		if d := floats.Distance(got.X, want, 2); d > 1e-7*floats.Norm(want, 2) {
			t.Errorf("%s: ‖x − A⁺b‖ = %g, ‖A⁺b‖ = %g", name, d, floats.Norm(want, 2))
		}
		if x := floats.Norm(got.X, 2); math.Abs(solver.systems[0].xnorm-x) > 1e-7*x {
			t.Errorf("%s: XNorm %g, ‖x‖ = %g", name, solver.systems[0].xnorm, x)
		}
	}
}

// batch returns systems of very different difficulty, and their right-hand sides.
func batch[T Float](rows, cols, n int) (*dense[T], []T) {
	r := rand.New(rand.NewPCG(5, 6))
	d := &dense[T]{rows: rows, cols: cols}
	var b []T
	for s := range n {
		a := narrow[T](fill(rows, cols, func(i, j float64) float64 {
			return r.NormFloat64() * math.Pow(10, -float64(s%5)*j/float64(cols))
		}))
		d.a = append(d.a, a)
		b = append(b, narrow[T](fill(rows, 1, func(i, j float64) float64 { return r.NormFloat64() }))...)
	}
	clear(b[rows : 2*rows]) // one of them trivial
	return d, b
}

func testBatch[T Float](t *testing.T) {
	const rows, cols, n = 31, 17, 70
	d, b := batch[T](rows, cols, n)
	r := Solve(d, b, n, Options{})
	counts := map[int]bool{}
	for s := range n {
		alone := Solve(one(rows, cols, d.a[s]), b[s*rows:(s+1)*rows], 1, Options{})
		if r.Stats[s] != alone.Stats[0] {
			t.Fatalf("system %d: %+v in the batch, %+v alone", s, r.Stats[s], alone.Stats[0])
		}
		if !slices.Equal(r.X[s*cols:(s+1)*cols], alone.X) {
			t.Fatalf("system %d: x depends on the batch", s)
		}
		counts[r.Stats[s].Iterations] = true
	}
	if len(counts) < 5 {
		t.Errorf("iteration counts %v: the batch tests too little", counts)
	}
}

func TestBatchEqualsSingle(t *testing.T) {
	t.Run("float32", testBatch[float32])
	t.Run("float64", testBatch[float64])
}

// narrowing can leave systems out.
type narrowing struct {
	*dense[float64]
	all      [][]float64
	selected [][]int
	rowsDone int
}

func (n *narrowing) Mul(dst, v []float64) {
	n.rowsDone += len(n.a)
	n.dense.Mul(dst, v)
}

func (n *narrowing) Select(systems []int) {
	n.selected = append(n.selected, slices.Clone(systems))
	n.a = nil
	for _, s := range systems {
		n.a = append(n.a, n.all[s])
	}
}

func TestSelector(t *testing.T) {
	const rows, cols, n = 31, 17, 70
	d, b := batch[float64](rows, cols, n)
	for s := range n {
		if s%7 < 4 {
			clear(b[s*rows : (s+1)*rows]) // stops at once
		}
	}
	want := Solve(d, b, n, Options{})
	op := &narrowing{dense: d, all: d.a}
	got := Solve(op, b, n, Options{})
	if !slices.Equal(got.Stats, want.Stats) || !slices.Equal(got.X, want.X) {
		t.Error("leaving out stopped systems changed the others")
	}
	most, total := 0, 0
	for _, s := range got.Stats {
		most, total = max(most, s.Iterations), total+s.Iterations
	}
	if len(op.selected) < 2 || op.rowsDone > 2*total || op.rowsDone >= most*n {
		t.Errorf("%d selections, %d products for %d steps", len(op.selected), op.rowsDone, total)
	}
	for _, s := range op.selected {
		if !slices.IsSorted(s) || len(s) > n/2 {
			t.Errorf("selected %v", s)
		}
	}
}

func TestFloat32AgreesWithFloat64(t *testing.T) {
	for name, p := range zoo() {
		b := fill(p.rows, 1, func(i, _ float64) float64 { return math.Sin(3*i + 1) })
		a32, b32 := narrow[float32](p.a), narrow[float32](b)
		r32 := Solve(one(p.rows, p.cols, a32), b32, 1, Options{ATol: -1, BTol: -1, ConLim: -1, MaxIter: 500})
		var solver Solver[float64]
		r64 := solver.Solve(one(p.rows, p.cols, narrow[float64](toFloat64(a32))), toFloat64(b32), 1, tight)
		if !r32.Stats[0].Status.Solved() {
			t.Errorf("%s: %v", name, r32.Stats[0].Status)
		}
		// A backward-stable solver is off by about ε κ (1 + κ ‖r‖/(‖A‖‖x‖)) in x.
		s := solver.systems[0]
		tol := 20 * 0x1p-23 * (1 + s.acond) * (1 + s.acond*s.rnorm/(s.anorm*s.xnorm+1e-300))
		if d := floats.Distance(toFloat64(r32.X), r64.X, 2); d > tol*floats.Norm(r64.X, 2) {
			t.Errorf("%s: float32 is off by %g of %g, allowed %g", name, d, floats.Norm(r64.X, 2), tol)
		}
	}
}

func toFloat64(x []float32) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = float64(x[i])
	}
	return y
}

func TestZeroSolution(t *testing.T) {
	a := one(3, 2, []float64{1, 2, 3, 4, 0, 0})
	for name, b := range map[string][]float64{"b = 0": {0, 0, 0}, "Aᵀb = 0": {0, 0, 5}} {
		r := Solve(a, b, 1, Options{})
		if s := r.Stats[0]; s.Status != ZeroSolution || s.Iterations != 0 {
			t.Errorf("%s: %+v", name, s)
		}
		if !slices.Equal(r.X, []float64{0, 0}) {
			t.Errorf("%s: x = %v", name, r.X)
		}
	}
	if a.products != 0 {
		t.Errorf("%d products with A, want none", a.products)
	}
	// A b orthogonal to A's range only up to rounding must not be amplified.
	p := zoo()["tall"]
	b := fill(p.rows, 1, wave)
	x := pseudosolve(p.rows, p.cols, p.a, b)
	ax := make([]float64, p.rows)
	one(p.rows, p.cols, p.a).Mul(ax, x)
	floats.Sub(b, ax)
	if r := Solve(one(p.rows, p.cols, p.a), b, 1, Options{}); !r.Stats[0].Status.Solved() || floats.Norm(r.X, 2) > 1e-13 {
		t.Errorf("b in the null space of Aᵀ: %v, ‖x‖ = %g", r.Stats[0].Status, floats.Norm(r.X, 2))
	}
}

// failing gives NaN from a given product on, in one system of the batch.
type failing struct {
	*dense[float64]
	system, from int
	value        float64
}

func (f failing) Mul(dst, v []float64) {
	f.dense.Mul(dst, v)
	if f.products >= f.from {
		dst[f.system*f.rows] = f.value
	}
}

func TestNotFinite(t *testing.T) {
	const rows, cols, n = 31, 17, 3
	for _, value := range []float64{math.NaN(), math.Inf(1)} {
		d, b := batch[float64](rows, cols, n)
		want := Solve(d, b, n, Options{})
		d.products = 0
		r := Solve(failing{d, 2, 3, value}, b, n, Options{})
		if s := r.Stats[2]; s.Status != NotFinite || s.Iterations != 2 {
			t.Errorf("%v: %+v", value, s)
		}
		for _, x := range r.X {
			if !finite(x) {
				t.Fatalf("%v: x is not finite", value)
			}
		}
		if r.Stats[0] != want.Stats[0] || !slices.Equal(r.X[:cols], want.X[:cols]) {
			t.Errorf("%v: a failing system changed its neighbour", value)
		}
		b[0] = value
		if s := Solve(d, b, n, Options{}).Stats[0]; s.Status != NotFinite || s.Iterations != 0 {
			t.Errorf("b[0] = %v: %+v", value, s)
		}
	}
}

func TestTooLargeForFloat32(t *testing.T) {
	r := Solve(one(1, 1, []float32{1e-30}), []float32{1e20}, 1, Options{})
	if s := r.Stats[0]; s.Status != NotFinite || r.X[0] != 0 {
		t.Errorf("%+v, x = %v", s, r.X)
	}
}

func TestSolverAllocatesNothing(t *testing.T) {
	d, b := batch[float32](31, 17, 40)
	var op Operator[float32] = d
	var s Solver[float32]
	s.Solve(op, b, 40, Options{})
	if n := testing.AllocsPerRun(10, func() { s.Solve(op, b, 40, Options{}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestShapePanics(t *testing.T) {
	must.Panic(t, func() { Solve(one(2, 2, make([]float64, 4)), make([]float64, 3), 1, Options{}) })
}
