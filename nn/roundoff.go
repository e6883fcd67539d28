package nn

import (
	"fmt"
	"math"
)

// Running error analysis of float64 arithmetic (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd edition, section 3.3): beside each tensor runs a bound
// on the distance of its computed entries from the exact ones.
const (
	unit = 0x1p-53 // u, half the distance from 1 to the next number

	// underflow is more than all that underflow can do to one entry: up to 2⁶⁰
	// operations whose results lose at most 2⁻¹⁰⁷⁵ each, times a float32 weight,
	// less than 2¹²⁸.
	underflow = 0x1p-800
)

// gamma returns γ_n = n·u/(1 − n·u), u = 2⁻⁵³, rounded up: the relative error of
// n roundings.
func gamma(n int) float64 {
	nu := float64(n) * 0x1p-53
	return nu / (1 - nu) * (1 + 0x1p-50)
}

// roundUp returns a factor that lifts a computed sum of products of non-negative
// numbers, each of whose terms passed at most n roundings, above the exact one:
// the computed one is at least (1 − u)ⁿ times it, and 1/(1 − u)ⁿ ≤ 1 + γ_n. One more
// rounding, of the product with the factor itself, is counted in.
func roundUp(n int) float64 { return 1 + gamma(n+3) }

// errorSweep is the workspace of ForwardError64.
type errorSweep struct {
	plan           *plan
	values, bounds buffers[float64]
	frames         []frame[float64]
	args           [][][]float64
	zeros          []float64
	scale          float64 // of the unit roundoff that errors are of, over float64's
}

// ForwardError64 overwrites dst, [batch, n], with the outputs at x, computed in
// float64, and bound with a bound on their error: |dst − a(x*)| ≤ bound for every
// x* with |x* − x| ≤ xerr elementwise, where a is the net in real arithmetic, roots
// and exponentials too, on its float32 parameters and float64 settings. nil xerr
// means zeros. Where an operator cannot bound its
// rounding, or numbers overflow, the bound is +Inf.
func (m *Net) ForwardError64(dst, bound, x, xerr []float64) { m.forwardError(dst, bound, x, xerr, 1) }

// float32Unit is float32's unit roundoff, 2⁻²⁴, over float64's.
const float32Unit = 0x1p29

// ForwardError32 overwrites dst as ForwardError64 does, and bound with what bounds, to
// first order in the unit roundoff, how far a pass in float32 lies from the net in real
// arithmetic: 2²⁹ times the bounds of float64. What jumps is given errors of that size, so
// that a feature that float32 may put on the other side of a jump is allowed the jump.
func (m *Net) ForwardError32(dst, bound, x []float64) {
	m.forwardError(dst, bound, x, nil, float32Unit)
}

func (m *Net) forwardError(dst, bound, x, xerr []float64, scale float64) {
	batch := m.batch(len(dst), len(x))
	if len(bound) != len(dst) || xerr != nil && len(xerr) != len(x) {
		panic(fmt.Sprintf("nn: %d bounds of %d outputs, %d of %d inputs", len(bound), len(dst), len(xerr), len(x)))
	}
	e := m.run64()
	if e.errors == nil {
		e.errors = &errorSweep{plan: e.forwardPlan(false), frames: e.newFrames(), args: e.newArgs()}
	}
	e.errors.scale = scale
	for lo := 0; lo < batch; lo += e.limit {
		hi := min(batch, lo+e.limit)
		ex := e.errors.input(xerr, lo*m.p, hi*m.p)
		forwardErrors(e, dst[lo*m.n:hi*m.n], bound[lo*m.n:hi*m.n], x[lo*m.p:hi*m.p], ex, hi-lo)
	}
	for i, b := range bound {
		bound[i] = b * scale
		if math.IsNaN(b) || math.IsNaN(dst[i]) || math.IsInf(dst[i], 0) {
			bound[i] = math.Inf(1)
		}
	}
}

// input returns those bounds of the inputs.
func (w *errorSweep) input(xerr []float64, lo, hi int) []float64 {
	if xerr != nil {
		return xerr[lo:hi]
	}
	if len(w.zeros) < hi-lo {
		w.zeros = make([]float64, hi-lo)
	}
	return w.zeros[:hi-lo]
}

func forwardErrors(e *engine[float64], dst, bound, x, ex []float64, rows int) {
	w := e.errors
	if e.output == 0 {
		copy(dst, x)
		copy(bound, ex)
		return
	}
	w.values.grow(w.plan, rows)
	w.bounds.grow(w.plan, rows)
	for i, s := range e.steps {
		f := &w.frames[i]
		f.batch = rows
		for j, t := range s.in {
			f.x[j] = w.values.at(w.plan.place[t], rows*e.sizes[t], x, dst)
			w.args[i][j] = w.bounds.at(w.plan.place[t], rows*e.sizes[t], ex, bound)
		}
		f.y = w.values.at(w.plan.place[s.out], rows*e.sizes[s.out], x, dst)
		ey := w.bounds.at(w.plan.place[s.out], rows*e.sizes[s.out], ex, bound)
		if len(f.y) > 0 {
			s.kernel.forward(f)
			w.bound(s, f, ey, w.args[i])
		}
	}
}

// bound is boundRounding in units of w.scale. A kernel that is constant between jumps gets the
// errors of its inputs in full size. The rounding of an Opaque itself is in units of w.scale, too.
func (w *errorSweep) bound(s step[float64], f *frame[float64], ey []float64, ex [][]float64) {
	if w.scale == 1 || !jumps(s.op) {
		boundRounding(s.kernel, f, ey, ex)
		return
	}
	full := make([][]float64, len(ex))
	for j, e := range ex {
		full[j] = make([]float64, len(e))
		for i, v := range e {
			full[j][i] = v * w.scale
		}
	}
	boundRounding(s.kernel, f, ey, full)
	for i := range ey {
		ey[i] /= w.scale
	}
	if _, rounds := s.op.(*Opaque); rounds {
		for _, e := range full {
			clear(e)
		}
		own := make([]float64, len(ey))
		boundRounding(s.kernel, f, own, full)
		for i, e := range own {
			ey[i] += e
		}
	}
}

// hander is a kernel that returns infinite entries of its inputs unchanged. Its bound of such an
// entry is finite if the entry comes from a constant, and else +Inf.
type hander interface{ handsOn() }

// boundRounding overwrites ey with the kernel's bound, +Inf if it has none: the
// kernel cannot bound its rounding, or the entry overflowed. An entry that is infinite
// because a constant is, is exact.
func boundRounding(k kernel[float64], f *frame[float64], ey []float64, ex [][]float64) {
	r, ok := k.(rounder)
	if ok {
		r.roundoff(f, ey, ex)
	}
	_, exact := k.(hander)
	for i, y := range f.y {
		switch {
		case !ok || math.IsNaN(y) || math.IsInf(y, 0) && !(exact && ey[i] <= math.MaxFloat64):
			ey[i] = math.Inf(1)
		case math.IsInf(y, 0):
			ey[i] = 0
		}
	}
}
