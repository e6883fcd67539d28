package bound

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

const (
	// refineRounds is the largest number of rounds; each takes J at the witness that the
	// round before ended with.
	refineRounds = 6
	// refineGain is the smallest relative growth of a witness's value that justifies
	// another round; the root mean square that it proves grows by half of that.
	refineGain = 0.1
	// refineEntries is the largest Jacobian that is formed, 128 MB, and refineInputs the
	// most inputs: with more, witnesses stay as rounding left them.
	refineEntries = 1 << 24
	refineInputs  = 1 << 14
	// refineSteps is the largest number of steps of a round; the first ones gain most.
	refineSteps = 256
)

// refiner moves witnesses along the grid to where they are worth more.
type refiner struct {
	model  Model
	domain Domain
	sigma  float64
	hidden float64 // what ‖z‖ is increased by, as the runtime's error may
	p, n   int

	each       int       // witnesses of an input
	theta, eps []float64 // [inputs, p], [rows, p]
	z          []float64 // [rows, n]: how far it moves the features
	worth      []float64 // [rows]
}

// refine moves witnesses eps, [rows, p], each of them of one of the inputs theta, which were rounded to
// the grid of the domain, from one stored input to a neighbouring one, to increase their
// value ‖ε‖²/expm1(q²), q = (‖z‖ + hidden)/σ. Steps are chosen by a linear model, singly
// and in pairs, and kept where the features confirm them.
//
// Of every group of each rows, those of one input, only the best most are moved.
func (d Domain) refine(ctx context.Context, m Model, eps []float64, theta []float32, sigma, hidden float64, each, most int) error {
	p, n := m.Dims()
	if p > refineInputs {
		return ctx.Err()
	}
	r := &refiner{model: m, domain: d, sigma: sigma, hidden: hidden, p: p, n: n, each: each, theta: nn.Float64s(theta), eps: eps}
	rows := len(eps) / p
	r.z, r.worth = make([]float64, rows*n), make([]float64, rows)
	open := r.best(ctx, most)
	for range refineRounds {
		if open = r.round(ctx, open); len(open) == 0 || ctx.Err() != nil {
			break
		}
	}
	return ctx.Err()
}

// best measures all rows, and returns of each group those that are worth most.
func (r *refiner) best(ctx context.Context, most int) (open []int) {
	var rows []int
	for k := range r.worth {
		if ctx.Err() == nil && simd.MaxAbs(rowOf(r.eps, k, r.p)) > 0 {
			eps, z := rowOf(r.eps, k, r.p), rowOf(r.z, k, r.n)
			moved(ctx, r.model, z, r.input(k), eps)
			r.worth[k] = r.value(eps, z)
			rows = append(rows, k)
		}
		if k%r.each == r.each-1 {
			slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(r.worth[b], r.worth[a]) })
			open, rows = append(open, rows[:min(most, len(rows))]...), rows[:0]
		}
	}
	return open
}

// input returns the input of row k.
func (r *refiner) input(k int) []float64 { return rowOf(r.theta, k/r.each, r.p) }

// value is the logarithm of what a witness is worth.
func (r *refiner) value(eps, z []float64) float64 {
	t := (math.Sqrt(simd.SumSquares(z)) + r.hidden) / r.sigma
	return math.Log(simd.SumSquares(eps)) - math.Log(math.Expm1(min(t*t, 700))+math.SmallestNonzeroFloat64)
}

// round takes steps from every open row, and returns those that may gain more.
func (r *refiner) round(ctx context.Context, open []int) (again []int) {
	p, n := r.p, r.n
	size := max(1, min(len(open), rowBudget/max(p, n)/64))
	for lo := 0; lo < len(open) && ctx.Err() == nil; lo += size {
		some := open[lo:min(len(open), lo+size)]
		js := r.jacobians(ctx, some)
		tried := make([][]float64, len(some))
		parallel(len(some), func(i int) {
			k := some[i]
			if len(js[i].Active) > 0 && ctx.Err() == nil {
				tried[i] = r.walk(ctx, js[i], r.input(k), rowOf(r.eps, k, p), rowOf(r.z, k, n))
			}
		})
		for i, k := range some {
			if len(tried[i]) > 0 && r.keep(ctx, k, tried[i]) {
				again = append(again, k)
			}
		}
	}
	return again
}

// jacobians are those at θ+ε of some rows, without rows where they are too large.
func (r *refiner) jacobians(ctx context.Context, some []int) []Jacobian {
	x := make([]float32, 0, len(some)*r.p)
	for _, k := range some {
		for i, t := range r.input(k) {
			x = append(x, float32(t+r.eps[k*r.p+i]))
		}
	}
	lin := r.model.Linearize(x)
	if most := slices.Max(activeCounts(activity(lin, len(some)*r.n), r.n)); most*r.p > refineEntries {
		return make([]Jacobian, len(some))
	}
	return jacobians(ctx, lin, len(some), r.p, r.n)
}

// keep replaces row k by the best of some states, if one is better, and reports whether
// the gain justifies another round.
func (r *refiner) keep(ctx context.Context, k int, tried []float64) bool {
	count, best := len(tried)/r.p, r.worth[k]
	z := make([]float64, count*r.n)
	moved(ctx, r.model, z, r.input(k), tried)
	for i := range count {
		eps := rowOf(tried, i, r.p)
		if v := r.value(eps, rowOf(z, i, r.n)); v > r.worth[k] {
			r.worth[k] = v
			copy(rowOf(r.eps, k, r.p), eps)
			copy(rowOf(r.z, k, r.n), rowOf(z, i, r.n))
		}
	}
	return r.worth[k] > best+refineGain
}

// walk takes steps from eps by the linear model, and returns the states that 1, 2, 4,
// … of them lead to, and all, [·, p].
func (r *refiner) walk(ctx context.Context, j Jacobian, theta, eps, z []float64) (states []float64) {
	s, taken := newSteps(r, j, theta, eps, z), 0
	for taken < refineSteps && ctx.Err() == nil && (s.single() || s.pair()) {
		if taken++; bits.OnesCount(uint(taken)) == 1 {
			states = append(states, s.eps...)
		}
	}
	if bits.OnesCount(uint(taken)) > 1 {
		states = append(states, s.eps...)
	}
	return states
}
