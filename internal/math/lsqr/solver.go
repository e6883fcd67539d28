package lsqr

import (
	"fmt"
	"slices"

	"tattle/internal/math/simd"
)

// Solver is a workspace for solving several batches: it allocates only if a batch is larger than
// those before. Its zero value is ready. It is not safe for concurrent use.
type Solver[T Float] struct {
	opts       Options
	rows, cols int

	present []int // the systems that u, p, v, q and w hold: all, until some are dropped
	u, p    []T   // [present, rows]: the paper's u, and room for A v
	v, q, w []T   // [present, cols]: the paper's v, room for Aᵀu, the search direction
	x       []T   // [batch, cols]: the solution
	systems []system
	stats   []Stats

	startLeft, startRight, left, right func(lo, hi int) // the phases, bound to s once
}

// Solve is the function Solve in the storage of s: its Result is valid until
// the next call.
func (s *Solver[T]) Solve(a Operator[T], b []T, batch int, o Options) Result[T] {
	rows, cols := a.Dims()
	if rows <= 0 || cols <= 0 || batch < 0 || len(b) != batch*rows {
		panic(fmt.Sprintf("lsqr: right-hand sides of length %d for %d systems of %d×%d", len(b), batch, rows, cols))
	}
	s.reset(rows, cols, batch, o)

	copy(s.u, b)
	s.each(s.startLeft) // β u = b
	if s.running() > 0 {
		a.MulTrans(s.v, s.u)
		s.each(s.startRight) // α v = Aᵀu
	}
	selector, _ := a.(Selector)
	for s.running() > 0 {
		if selector != nil {
			s.drop(selector)
		}
		a.Mul(s.p, s.v)
		s.each(s.left) // β u = A v − α u
		s.u, s.p = s.p, s.u
		a.MulTrans(s.q, s.u)
		s.each(s.right) // α v = Aᵀu − β v, and the rest of the step
		s.v, s.q = s.q, s.v
	}
	for i, c := range s.systems {
		s.stats[i] = Stats{c.status, c.itn}
	}
	return Result[T]{X: s.x, Stats: s.stats}
}

func (s *Solver[T]) reset(rows, cols, batch int, o Options) {
	s.rows, s.cols, s.opts = rows, cols, o.withDefaults(cols)
	s.u, s.p = sized(s.u, batch*rows), sized(s.p, batch*rows)
	s.v, s.q = sized(s.v, batch*cols), sized(s.q, batch*cols)
	s.w, s.x = sized(s.w, batch*cols), sized(s.x, batch*cols)
	s.systems, s.stats = sized(s.systems, batch), sized(s.stats, batch)
	s.present = sized(s.present, batch)
	for i := range s.present {
		s.present[i] = i
	}
	clear(s.x)
	if s.left == nil {
		s.startLeft, s.startRight = s.over(s.startLeftOf), s.over(s.startRightOf)
		s.left, s.right = s.over(s.leftOf), s.over(s.rightOf)
	}
}

func sized[E any](x []E, n int) []E { return slices.Grow(x[:0], n)[:n] }

func (s *Solver[T]) over(phase func(i int)) func(lo, hi int) {
	return func(lo, hi int) {
		for i := lo; i < hi; i++ {
			phase(i)
		}
	}
}

// each runs a phase over the systems present, on several cores if there is enough work.
func (s *Solver[T]) each(phase func(lo, hi int)) {
	const worthwhile = 1 << 14 // vector elements
	simd.Parallel(len(s.present), 1+worthwhile/max(s.rows, s.cols), phase)
}

func (s *Solver[T]) running() (n int) {
	for _, id := range s.present {
		if s.systems[id].status == running {
			n++
		}
	}
	return n
}

// drop removes the systems that have stopped, if they are at least half.
func (s *Solver[T]) drop(a Selector) {
	if 2*s.running() > len(s.present) {
		return
	}
	n := 0
	for i, id := range s.present {
		if s.systems[id].status != running {
			continue
		}
		copy(row(s.u, n, s.rows), row(s.u, i, s.rows))
		copy(row(s.v, n, s.cols), row(s.v, i, s.cols))
		copy(row(s.w, n, s.cols), row(s.w, i, s.cols))
		s.present[n] = id
		n++
	}
	s.present = s.present[:n]
	s.u, s.p = s.u[:n*s.rows], s.p[:n*s.rows]
	s.v, s.q, s.w = s.v[:n*s.cols], s.q[:n*s.cols], s.w[:n*s.cols]
	a.Select(s.present)
}

func (s *Solver[T]) startLeftOf(i int) {
	c, u := &s.systems[s.present[i]], row(s.u, i, s.rows)
	c.start(normalize(u))
	if c.status != running {
		clear(u)
	}
}

func (s *Solver[T]) startRightOf(i int) {
	c, v := &s.systems[s.present[i]], row(s.v, i, s.cols)
	if c.status == running {
		c.startRight(normalize(v))
	}
	if c.status != running {
		clear(v)
		return
	}
	copy(row(s.w, i, s.cols), v)
}

// leftOf turns p, which holds A v, into the next u. A system that has stopped
// goes on with u = v = 0, so that nothing in it can grow.
func (s *Solver[T]) leftOf(i int) {
	c, p := &s.systems[s.present[i]], row(s.p, i, s.rows)
	if c.status != running {
		clear(p)
		return
	}
	simd.Axpy(T(-c.alfa), row(s.u, i, s.rows), p)
	c.beta = normalize(p)
}

// rightOf turns q, which holds Aᵀu, into the next v, and updates x and w.
func (s *Solver[T]) rightOf(i int) {
	c, q := &s.systems[s.present[i]], row(s.q, i, s.cols)
	if c.status != running {
		clear(q)
		return
	}
	simd.Axpy(T(-c.beta), row(s.v, i, s.cols), q)
	alfa := normalize(q)
	w, x := row(s.w, i, s.cols), row(s.x, s.present[i], s.cols)
	c.step(alfa)
	t1, t2 := T(c.phi/c.rho), T(-c.theta/c.rho)
	if c.status == running && !(finite(float64(t1)) && finite(float64(t2))) {
		c.status = NotFinite // too large for T
	}
	if c.status != running {
		clear(q)
		return
	}
	simd.Axpy(t1, w, x) // x = x + (φ/ρ) w
	wnorm := norm(w)
	simd.Combine(w, q, w, 1, t2, 0) // w = v − (θ/ρ) w
	c.estimate(wnorm)
	test[T](c, s.opts)
	if c.status != running {
		clear(q)
	}
}

func row[T Float](x []T, i, n int) []T { return x[i*n : (i+1)*n : (i+1)*n] }
