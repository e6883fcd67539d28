package nn

import (
	"math"

	"tattle/internal/simd"
)

// wideMax is MaxPool in double words, which rounds nothing: a maximum moves by no
// more than the entries do.
type wideMax struct {
	poolPlan
	x, y wideTensor
	part func(lo, hi int)
}

func newWideMax(op *MaxPool, in [][]int) *wideMax {
	k := &wideMax{poolPlan: newPoolPlan(op.Kernel, op.Stride, op.Pad, in)}
	k.part = k.partRange
	return k
}

func (k *wideMax) wide(y wideTensor, x []wideTensor, _ int) {
	k.x, k.y = x[0], y
	simd.Parallel(len(y.hi), 1+grain/(4*k.kH*k.kW), k.part)
}

func (k *wideMax) partRange(lo, hi int) {
	x := k.x
	for o := lo; o < hi; o++ {
		p, i, j := o/k.outHW, o%k.outHW/k.outW, o%k.outW
		best, e := -1, 0.0
		for h := k.rows[i].lo; h < k.rows[i].hi; h++ {
			for w := k.columns[j].lo; w < k.columns[j].hi; w++ {
				at := p*k.inHW + h*k.inW + w
				if best < 0 || x.hi[at] > x.hi[best] || x.hi[at] == x.hi[best] && x.lo[at] > x.lo[best] {
					best = at
				}
				e = max(e, x.e[at])
			}
		}
		k.y.hi[o], k.y.lo[o], k.y.e[o] = x.hi[best], x.lo[best], e
	}
}

// wideMean divides sums of entries by their number in double words: entry e of
// output o is at(o, e), for e from 0 on.
type wideMean struct {
	terms func(o int, visit func(at int)) (divisor float64)
	x, y  wideTensor
	part  func(lo, hi int)
	work  int // terms of one output, about
}

func newWideMean(work int, terms func(o int, visit func(at int)) float64) *wideMean {
	k := &wideMean{terms: terms, work: work}
	k.part = k.partRange
	return k
}

func newWideAverage(op *AveragePool, in [][]int) *wideMean {
	p := newPoolPlan(op.Kernel, op.Stride, op.Pad, in)
	return newWideMean(p.kH*p.kW, func(o int, visit func(at int)) float64 {
		plane, rows, columns := o/p.outHW, p.rows[o%p.outHW/p.outW], p.columns[o%p.outW]
		for h := rows.lo; h < rows.hi; h++ {
			for w := columns.lo; w < columns.hi; w++ {
				visit(plane*p.inHW + h*p.inW + w)
			}
		}
		if op.CountIncludePad {
			return float64(p.kH * p.kW)
		}
		return float64((rows.hi - rows.lo) * (columns.hi - columns.lo))
	})
}

func newWideGlobal(in []int) *wideMean {
	hw := Size(in[len(in)-2:])
	return newWideMean(hw, func(o int, visit func(at int)) float64 {
		for i := range hw {
			visit(o*hw + i)
		}
		return float64(hw)
	})
}

func (k *wideMean) wide(y wideTensor, x []wideTensor, _ int) {
	k.x, k.y = x[0], y
	simd.Parallel(len(y.hi), 1+grain/(8*max(k.work, 1)), k.part)
}

// partRange: each partial sum s_t is off by at most 2⁻¹⁰⁴ of itself and the quotient
// by 2⁻¹⁰³, so that the error is (Σ ex + 2⁻¹⁰⁴·Σ|s_t|)/divisor + 2⁻¹⁰³·|ŷ|.
func (k *wideMean) partRange(lo, hi int) {
	for o := lo; o < hi; o++ {
		var h, l, e, trail float64
		n := 0
		divisor := k.terms(o, func(at int) {
			h, l = addDouble(h, l, k.x.hi[at], k.x.lo[at])
			e += k.x.e[at]
			trail += math.Abs(h)
			n++
		})
		h, l = divFloat(h, l, divisor)
		k.y.hi[o], k.y.lo[o] = h, l
		k.y.e[o] = roundUp(n+6)*((e+addError*trail)/divisor+mulError*math.Abs(h)) + underflow
	}
}
