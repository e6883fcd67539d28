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

// wideMean divides sums of entries by their number in double words.
type wideMean struct {
	means
	x, y wideTensor
	part func(lo, hi int)
}

// means says which entries of an example each output is the sum of, and what it is
// divided by.
type means struct {
	size    int // entries of one example
	start   []int
	index   []int32 // those of output o are from start[o] to start[o+1]
	divisor []float64
}

func (m *means) add(divisor float64) {
	m.start, m.divisor = append(m.start, len(m.index)), append(m.divisor, divisor)
}

func newWideMean(m means) *wideMean {
	k := &wideMean{means: m}
	k.part = k.partRange
	return k
}

func newWideAverage(op *AveragePool, in [][]int) *wideMean {
	p := newPoolPlan(op.Kernel, op.Stride, op.Pad, in)
	m := means{size: Size(in[0]), start: []int{0}}
	for c := range p.channels {
		for _, rows := range p.rows {
			for _, columns := range p.columns {
				for h := rows.lo; h < rows.hi; h++ {
					for w := columns.lo; w < columns.hi; w++ {
						m.index = append(m.index, int32(c*p.inHW+h*p.inW+w))
					}
				}
				n := (rows.hi - rows.lo) * (columns.hi - columns.lo)
				if op.CountIncludePad {
					n = p.kH * p.kW
				}
				m.add(float64(n))
			}
		}
	}
	return newWideMean(m)
}

func newWideGlobal(in []int) *wideMean {
	last := len(in)
	return newWideReduce(&Reduce{Function: "Mean", Axes: []int{last - 2, last - 1}}, in).(*wideMean)
}

// newWideReduce is Reduce in double words for Mean and Sum, and nil for the others.
func newWideReduce(op *Reduce, in []int) wideKernel {
	gone, err := op.reduced(in)
	if err != nil || op.Function != "Mean" && op.Function != "Sum" {
		return nil
	}
	p, by := newReducePlan(in, gone), 1.
	if op.Function == "Mean" {
		by = float64(p.entries())
	}
	m := means{size: p.size, start: []int{0}}
	for o := range p.outputs() {
		first := p.bases[o/p.inner] + o%p.inner
		for i := range p.entries() {
			m.index = append(m.index, int32(first+p.offsets[i/p.length]+i%p.length))
		}
		m.add(by)
	}
	return newWideMean(m)
}

func (k *wideMean) wide(y wideTensor, x []wideTensor, _ int) {
	k.x, k.y = x[0], y
	simd.Parallel(len(y.hi), 1+grain*len(k.divisor)/(8*max(len(k.index), 1)), k.part)
}

// partRange: each partial sum s_t is off by at most 2⁻¹⁰⁴ of itself and the quotient
// by 2⁻¹⁰³, so that the error is (Σ ex + 2⁻¹⁰⁴·Σ|s_t|)/divisor + 2⁻¹⁰³·|ŷ|.
func (k *wideMean) partRange(lo, hi int) {
	for i := lo; i < hi; i++ {
		o, from := i%len(k.divisor), i/len(k.divisor)*k.size
		var h, l, e, trail float64
		for _, at := range k.index[k.start[o]:k.start[o+1]] {
			j := from + int(at)
			h, l = addDouble(h, l, k.x.hi[j], k.x.lo[j])
			e += k.x.e[j]
			trail += math.Abs(h)
		}
		h, l = divFloat(h, l, k.divisor[o])
		k.y.hi[i], k.y.lo[i] = h, l
		e = (e+addError*trail)/k.divisor[o] + mulError*math.Abs(h)
		k.y.e[i] = roundUp(k.start[o+1]-k.start[o]+6)*e + underflow
	}
}
