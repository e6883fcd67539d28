package nn

import (
	"math"
	"math/big"

	"tattle/internal/simd"
)

// wideNorm is BatchNorm in double words, y = a·(x − mean) + shift, with a = scale /
// √(variance + ε) to 2⁻¹⁰⁵ of itself.
type wideNorm struct {
	op       *BatchNorm
	hw       int
	versions [4]uint64
	ah, al   []float64 // nil at first
	x, y     wideTensor
	part     func(lo, hi int)
}

func newWideNorm(op *BatchNorm, in []int) *wideNorm {
	k := &wideNorm{op: op, hw: Size(in[1:])}
	k.part = k.partRange
	return k
}

// prepare computes a, anew where a parameter has changed.
func (k *wideNorm) prepare() {
	b := k.op
	v := [4]uint64{b.Scale.version, b.Shift.version, b.Mean.version, b.Variance.version}
	if k.ah != nil && v == k.versions {
		return
	}
	k.versions = v
	k.ah, k.al = make([]float64, b.Channels), make([]float64, b.Channels)
	for c := range k.ah {
		scale, variance := float64(b.Scale.Data[c]), float64(b.Variance.Data[c])
		if !(variance+b.epsilon() > 0 && variance+math.Abs(scale) <= math.MaxFloat64) {
			k.ah[c] = math.NaN()
			continue
		}
		a := wideNumber(variance)
		a.Add(a, wideNumber(b.epsilon()))
		a.Quo(wideNumber(scale), a.Sqrt(a))
		k.ah[c], _ = a.Float64()
		k.al[c], _ = a.Sub(a, wideNumber(k.ah[c])).Float64()
	}
}

// wideNumber returns v with so many bits that what its arithmetic rounds is far below the last
// bit of a double word.
func wideNumber(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }

func (k *wideNorm) wide(y wideTensor, x []wideTensor, _ int) {
	k.prepare()
	k.x, k.y = x[0], y
	simd.Parallel(len(y.hi), 1+grain/16, k.part)
}

// partRange: with t̂ = (x̂ − mean)(1 + ε₁), p̂ = a(1 + ε₂)·t̂·(1 + ε₃) and ŷ = (p̂ +
// shift)(1 + ε₄), where |ε₁|, |ε₂| ≤ 2⁻¹⁰⁵, |ε₃| ≤ 5u² and |ε₄| ≤ 2u²,
//
//	|ŷ − y(x̂)| ≤ 2⁻¹⁰²·|p̂| + 2⁻¹⁰⁴·|ŷ|,
//
// and the input's error adds |a|·ex. The bound itself takes fewer than 8 roundings.
func (k *wideNorm) partRange(lo, hi int) {
	up := roundUp(8)
	for i := lo; i < hi; i++ {
		c := i / k.hw % k.op.Channels
		a := k.ah[c]
		th, tl := addFloat(k.x.hi[i], k.x.lo[i], -float64(k.op.Mean.Data[c]))
		ph, pl := mulDouble(th, tl, a, k.al[c])
		h, l := addFloat(ph, pl, float64(k.op.Shift.Data[c]))
		k.y.hi[i], k.y.lo[i] = h, l
		k.y.e[i] = up*(math.Abs(a)*k.x.e[i]+2*mulError*math.Abs(ph)+addError*math.Abs(h)) + underflow
	}
}
