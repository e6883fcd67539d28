package qp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"tattle/internal/must"
)

func repeat(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// boxed gives variables without limits far ones.
func boxed(p *Problem) *Problem {
	if p.Low == nil {
		p.Low = repeat(-1e3, len(p.Q))
	}
	if p.High == nil {
		p.High = repeat(1e3, len(p.Q))
	}
	return p
}

func solved(t testing.TB, p *Problem) Result {
	t.Helper()
	var s Solver
	boxed(p)
	r := must.Get(s.Solve(context.Background(), p, Options{}))(t)
	if r.Status != Solved {
		t.Fatalf("%v after %d iterations: rows %.2g, stationarity %.2g, gap %.2g", r.Status, r.Iterations, r.Primal, r.Dual, r.Gap)
	}
	return r
}

func close(t testing.TB, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Fatalf("%s: entry %d is %.12g, want %.12g", what, i, got[i], want[i])
		}
	}
}

// kkt computes every condition of optimality anew, by plain sums, and returns the
// largest violation.
func kkt(p *Problem, r Result) float64 {
	n, worst := len(p.Q), 0.
	for i := range n {
		g := p.Q[i] - r.AtLow[i] + r.AtHigh[i]
		if p.D != nil {
			g += p.D[i] * r.X[i]
		}
		for j := range p.Right {
			g += p.Rows[j*n+i] * r.Multipliers[j]
		}
		if p.Low[i] < p.High[i] {
			worst = max(worst, math.Abs(g))
		}
		low, high := r.X[i]-p.Low[i], p.High[i]-r.X[i]
		worst = max(worst, -low, -high, -r.AtLow[i], -r.AtHigh[i], low*r.AtLow[i], high*r.AtHigh[i])
	}
	for j, b := range p.Right {
		for i, x := range r.X {
			b -= p.Rows[j*n+i] * x
		}
		if j < p.Equal {
			worst = max(worst, math.Abs(b))
		} else {
			worst = max(worst, -b, -r.Multipliers[j], b*r.Multipliers[j])
		}
	}
	return worst
}

// The Wyndor Glass programme of Hillier and Lieberman: 36 at (2, 6).
func TestKnownProgramme(t *testing.T) {
	p := &Problem{Q: []float64{-3, -5}, Rows: []float64{1, 0, 0, 2, 3, 2}, Right: []float64{4, 12, 18}, Low: []float64{0, 0}}
	r := solved(t, p)
	close(t, "x", r.X, []float64{2, 6}, 1e-6)
	close(t, "multipliers", r.Multipliers, []float64{0, 1.5, 1}, 1e-6)
}

// An assignment's linear programme is degenerate, and one of its equations redundant.
func TestAssignment(t *testing.T) {
	const n = 5
	p := &Problem{Q: normals(rand.New(rand.NewPCG(4, 1)), n*n), Rows: make([]float64, 2*n*n*n), Right: repeat(1, 2*n), Equal: 2 * n, Low: repeat(0, n*n)}
	for i := range n {
		for j := range n {
			p.Rows[i*n*n+i*n+j] = 1
			p.Rows[(n+j)*n*n+i*n+j] = 1
		}
	}
	if worst := kkt(p, solved(t, p)); worst > 1e-6 {
		t.Errorf("a condition is violated by %g", worst)
	}
}

// Random linear programmes have the value that the simplex method finds.
func TestAgainstSimplex(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range 20 {
		n, m := 8+r.IntN(12), 3+r.IntN(5)
		p := &Problem{Q: normals(r, n), Rows: normals(r, m*n), Right: make([]float64, m), Equal: m, Low: repeat(0, n)}
		for i := range n {
			p.Q[i] = math.Abs(p.Q[i]) // bounded
			for j, x := 0, r.Float64(); j < m; j++ {
				p.Right[j] += p.Rows[j*n+i] * x // feasible
			}
		}
		want, _ := must.Get2(lp.Simplex(p.Q, mat.NewDense(m, n, p.Rows), p.Right, 0, nil))(t)
		if got := solved(t, p).Objective; math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("value %g, want %g", got, want)
		}
	}
}

