package nn

import (
	"math"
	"math/big"

	"tattle/internal/math/simd"
)

// wideNorm is a BatchNorm in pairs: y = a·x + c with a = scale/√(variance + ε) and
// c = shift − a·mean, pairs that are rounded to 2⁻¹⁰⁵ of themselves.
type wideNorm struct {
	op      *BatchNorm
	hw      int
	version uint64
	a, c    []wideEntry // of each channel; none at first
}

func (b *BatchNorm) wideForm(in [][]int) wideKernel {
	return &wideNorm{op: b, hw: Size(in[0][1:])}
}

// prepare computes the pairs, anew where the parameters have changed.
func (k *wideNorm) prepare() {
	b := k.op
	version := b.Scale.version + b.Shift.version + b.Mean.version + b.Variance.version
	if k.a != nil && k.version == version {
		return
	}
	k.a, k.c, k.version = k.a[:0], k.c[:0], version
	for i := range b.Channels {
		scale, shift := float64(b.Scale.Data[i]), float64(b.Shift.Data[i])
		mean, variance := float64(b.Mean.Data[i]), float64(b.Variance.Data[i])
		if sum := math.Abs(scale) + math.Abs(shift) + math.Abs(mean) + variance; !(variance+b.epsilon() > 0 && sum <= math.MaxFloat64) {
			k.a, k.c = append(k.a, wideEntry{h: math.NaN()}), append(k.c, wideEntry{})
			continue
		}
		a, c := new(big.Float), new(big.Float)
		a.Add(wideNumber(variance), wideNumber(b.epsilon()))
		a.Quo(wideNumber(scale), a.Sqrt(a))
		c.Sub(wideNumber(shift), c.Mul(a, wideNumber(mean)))
		k.a, k.c = append(k.a, pairOf(a)), append(k.c, pairOf(c))
	}
}

// pairOf returns the pair next to v.
func pairOf(v *big.Float) wideEntry {
	h, _ := v.Float64()
	l, _ := new(big.Float).Sub(v, wideNumber(h)).Float64()
	return wideEntry{h: h, l: l}
}

// wideNumber returns v as a number of 300 bits. A pair has about 106, so the rounding of
// arithmetic on such numbers is far below the last bit of a pair.
func wideNumber(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }

// wide: the product is off by at most (2⁻¹⁰⁵ + 5u²) of itself, less than 2⁻¹⁰²,
// c by 2⁻¹⁰⁵, and the sum by 2⁻¹⁰⁴; the input's error adds |a|·ex.
func (k *wideNorm) wide(y wideTensor, x []wideTensor, _ int) {
	k.prepare()
	up := roundUp(9)
	simd.Parallel(len(y.hi), 1+grain/8, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			a, c, x := k.a[i/k.hw%len(k.a)], k.c[i/k.hw%len(k.a)], x[0].at(i)
			ph, pl := mulDouble(x.h, x.l, a.h, a.l)
			h, l := addDouble(ph, pl, c.h, c.l)
			e := math.Abs(a.h)*x.e*(1+0x1p-50) + 2*mulError*math.Abs(ph) + addError*(math.Abs(c.h)+math.Abs(h))
			y.set(i, wideEntry{h, l, e*up + underflow})
		}
	})
}
