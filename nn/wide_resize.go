package nn

import (
	"math"
	"math/big"

	"tattle/internal/simd"
)

// wideResize is Resize in double words: as its float64 kernel, one pass for each
// dimension that changes, the weights being rounded to 2⁻¹⁰⁵ of themselves.
type wideResize struct {
	passes  []*wideAxis
	between [2]wideTensor
}

// wideAxis maps [·, in, inner] to [·, out, inner].
type wideAxis struct {
	in, out, inner int
	start, index   []int
	wh, wl         []float64
	x, y           wideTensor
	part           func(lo, hi int)
}

func newWideResize(op *Resize, in []int) *wideResize {
	k := &wideResize{}
	for d, n := range in {
		a := &wideAxis{in: n, out: op.To[d], inner: Size(in[d+1:]), start: []int{0}}
		weights := op.weights(d, n)
		for o := range a.out {
			a.add(weights(o))
		}
		if !a.keeps() {
			a.part = a.partRange
			k.passes = append(k.passes, a)
		}
	}
	return k
}

// keeps reports whether the dimension stays as it is.
func (a *wideAxis) keeps() bool {
	same := a.in == a.out && len(a.index) == a.in
	for o, i := range a.index {
		same = same && i == o && a.wh[o] == 1
	}
	return same
}

// add appends the weights of one output.
func (a *wideAxis) add(first int, w []*big.Rat) {
	for i, v := range w {
		if v.Sign() == 0 {
			continue
		}
		h, _ := v.Float64()
		l, _ := new(big.Rat).Sub(v, new(big.Rat).SetFloat64(h)).Float64()
		a.index, a.wh, a.wl = append(a.index, first+i), append(a.wh, h), append(a.wl, l)
	}
	a.start = append(a.start, len(a.index))
}

func (k *wideResize) wide(y wideTensor, x []wideTensor, _ int) {
	from := x[0]
	if len(k.passes) == 0 {
		copy(y.hi, from.hi)
		copy(y.lo, from.lo)
		copy(y.e, from.e)
		return
	}
	for i, p := range k.passes {
		to := y
		if i < len(k.passes)-1 {
			b, n := &k.between[i%2], len(from.hi)/p.in*p.out
			b.hi, b.lo, b.e = sized(b.hi, n), sized(b.lo, n), sized(b.e, n)
			to = *b
		}
		p.x, p.y = from, to
		simd.Parallel(len(to.hi), 1+grain/64, p.part)
		from = to
	}
}

// partRange: each product is off by at most (2⁻¹⁰⁵ + 5u²) of itself, less than 2⁻¹⁰²,
// and each partial sum by 2⁻¹⁰⁴; the inputs' errors add Σ |w|·ex.
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
		a.y.hi[o], a.y.lo[o] = h, l
		a.y.e[o] = e*roundUp(a.start[i+1]-a.start[i]+6) + underflow
	}
}