// random returns a feasible programme with equations, inequalities, limits on some
// variables on either side and a Hessian on some.
func random(r *rand.Rand, n, m, equal int) *Problem {
	p := &Problem{D: make([]float64, n), Q: normals(r, n), Rows: normals(r, m*n), Right: make([]float64, m), Equal: equal,
		Low: repeat(-1e3, n), High: repeat(1e3, n)}
	x := normals(r, n)
	for i := range n {
		switch r.IntN(5) {
		case 0:
			p.D[i] = r.ExpFloat64() // only far limits
		case 1:
			p.D[i], p.Low[i] = r.ExpFloat64(), x[i]-r.Float64()
		case 2:
			p.D[i], p.High[i] = r.ExpFloat64(), x[i]
		case 3:
			p.Low[i], p.High[i] = x[i]-r.Float64(), x[i]+r.Float64()
		case 4:
			p.Low[i], p.High[i] = x[i], x[i]
		}
		for j := range m {
			p.Right[j] += p.Rows[j*n+i] * x[i]
		}
	}
	for j := equal; j < m; j++ {
		p.Right[j] += max(0, r.NormFloat64())
	}
	return p
}

// Whatever the sizes (of one panel, of several, more rows than variables), the
// conditions of optimality hold as computed by plain sums, and a solver used again
// gives the same bytes as a new one.
func TestConditionsOfOptimality(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	var used Solver
	for _, size := range [][3]int{{1, 1, 0}, {5, 3, 1}, {40, 70, 6}, {150, 140, 20}, {100, 300, 10}, {230, 90, 50}} {
		p := random(r, size[0], size[1], size[2])
		got := solved(t, p)
		if worst := kkt(p, got); worst > 1e-5 {
			t.Errorf("%v: a condition is violated by %g", size, worst)
		}
		again, err := used.Solve(context.Background(), p, Options{})
		if err != nil || !slices.Equal(again.X, got.X) {
			t.Errorf("%v: another result the second time (%v)", size, err)
		}
	}
}

// Programmes whose constraints leave no room inside, are redundant, or of which a
// single point is left.
func TestDegenerate(t *testing.T) {
	for name, c := range map[string]struct {
		p    *Problem
		want []float64
	}{
		"two sides of a line": {&Problem{D: []float64{1, 1}, Q: []float64{0, 0}, Rows: []float64{1, 1, -1, -1}, Right: []float64{1, -1}, Low: []float64{0, 0}}, []float64{.5, .5}},
		"one point":           {&Problem{Q: []float64{-1, -1}, Rows: []float64{1, 1}, Right: []float64{0}, Low: []float64{0, 0}}, []float64{0, 0}},
		"equal equations": {&Problem{D: []float64{1, 1}, Q: []float64{1, -1}, Rows: []float64{1, 1, 1, 1, 2, 2}, Right: []float64{1, 1, 2}, Equal: 3},
			[]float64{-.5, 1.5}},
		"0 = 0":     {&Problem{Q: []float64{1}, Rows: []float64{0}, Right: []float64{0}, Equal: 1, Low: []float64{3}}, []float64{3}},
		"all fixed": {&Problem{Q: []float64{1, 1}, Rows: []float64{1, 1}, Right: []float64{3}, Equal: 1, Low: []float64{1, 2}, High: []float64{1, 2}}, []float64{1, 2}},
		"far limits": {&Problem{D: []float64{1, 1}, Q: []float64{0, 0}, Rows: []float64{1, 1}, Right: []float64{1}, Equal: 1,
			Low: repeat(-1e300, 2), High: repeat(1e300, 2)}, []float64{.5, .5}},
		"large and small rows": {&Problem{Q: []float64{-3e6, -5e6}, Rows: []float64{1e6, 0, 0, 2e-6, 3, 2}, Right: []float64{4e6, 12e-6, 18}, Low: []float64{0, 0}, High: []float64{20, 20}}, []float64{2, 6}},
	} {
		t.Run(name, func(t *testing.T) { close(t, "x", solved(t, c.p).X, c.want, 1e-5) })
	}
}

