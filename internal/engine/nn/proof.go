package nn

import (
	"fmt"
	"math"
)

// A proof is a forward pass that bounds its own rounding: running error analysis of float64
// arithmetic (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.3).
// Beside each tensor runs a bound on the distance of its computed entries from the exact ones.
//
// In a pass in pairs every tensor is a sum hi + lo of two float64, with about 104 bits instead of
// 53. What the operators add to the bounds is then some 2⁻¹⁰⁴ of their results, so that a deep net
// may magnify it by 10²⁶, as bounds of magnitudes do, and it is still less than float64's own
// rounding of the result. Operators without a form in pairs compute in float64, where they lose lo.
//
// An operator takes part by one of these:
//   - affineOp and sumOp, sums of products: |W| times the errors of the inputs, and the rounding of the sums;
//   - rounder, a function of few entries: the bound follows from its derivatives.
//
// In pairs these are wideKernels: slices of products for sums, functions of one entry or two, and
// copies.
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

// rounder bounds the rounding of a float64 kernel, and most are that kernel: given |x̂ᵢ − xᵢ| ≤
// exᵢ elementwise, it overwrites ey so that |computed op(x̂) − exact op(x)| ≤ ey.
// f.x and f.y hold the computed x̂ and op(x̂).
type rounder interface {
	roundoff(f *frame[float64], ey []float64, ex [][]float64)
}

// hander is a kernel that returns infinite entries of its inputs unchanged. Its bound of such an
// entry is finite if the entry comes from a constant, and else +Inf.
type hander interface{ handsOn() }

// wideTensor is a tensor of a proof: hi + lo lies within e of the exact entries. In pairs it is
// normalised, |lo| ≤ 2⁻⁵³·|hi|; else lo is nil.
type wideTensor struct{ hi, lo, e []float64 }

// wideKernel is an operator in pairs. x has values hi + lo within x.e of the exact ones.
// wide overwrites y with values and bounds of the same kind.
type wideKernel interface {
	wide(y wideTensor, x []wideTensor, batch int)
}

// proof is the workspace of a pass, in pairs or not.
type proof struct {
	plan      *plan
	hi, lo, e buffers[float64]
	kernels   []wideKernel // in pairs: of the steps that have one
	rounders  []rounder    // of the steps
	missing   bool         // a step has no bound
	limit     int          // examples at a time
	scale     float64      // of the unit roundoff that errors are of, over float64's

	frames  []frame[float64]
	args    [][]wideTensor
	ex      [][]float64 // of the step in progress: the errors of its inputs
	moved   [][]float64 // in pairs: errors and lo together
	zeros   []float64   // for lo, and for e where the caller has none
	last    []float64   // lo of the output
	inPairs bool
}

// wideRows is how many times as much memory an example takes in pairs: three tensors for
// two, and some slices of the inputs of an affine operator.
const wideRows = 8

func newProof(e *engine[float64], inPairs bool) *proof {
	w := &proof{plan: e.forwardPlan(nil, false), limit: e.limit, frames: e.newFrames(), inPairs: inPairs, kernels: make([]wideKernel, len(e.steps)), rounders: make([]rounder, len(e.steps))}
	room := &wideRoom{}
	for i := range e.steps {
		s := &e.steps[i]
		w.rounders[i] = rounderOf(s.op, s.kernel, s.shapes...)
		w.missing = w.missing || w.rounders[i] == nil
		if inPairs {
			w.kernels[i] = wideOf(s, w.rounders[i], room)
		}
		w.args = append(w.args, make([]wideTensor, len(s.in)))
	}
	if inPairs {
		w.limit = max(1, e.limit/wideRows)
	}
	return w
}

// ForwardError64 overwrites dst, [batch, n], with the outputs at x, computed in
// float64, and bound with a bound on their error: |dst − a(x*)| ≤ bound for every
// x* with |x* − x| ≤ xerr elementwise, where a is the net in real arithmetic, roots
// and exponentials too, on its float32 parameters and float64 settings. nil xerr
// means zeros. The bound is +Inf where numbers overflow, and everywhere if an operator of the
// net has no bound: a LayerNorm, a product of matrices.
func (m *Net) ForwardError64(dst, bound, x, xerr []float64) {
	m.prove(dst, bound, x, xerr, false, 1)
}

