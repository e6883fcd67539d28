package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/gram"
	"tattle/internal/math/qp"
	"tattle/internal/math/simd"
)

// A twinWorker holds what one search for twins needs.
type twinWorker struct {
	p         int
	nets      [][]*nn.Net // of each level, for its tensors
	theta     []float64
	low, high []float64 // limits of ε
	polytope  qp.Problem
	q, ones   []float64
	trial     []float64
	solver    qp.Solver
	clean     cleaner
}

func newTwinWorker(f *twinFinder) *twinWorker {
	w := &twinWorker{p: f.p, nets: make([][]*nn.Net, len(f.levels)), theta: make([]float64, f.p),
		low: make([]float64, f.p), high: make([]float64, f.p), q: make([]float64, f.p), trial: make([]float64, f.p),
		ones: slices.Repeat([]float64{1}, f.p)}
	for k, l := range f.levels {
		for _, t := range l.tensors {
			w.nets[k] = append(w.nets[k], t.net.Clone())
		}
	}
	w.polytope.Low, w.polytope.High, w.polytope.Q = w.low, w.high, w.q
	return w
}

// The settings of the programmes. Their tolerance on the objective costs a little
// distance; their tolerance on the constraints is within the margin.
var (
	farthestSettings = qp.Options{Tolerance: 1e-3, Feasibility: margin / 10}
	nearestSettings  = qp.Options{Tolerance: 1e-4, Feasibility: margin / 10}
)

const (
	// climbs is the largest number of linear programmes after the first. If inputs lie at
	// the ends of their ranges, as most of MNIST's do, the first comes within 5% of the
	// largest possible distance, and one more adds 1%.
	climbs = 6
	// enough: the climb ends when ‖ε‖² is within this fraction of its upper bound, or
	// grows by less than it.
	enough = 0.05
	// opposite: the other side is tried if ‖ε‖² is below this fraction of its upper bound.
	opposite = 0.5
	// tilt is the size of the random part of the first objective, relative to the range of
	// each input: for an input in the middle of its range nothing else distinguishes the
	// two ends.
	tilt = 0.01
	// least is the smallest ‖ε‖ of a twin, relative to the diagonal of the box: a quarter
	// of a grey level in 256.
	least = 1e-3
)

// farthest overwrites eps with the farthest twin that it finds. It starts from the far
// corner and, if the result is far below the upper bound, from the opposite side too.
func (w *twinWorker) farthest(ctx context.Context, eps []float64) (bool, error) {
	w.polytope.D = nil
	ceiling := w.chords()
	r, err := w.solver.Solve(ctx, &w.polytope, farthestSettings)
	if err != nil || r.Status == qp.Infeasible {
		return false, err
	}
	ceiling -= r.Objective
	best, err := w.climb(ctx, eps, r, 0, ceiling)
	if err != nil || best == 0 || best >= ceiling*opposite {
		return w.apart(eps, 0), err
	}
	copy(w.q, eps)
	if r, err = w.solver.Solve(ctx, &w.polytope, farthestSettings); err == nil {
		_, err = w.climb(ctx, eps, r, best, ceiling)
	}
	return w.apart(eps, 0), err
}

// climb goes on from the result of one programme to others, each in the direction
// of the ε before. It returns ‖ε‖² of the farthest twin, and overwrites eps with it
// where that is farther than best.
func (w *twinWorker) climb(ctx context.Context, eps []float64, r qp.Result, best, ceiling float64) (float64, error) {
	last := 0.
	for k := 0; ; k++ {
		copy(w.trial, r.X)
		if r.Status == qp.Infeasible || !w.clean.exact(w.trial, &w.polytope) {
			return best, nil
		}
		size := square(w.trial)
		if size > best {
			best = size
			copy(eps, w.trial)
		}
		if k == climbs || size <= last*(1+enough) || size >= ceiling*(1-enough) {
			return best, nil
		}
		last = size
		for i, e := range w.trial {
			w.q[i] = -e
		}
		var err error
		if r, err = w.solver.Solve(ctx, &w.polytope, farthestSettings); err != nil {
			return best, err
		}
	}
}

// apart reports whether a twin is a different input in practice, ‖ε‖² being more than
// rest. It clears one that is not.
func (w *twinWorker) apart(eps []float64, rest float64) bool {
	width := 0.
	for i, high := range w.high {
		width += (high - w.low[i]) * (high - w.low[i])
	}
	if square(eps) > least*least*width+rest {
		return true
	}
	clear(eps)
	return false
}