// Rows of very different lengths, e^±4 and more, change nothing.
func TestIllScaledRows(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	for range 100 {
		p := random(r, 3+r.IntN(20), r.IntN(20), 0)
		n := len(p.Q)
		for j := range p.Right {
			by := math.Exp(4 * r.NormFloat64())
			p.Right[j] *= by
			for i := range n {
				p.Rows[j*n+i] *= by
			}
		}
		if worst := kkt(p, solved(t, p)); worst > 1e-5 {
			t.Errorf("%d variables, %d rows: a condition is violated by %g", n, len(p.Right), worst)
		}
	}
}

func TestInfeasible(t *testing.T) {
	for name, p := range map[string]*Problem{
		"rows":      {Q: []float64{1, 1}, Rows: []float64{1, 1, -1, -1}, Right: []float64{1, -2}},
		"limits":    {Q: []float64{1, -1}, Rows: []float64{1, 1}, Right: []float64{3}, Equal: 1, Low: []float64{0, 0}, High: []float64{1, 1}},
		"quadratic": {D: []float64{1, 1}, Q: []float64{0, 0}, Rows: []float64{1, 1, 1, 1}, Right: []float64{1, 2}, Equal: 2},
		"zeros":     {Q: []float64{1}, Rows: []float64{0}, Right: []float64{-1}, Low: []float64{0}},
		"0 = 1":     {Q: []float64{1}, Rows: []float64{0}, Right: []float64{1}, Equal: 1, Low: []float64{0}},
		"fixed":     {Q: []float64{1, 1}, Rows: []float64{1, 1}, Right: []float64{2}, Low: []float64{1, 2}, High: []float64{1, 2}},
		"fixed =":   {Q: []float64{1, 1}, Rows: []float64{1, 1}, Right: []float64{4}, Equal: 1, Low: []float64{1, 2}, High: []float64{1, 2}},
	} {
		var s Solver
		if r, err := s.Solve(context.Background(), boxed(p), Options{}); err != nil || r.Status != Infeasible {
			t.Errorf("%s: %v, %v after %d iterations, want infeasible", name, err, r.Status, r.Iterations)
		}
	}
}

func TestRefused(t *testing.T) {
	var s Solver
	ctx := context.Background()
	for name, p := range map[string]*Problem{
		"nan":     {Q: []float64{math.NaN()}},
		"concave": {D: []float64{-1}, Q: []float64{0}},
		"limits":  {Q: []float64{0}, Low: []float64{1}, High: []float64{0}},
		"row":     {Q: []float64{0}, Rows: []float64{math.Inf(1)}, Right: []float64{0}},
		"right":   {Q: []float64{0}, Rows: []float64{1}, Right: []float64{math.NaN()}},
		"low":     {Q: []float64{0}, Low: []float64{math.NaN()}},
		"far low": {Q: []float64{0}, Low: []float64{math.Inf(1)}},
		"hessian": {D: []float64{math.Inf(1)}, Q: []float64{0}},
		"nothing": {Right: []float64{1}, Equal: 1},
	} {
		if _, err := s.Solve(ctx, boxed(p), Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	fine := boxed(&Problem{Q: []float64{1}})
	for _, o := range []Options{{Tolerance: math.NaN()}, {Tolerance: -1}, {Feasibility: -1}, {Iterations: -1}} {
		if _, err := s.Solve(ctx, fine, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Solve(ended, fine, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	must.Panic(t, func() {
		s.Solve(ctx, &Problem{Q: []float64{0, 0}, Rows: []float64{1}, Right: []float64{0}, Low: []float64{0, 0}, High: []float64{1, 1}}, Options{})
	})
}
