package nn

import (
	"math"
	"math/big"

	"tattle/internal/math/simd"
)

// axisOp is an operator that is a linear map along one axis after another: sums, means, average
// pools, and norms with fixed statistics.
type axisOp interface {
	// axes returns the maps for an input of that shape. They follow the parameters, if there are
	// some, of that version.
	axes(in []int) []*wideAxis
	axesVersion() uint64
}

// wideAxes is an axisOp in pairs.
type wideAxes struct {
	op      axisOp
	in      []int
	version uint64
	passes  []*wideAxis // nil at first
	between [2]wideTensor
}

// wideAxis maps [·, in, inner] to [·, out, inner]: output i is Σ w·x[index] over its weights, from
// start[i] to start[i+1], and c[i]. Weights and c are pairs, rounded to 2⁻¹⁰⁵ of themselves.
type wideAxis struct {
	in, out, inner int
	start, index   []int
	wh, wl         []float64
	ch, cl         []float64 // nil for zeros
	x, y           wideTensor
	part           func(lo, hi int)
}

func newWideAxis(in, inner int) *wideAxis {
	a := &wideAxis{in: in, inner: inner, start: []int{0}}
	a.part = a.partRange
	return a
}

// end ends the weights of an output.
func (a *wideAxis) end() {
	a.start = append(a.start, len(a.index))
	a.out++
}

// weigh adds a weight to the output that has not ended.
func (a *wideAxis) weigh(index int, w *big.Rat) {
	h, _ := w.Float64()
	l, _ := new(big.Rat).Sub(w, new(big.Rat).SetFloat64(h)).Float64()
	a.index, a.wh, a.wl = append(a.index, index), append(a.wh, h), append(a.wl, l)
}

// means returns an axis whose outputs are the sums over extents, divided by the counts.
func means(in, inner int, over []extent, count func(o int) int) *wideAxis {
	a := newWideAxis(in, inner)
	for o, e := range over {
		for i := e.lo; i < e.hi; i++ {
			a.weigh(i, ratio(1, count(o)))
		}
		a.end()
	}
	return a
}

func (p *AveragePool) axesVersion() uint64 { return 0 }
func (o *Reduce) axesVersion() uint64      { return 0 }

// axes: the mean over a window is the mean over rows of means over columns, also where padding
// does not count.
func (p *AveragePool) axes(in []int) []*wideAxis {
	k := newAveragePool[float64](p, [][]int{in})
	count := func(over []extent, all int) func(o int) int {
		return func(o int) int {
			if k.all {
				return all
			}
			return over[o].hi - over[o].lo
		}
	}
	return []*wideAxis{
		means(k.inH, k.inW, k.rows, count(k.rows, k.kH)),
		means(k.inW, 1, k.columns, count(k.columns, k.kW)),
	}
}

// axes is nil for functions that are not linear, and without entries.
func (o *Reduce) axes(in []int) (all []*wideAxis) {
	gone, err := o.reduced(in)
	if err != nil || o.Function != "Mean" && o.Function != "Sum" || Size(in) == 0 {
		return nil
	}
	inner := 1
	for d := len(in) - 1; d >= 0; d-- {
		if !gone[d] {
			inner *= in[d]
			continue
		}
		all = append(all, means(in[d], inner, []extent{{0, in[d]}}, func(int) int {
			if o.Function == "Sum" {
				return 1
			}
			return in[d]
		}))
	}
	return all
}

func (b *BatchNorm) axesVersion() uint64 {
	return b.Scale.version + b.Shift.version + b.Mean.version + b.Variance.version
}

// axes: y = a·x + c with a = scale/√(variance + ε) and c = shift − a·mean.
func (b *BatchNorm) axes(in []int) []*wideAxis {
	k := newWideAxis(b.Channels, Size(in[1:]))
	add := func(high, low *[]float64, v *big.Float) {
		h, _ := v.Float64()
		l, _ := new(big.Float).Sub(v, wideNumber(h)).Float64()
		*high, *low = append(*high, h), append(*low, l)
	}
	for c := range b.Channels {
		scale, shift := float64(b.Scale.Data[c]), float64(b.Shift.Data[c])
		mean, variance := float64(b.Mean.Data[c]), float64(b.Variance.Data[c])
		a, off := new(big.Float), new(big.Float)
		if sum := math.Abs(scale) + math.Abs(shift) + math.Abs(mean) + variance; variance+b.epsilon() > 0 && sum <= math.MaxFloat64 {
			a.Add(wideNumber(variance), wideNumber(b.epsilon()))
			a.Quo(wideNumber(scale), a.Sqrt(a))
			off.Sub(wideNumber(shift), off.Mul(a, wideNumber(mean)))
			add(&k.wh, &k.wl, a)
			add(&k.ch, &k.cl, off)
		} else {
			k.wh, k.wl = append(k.wh, math.NaN()), append(k.wl, 0)
			k.ch, k.cl = append(k.ch, 0), append(k.cl, 0)
		}
		k.index = append(k.index, c)
		k.end()
	}
	return []*wideAxis{k}
}

// wideNumber returns v as a number of 300 bits. A pair has about 106, so the rounding of
// arithmetic on such numbers is far below the last bit of a pair.
func wideNumber(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }

func (k *wideAxes) wide(y wideTensor, x []wideTensor, _ int) {
	if v := k.op.axesVersion(); k.passes == nil || k.version != v {
		k.passes, k.version = k.op.axes(k.in), v
	}
	from := x[0]
	for i, p := range k.passes {
		to := y
		if i < len(k.passes)-1 {
			b, n := &k.between[i%2], len(from.hi)/p.in*p.out
			b.hi, b.lo, b.e = sized(b.hi, n), sized(b.lo, n), sized(b.e, n)
			to = *b
		}
		p.x, p.y = from, to
		simd.Parallel(len(to.hi), 1+grain*p.out/(8*max(len(p.index), 1)), p.part)
		from = to
	}
}

// partRange: each product is off by at most (2⁻¹⁰⁵ + 5u²) of itself, less than 2⁻¹⁰²,
// c by 2⁻¹⁰⁵, and each partial sum by 2⁻¹⁰⁴; the inputs' errors add Σ |w|·ex.
func (a *wideAxis) partRange(lo, hi int) {
	for o := lo; o < hi; o++ {
		m, i := o/(a.out*a.inner), o/a.inner%a.out
		from := m*a.in*a.inner + o%a.inner
		var h, l, e float64
		for t := a.start[i]; t < a.start[i+1]; t++ {
			at := from + a.index[t]*a.inner
			ph, pl := mulDouble(a.x.hi[at], a.x.lo[at], a.wh[t], a.wl[t])
			h, l = addDouble(h, l, ph, pl)
			e += math.Abs(a.wh[t])*a.x.e[at]*(1+0x1p-50) + 2*mulError*math.Abs(ph) + addError*math.Abs(h)
		}
		if a.ch != nil {
			h, l = addDouble(h, l, a.ch[i], a.cl[i])
			e += addError * (math.Abs(a.ch[i]) + math.Abs(h))
		}
		a.y.hi[o], a.y.lo[o] = h, l
		a.y.e[o] = e*roundUp(a.start[i+1]-a.start[i]+8) + underflow
	}
}