// float32Unit is float32's unit roundoff, 2⁻²⁴, over float64's.
const float32Unit = 0x1p29

// ForwardError32 overwrites dst as ForwardError64 does, and bound with what bounds, to
// first order in the unit roundoff, how far a pass in float32 lies from the net in real
// arithmetic: 2²⁹ times the bounds of float64. What jumps is given errors of that size, so
// that a feature that float32 may put on the other side of a jump is allowed the jump.
func (m *Net) ForwardError32(dst, bound, x []float64) {
	m.prove(dst, bound, x, nil, false, float32Unit)
}

// ForwardWide64 is ForwardError64 in pairs of float64; the outputs are rounded to float64. The bounds
// of each operator's rounding, which the later ones magnify, are 2⁻⁵¹ times those of
// ForwardError64, but for operators that compute in float64: smooth functions, and what is rare.
func (m *Net) ForwardWide64(dst, bound, x, xerr []float64) { m.prove(dst, bound, x, xerr, true, 1) }

func (m *Net) prove(dst, bound, x, xerr []float64, inPairs bool, scale float64) {
	batch := m.batch(len(dst), len(x))
	if len(bound) != len(dst) || xerr != nil && len(xerr) != len(x) {
		panic(fmt.Sprintf("nn: %d bounds of %d outputs, %d of %d inputs", len(bound), len(dst), len(xerr), len(x)))
	}
	e := run64(m)
	at := &e.proof
	if inPairs {
		at = &e.wide
	}
	if *at == nil {
		*at = newProof(e, inPairs)
	}
	w := *at
	if w.missing {
		e.forward(dst, x, batch)
		fill(bound, math.Inf(1))
		return
	}
	w.scale = scale
	for lo := 0; lo < batch; lo += w.limit {
		hi := min(batch, lo+w.limit)
		in := wideTensor{hi: x[lo*m.p : hi*m.p], e: w.none((hi - lo) * m.p)}
		out := wideTensor{hi: dst[lo*m.n : hi*m.n], e: bound[lo*m.n : hi*m.n]}
		if xerr != nil {
			in.e = xerr[lo*m.p : hi*m.p]
		}
		if inPairs {
			w.last = sized(w.last, len(out.hi))
			in.lo, out.lo = w.none(len(in.hi)), w.last
		}
		proveRows(e, w, out, in, hi-lo)
		if inPairs {
			roundPairs(out)
			refuseHuge(out, in, hi-lo)
		}
	}
	for i, b := range bound {
		bound[i] = b * scale
		if math.IsNaN(b) || math.IsNaN(dst[i]) || math.IsInf(dst[i], 0) {
			bound[i] = math.Inf(1)
		}
	}
}

// none returns n zeros.
func (w *proof) none(n int) []float64 {
	if len(w.zeros) < n {
		w.zeros = make([]float64, n)
	}
	return w.zeros[:n]
}

// roundPairs counts in the bounds that only hi is given.
func roundPairs(y wideTensor) {
	up := roundUp(1)
	for i, e := range y.e {
		y.e[i] = (e + math.Abs(y.lo[i])) * up
	}
}

// refuseHuge leaves examples without bounds whose inputs are too large to cut into slices.
func refuseHuge(y, x wideTensor, batch int) {
	p, n := len(x.hi)/batch, len(y.hi)/batch
	for b := range batch {
		if topOf(x.hi[b*p:][:p]) > wideHuge {
			fill(y.e[b*n:][:n], math.Inf(1))
		}
	}
}

