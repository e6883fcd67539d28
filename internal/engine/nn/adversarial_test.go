package nn

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Parameters that are no longer numbers, as after a training that failed, leave no
// bound, and no kernel panics.
func TestNormRoundoffOfNoNumbers(t *testing.T) {
	nan := float32(math.NaN())
	inf := float32(math.Inf(1))
	for _, c := range [][4]float32{{1, 0, 0, -1}, {1, 0, 0, nan}, {nan, 0, 0, 1}, {inf, 0, 0, inf}, {1, 0, nan, 1}, {1, nan, 0, 1}} {
		p := func() *Param { return &Param{Shape: []int{1}, Data: []float32{1}} }
		op := &BatchNorm{Channels: 1, Scale: p(), Shift: p(), Mean: p(), Variance: p()}
		net := mustNet(t, chain([]int{1, 1, 2}, op))
		run64(net)
		for i, q := range []*Param{op.Scale, op.Shift, op.Mean, op.Variance} {
			q.Data[0] = c[i]
			q.Changed()
		}
		x, y, plain, wide := []float64{1, 2}, make([]float64, 2), make([]float64, 2), make([]float64, 2)
		net.ForwardError64(y, plain, x, nil)
		net.ForwardWide64(y, wide, x, nil)
		if !math.IsInf(plain[0], 1) || !math.IsInf(wide[1], 1) {
			t.Errorf("scale, shift, mean, variance %v: bounds %v and %v", c, plain, wide)
		}
	}
}

// Weights that are not numbers leave no bound; cutting them comes to an end.
func TestWideWeightsNotFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32} {
		d := testDense(2, 1, false)
		d.Weight.Data[0], d.Weight.Data[1] = float32(v), 1
		net := mustNet(t, chain([]int{2}, d))
		y, bound := make([]float64, 1), make([]float64, 1)
		net.ForwardWide64(y, bound, []float64{0, 1}, nil)
		if !math.IsInf(bound[0], 1) && v != math.MaxFloat32 {
			t.Errorf("weight %v: bound %v", v, bound)
		}
		if v == math.MaxFloat32 {
			holds(t, "largest weight", y[0], bound[0], exact(1))
		}
	}
}

// TestDoubleWords holds the operations to their errors, and their results to be
// normalised: an addition that a compiler fuses with the product before it breaks both.
func TestDoubleWords(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	word := func() (h, l float64) {
		h = math.Ldexp(1+r.Float64(), r.IntN(9)-4)
		return h, h * 0x1p-53 * (r.Float64() - .5)
	}
	hold := func(what string, h, l, most float64, want *big.Float) {
		t.Helper()
		off := bigSub(bigSub(want, exact(h)), exact(l))
		if limit := most * math.Abs(h); off.Abs(off).Cmp(exact(limit)) > 0 || h+l != h {
			t.Fatalf("%s: %v + %v is off by %.3g, at most %v is allowed", what, h, l, off, limit)
		}
	}
	for range 3000 {
		ah, al := word()
		bh, bl := word()
		a, b, c := bigAdd(exact(ah), exact(al)), bigAdd(exact(bh), exact(bl)), exact(bh)
		h, l := twoProduct(ah, bh)
		hold("product", h, l, 0, bigMul(exact(ah), c))
		h, l = mulDouble(ah, al, bh, bl)
		hold("double times double", h, l, mulError, bigMul(a, b))
		h, l = mulFloat(ah, al, bh)
		hold("double times float", h, l, addError, bigMul(a, c))
		h, l = divFloat(ah, al, bh)
		hold("quotient", h, l, mulError, bigQuo(a, c))
		h, l = addDouble(ah, al, -bh, -bl)
		hold("difference", h, l, addError, bigSub(a, b))
		h, l = addFloat(ah, al, -bh)
		hold("double less float", h, l, addError, bigSub(a, c))
	}
}
