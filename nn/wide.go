package nn

import (
	"fmt"
	"math"
)

// The wide forward pass is ForwardError64 with about 104 bits instead of 53: every
// tensor is a sum hi + lo of two float64, and beside each entry runs a bound on its
// distance from the exact one. What bounds each operator adds is some 2⁻¹⁰⁴ of its
// result, so that a deep net may magnify it by 10²⁶, as bounds of magnitudes do, and
// it is still less than float64's own rounding of the result.

// wideTensor is a tensor in double words, normalised: |lo| ≤ 2⁻⁵³·|hi|. e bounds the
// distance of hi + lo from the exact entry.
type wideTensor struct{ hi, lo, e []float64 }

// wideKernel is an operator in double words. x has values hi + lo within x.e of the exact ones.
// wide overwrites y with values and bounds of the same kind.
type wideKernel interface {
	wide(y wideTensor, x []wideTensor, batch int)
}

// wideSweep is the workspace of ForwardWide64.
type wideSweep struct {
	plan      *plan
	kernels   []wideKernel
	missing   *step[float64] // the first without a wide kernel, or nil
	hi, lo, e buffers[float64]
	args      [][]wideTensor
	input     wideTensor // zeros for lo, and for e where the caller has none
	output    wideTensor // its lo
	limit     int        // examples at a time
	room      wideRoom
}

// wideRows is how many times as much memory an example takes as in ForwardError64:
// three tensors for two, and some slices of the inputs of an affine operator.
const wideRows = 8

func newWideSweep(e *engine[float64]) *wideSweep {
	w := &wideSweep{plan: e.forwardPlan(false), limit: max(1, e.limit/wideRows)}
	for i := range e.steps {
		s := &e.steps[i]
		k := wideOf(s, &w.room)
		if k == nil && w.missing == nil {
			w.missing = s
		}
		w.kernels = append(w.kernels, k)
		w.args = append(w.args, make([]wideTensor, len(s.in)))
	}
	return w
}

// Wide returns nil if ForwardWide64 can run, and otherwise an error that names the
// first operator without a wide kernel, such as a Softmax.
func (m *Net) Wide() error {
	e := m.run64()
	if e.wide == nil {
		e.wide = newWideSweep(e)
	}
	if s := e.wide.missing; s != nil {
		return fmt.Errorf("node %q (%s) has no kernel in double words", s.name, s.op.Kind())
	}
	return nil
}

// ForwardWide64 is ForwardError64 in double words: it overwrites dst, [batch, n], with
// the outputs at x, rounded to float64, and bound with a bound on their error: |dst −
// a(x*)| ≤ bound for every x* with |x* − x| ≤ xerr elementwise, where a is the net in
// real arithmetic on its float32 parameters and float64 settings. nil xerr means zeros.
// The bounds of each operator's rounding, which the later ones magnify, are 2⁻⁵¹ times
// those of ForwardError64. Where numbers overflow the bound is +Inf. It returns an
// error if Wide does.
func (m *Net) ForwardWide64(dst, bound, x, xerr []float64) error {
	if err := m.Wide(); err != nil {
		return err
	}
	batch := m.batch(len(dst), len(x))
	if len(bound) != len(dst) || xerr != nil && len(xerr) != len(x) {
		panic(fmt.Sprintf("nn: %d bounds of %d outputs, %d of %d inputs", len(bound), len(dst), len(xerr), len(x)))
	}
	e := m.engine64
	for lo := 0; lo < batch; lo += e.wide.limit {
		hi := min(batch, lo+e.wide.limit)
		w := e.wide
		w.input.lo = zeros(w.input.lo, (hi-lo)*m.p)
		ex := w.input.lo
		if xerr != nil {
			ex = xerr[lo*m.p : hi*m.p]
		}
		w.output.lo = sized(w.output.lo, (hi-lo)*m.n)
		in := wideTensor{x[lo*m.p : hi*m.p], w.input.lo, ex}
		out := wideTensor{dst[lo*m.n : hi*m.n], w.output.lo, bound[lo*m.n : hi*m.n]}
		e.forwardWide(out, in, hi-lo)
		roundWide(out)
	}
	for b := range batch {
		if topOf(x[b*m.p:][:m.p]) > wideHuge {
			fill(bound[b*m.n:][:m.n], math.Inf(1))
		}
	}
	return nil
}

// zeros returns n zeros, in the storage of x, which holds zeros, where that suffices.
func zeros(x []float64, n int) []float64 {
	if len(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// roundWide counts in the bounds that only hi is given, and that may not be finite.
func roundWide(y wideTensor) {
	up := roundUp(1)
	for i, e := range y.e {
		y.e[i] = (e + math.Abs(y.lo[i])) * up
		if !(y.e[i] <= math.MaxFloat64) || math.IsNaN(y.hi[i]) || math.IsInf(y.hi[i], 0) {
			y.e[i] = math.Inf(1)
		}
	}
}

func (e *engine[T]) forwardWide(out, in wideTensor, rows int) {
	w := e.wide
	if e.output == 0 {
		copy(out.hi, in.hi)
		copy(out.lo, in.lo)
		copy(out.e, in.e)
		return
	}
	w.hi.grow(w.plan, rows)
	w.lo.grow(w.plan, rows)
	w.e.grow(w.plan, rows)
	at := func(t int) wideTensor {
		place, n := w.plan.place[t], rows*e.sizes[t]
		return wideTensor{w.hi.at(place, n, in.hi, out.hi), w.lo.at(place, n, in.lo, out.lo), w.e.at(place, n, in.e, out.e)}
	}
	for i, s := range e.steps {
		for j, t := range s.in {
			w.args[i][j] = at(t)
		}
		if y := at(s.out); len(y.hi) > 0 {
			w.kernels[i].wide(y, w.args[i], rows)
			checkWide(y)
		}
	}
}

// checkWide gives entries that are not finite a bound that no operator after it
// makes finite.
func checkWide(y wideTensor) {
	for i, h := range y.hi {
		if d := (h - h) + (y.lo[i] - y.lo[i]); d != 0 || y.e[i] != y.e[i] { // NaN of ±Inf and NaN
			y.hi[i], y.lo[i], y.e[i] = 0, 0, math.Inf(1)
		}
	}
}

// wideOf returns the wide kernel of a step, or nil.
func wideOf(s *step[float64], room *wideRoom) wideKernel {
	if layer, ok := affineOf(s.op); ok {
		return newWideAffine(layer, s.shapes[0], s.shape, room)
	}
	switch op := s.op.(type) {
	case *BatchNorm:
		return newWideNorm(op, s.shapes[0])
	case *ReLU:
		return wideRectifier{zero: true}
	case *LeakyReLU:
		return wideRectifier{slope: op.Slope}
	case *MaxPool:
		return newWideMax(op, s.shapes)
	case *AveragePool:
		return newWideAverage(op, s.shapes)
	case *GlobalAveragePool:
		return newWideGlobal(s.shapes[0])
	case *Binary:
		return newWideBinary(op, s.shapes)
	case *Unary:
		return newWideUnary(op)
	case *Reduce:
		return newWideReduce(op, s.shapes[0])
	case *Resize:
		if op.Mode != "nearest" {
			return newWideResize(op, s.shapes[0])
		}
	}
	return newWideCopy(s)
}