// proveRows computes the outputs of some examples, with their bounds.
func proveRows(e *engine[float64], w *proof, out, in wideTensor, rows int) {
	if e.output == 0 {
		copy(out.hi, in.hi)
		copy(out.lo, in.lo)
		copy(out.e, in.e)
		return
	}
	w.hi.grow(w.plan, rows)
	w.e.grow(w.plan, rows)
	if w.inPairs {
		w.lo.grow(w.plan, rows)
	}
	at := func(t int) wideTensor {
		place, n := w.plan.place[t], rows*e.sizes[t]
		y := wideTensor{hi: w.hi.at(place, n, in.hi, out.hi), e: w.e.at(place, n, in.e, out.e)}
		if w.inPairs {
			y.lo = w.lo.at(place, n, in.lo, out.lo)
		}
		return y
	}
	for i := range e.steps {
		s := &e.steps[i]
		for j, t := range s.in {
			w.args[i][j] = at(t)
		}
		switch y := at(s.out); {
		case len(y.hi) == 0:
		case w.kernels[i] != nil:
			w.kernels[i].wide(y, w.args[i], rows)
			checkPairs(y)
		default:
			w.step(i, s, y, rows)
		}
	}
}

// step computes a step in float64, with its bounds. In pairs it lays lo to the errors.
func (w *proof) step(i int, s *step[float64], y wideTensor, rows int) {
	f := &w.frames[i]
	f.batch, f.y, w.ex = rows, y.hi, w.ex[:0]
	for j, x := range w.args[i] {
		f.x[j] = x.hi
		w.ex = append(w.ex, w.together(j, x))
	}
	s.kernel.forward(f)
	w.bound(s, w.rounders[i], f, y.e, w.ex)
	if w.inPairs {
		clear(y.lo)
		checkPairs(y)
	}
}

// together returns bounds on the distance of hi from the exact entries of input j of a step.
func (w *proof) together(j int, x wideTensor) []float64 {
	if !w.inPairs {
		return x.e
	}
	for len(w.moved) <= j {
		w.moved = append(w.moved, nil)
	}
	sum := sized(w.moved[j], len(x.e))
	for i, e := range x.e {
		sum[i] = (e + math.Abs(x.lo[i])) * (1 + 0x1p-50)
	}
	w.moved[j] = sum
	return sum
}

// checkPairs gives entries that are not finite a bound that no operator after it
// makes finite.
func checkPairs(y wideTensor) {
	for i, h := range y.hi {
		if d := (h - h) + (y.lo[i] - y.lo[i]); d != 0 || y.e[i] != y.e[i] { // NaN of ±Inf and NaN
			y.hi[i], y.lo[i], y.e[i] = 0, 0, math.Inf(1)
		}
	}
}

// bound is round in units of w.scale. A kernel that is constant between jumps gets the
// errors of its inputs in full size. The rounding of an Opaque itself is in units of w.scale, too.
func (w *proof) bound(s *step[float64], r rounder, f *frame[float64], ey []float64, ex [][]float64) {
	if w.scale == 1 || !jumps(s.op) {
		round(r, f, ey, ex)
		return
	}
	full := make([][]float64, len(ex))
	for j, e := range ex {
		full[j] = make([]float64, len(e))
		for i, v := range e {
			full[j][i] = v * w.scale
		}
	}
	round(r, f, ey, full)
	for i := range ey {
		ey[i] /= w.scale
	}
	if _, rounds := s.op.(*Opaque); rounds {
		for _, e := range full {
			clear(e)
		}
		own := make([]float64, len(ey))
		round(r, f, own, full)
		for i, e := range own {
			ey[i] += e
		}
	}
}

// round overwrites ey with an operator's bound, +Inf where the entry overflowed. An entry that is
// infinite because a constant is, is exact.
func round(r rounder, f *frame[float64], ey []float64, ex [][]float64) {
	r.roundoff(f, ey, ex)
	_, exact := r.(hander)
	for i, y := range f.y {
		switch {
		case math.IsNaN(y) || math.IsInf(y, 0) && !(exact && ey[i] <= math.MaxFloat64):
			ey[i] = math.Inf(1)
		case math.IsInf(y, 0):
			ey[i] = 0
		}
	}
}