// chords sets the objective to minus the sum of chords, ε² ≤ (low + high)·ε −
// low·high within the limits, tilted. What it returns, less the least value of that
// objective, is above ‖ε‖² for every ε in the polytope.
func (w *twinWorker) chords() (ceiling float64) {
	r := rand.New(rand.NewPCG(uint64(w.p), 0)) // the same for all examples
	for i := range w.q {
		low, high := w.low[i], w.high[i]
		by := tilt * (high - low) * (2*r.Float64() - 1)
		w.q[i] = by - (low + high)
		ceiling += math.Abs(by)*max(-low, high) - low*high
	}
	return ceiling
}

// nearest overwrites eps with the twin that is nearest to target.
func (w *twinWorker) nearest(ctx context.Context, eps []float64, theta, target []float32) (bool, error) {
	w.polytope.D = w.ones
	for i, t := range theta {
		w.q[i] = float64(t) - float64(target[i])
		if w.q[i]-w.q[i] != 0 {
			return false, nil
		}
	}
	r, err := w.solver.Solve(ctx, &w.polytope, nearestSettings)
	if err != nil || r.Status == qp.Infeasible {
		return false, err
	}
	copy(eps, r.X)
	if !w.clean.exact(eps, &w.polytope) {
		clear(eps)
	}
	// ½‖ε−ε*‖² is at most the gap, ε* being the nearest: perhaps θ itself.
	return w.apart(eps, 4*nearestSettings.Tolerance*(1+math.Abs(r.Objective))), nil
}

func square(x []float64) (s float64) {
	for _, v := range x {
		s += v * v
	}
	return s
}

const (
	// cleanings is how often ε is projected: once takes what the programme left, a
	// second time what rounding did.
	cleanings = 3
	// exactness is how much of a row of length 1, over 1 + ‖ε‖, counts as zero: well
	// within what the certificate allows for rounding.
	exactness = 1e-13
)

// A cleaner turns a solution of a programme into one that is exact in float64.
type cleaner struct {
	weight, scaled, gram, left []float64
}

// exact moves eps onto the equations of p, inputs by as much as they are far from
// their limits, which none then crosses, and reports whether all constraints hold.
func (c *cleaner) exact(eps []float64, p *qp.Problem) bool {
	for range cleanings {
		clamp(eps, p.Low, p.High)
		if p.Equal == 0 {
			break
		}
		if !c.project(eps, p) {
			return false
		}
	}
	clamp(eps, p.Low, p.High)
	return holds(eps, p)
}

func clamp(x, low, high []float64) {
	for i, v := range x {
		x[i] = min(max(v, low[i]), high[i])
	}
}

// project subtracts W Aᵀ(A W Aᵀ)⁻¹A ε, W being the squared distances to the nearer
// limit: the shortest way to A ε = 0 in that measure. It reports false if A W Aᵀ
// is singular.
func (c *cleaner) project(eps []float64, p *qp.Problem) bool {
	n, k := len(eps), p.Equal
	c.weight, c.scaled, c.gram, c.left = room(c.weight, n), room(c.scaled, k*n), room(c.gram, k*k), room(c.left, k)
	for i, e := range eps {
		c.weight[i] = min(e-p.Low[i], p.High[i]-e)
	}
	for j := range k {
		row := p.Rows[j*n : (j+1)*n]
		c.left[j] = dotExact(row, eps)
		simd.Mul(c.scaled[j*n:(j+1)*n], row, c.weight)
	}
	simd.Gram(false, k, n, 1, c.scaled, n, 0, c.gram, k)
	if gram.Solve(c.gram, k, c.left) != nil {
		return false
	}
	for i := range c.weight {
		c.weight[i] *= -c.weight[i]
	}
	move := c.scaled[:n]
	clear(move)
	for j := range k {
		simd.Axpy(c.left[j], p.Rows[j*n:(j+1)*n], move)
	}
	for i := range eps {
		eps[i] += c.weight[i] * move[i]
	}
	return true
}

// dotExact is the scalar product in twice the precision: what is left of the
// equations is far below the terms.
func dotExact(x, y []float64) float64 {
	var s, rest float64
	for i, v := range x {
		h := float64(v * y[i]) // not fused into what follows, as it may be elsewhere
		low := math.FMA(v, y[i], -h)
		var e float64
		s, e = twoSum(s, h)
		rest += e + low
	}
	return s + rest
}

// holds reports whether eps, within its limits, satisfies the rows of p: inequalities up
// to half the margin that they keep.
func holds(eps []float64, p *qp.Problem) bool {
	n, size, in := len(eps), 1+math.Sqrt(square(eps)), margin*(1+simd.MaxAbs(p.Right))
	for j, right := range p.Right {
		x := dotExact(p.Rows[j*n:(j+1)*n], eps) - right
		if j < p.Equal && !(math.Abs(x) <= exactness*size) || j >= p.Equal && !(x <= in/2) {
			return false
		}
	}
	return true
}
