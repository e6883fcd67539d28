package nn

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"tattle/internal/math/float16"
)

var narrowedFunctions = map[string]func(uint16) float32{"Float16": float16.FromBits, "BFloat16": float16.FromBrainBits}

// bigNearest returns the finite number of 16 bits nearest to x, the even one of two, by
// trying those around a guess.
func bigNearest(from func(uint16) float32, x *big.Float) float64 {
	lo, hi := uint16(0), uint16(0x7FFF)
	negative := x.Sign() < 0
	magnitude := new(big.Float).SetPrec(2200).Abs(x)
	for lo+1 < hi { // the last whose value is not above x, of the finite ones
		mid := lo + (hi-lo)/2
		if v := float64(from(mid)); v <= math.MaxFloat64 && magnitude.Cmp(exact(v)) >= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	best := lo
	if v := float64(from(lo + 1)); v <= math.MaxFloat64 {
		low := new(big.Float).SetPrec(2200).Sub(magnitude, exact(float64(from(lo))))
		high := new(big.Float).SetPrec(2200).Sub(exact(v), magnitude)
		if c := high.Cmp(low); c < 0 || c == 0 && lo&1 == 1 {
			best = lo + 1
		}
	}
	y := float64(from(best))
	if negative {
		y = -y
	}
	return y
}

// nearJumps returns numbers near halfway marks, and changes that do or do not cross one,
// down to changes that a float64 of that size does not show.
func nearJumps(r *rand.Rand, from func(uint16) float32, n int) (x, d []float64) {
	for len(x) < n {
		h := uint16(r.IntN(0x7000))
		if float64(from(h))-float64(from(h)) != 0 {
			continue
		}
		low, high := float64(from(h)), float64(from(h+1))
		mark := (low + high) / 2
		v := mark + (high-low)*[]float64{0, 0x1p-30, -0x1p-40, .3, -.3}[r.IntN(5)]
		by := (mark - v) + (high-low)*[]float64{0, 0x1p-60, -0x1p-60, 0x1p-20, -0x1p-20, 3.2}[r.IntN(6)]
		s := 1 - 2*float64(r.IntN(2))
		x, d = append(x, s*v), append(d, s*by)
	}
	return x, d
}

// The bound holds for whatever lies within the error of the input, on both sides of a
// jump, in float64 and in double words; where there is no jump it is 0.
func TestNarrowedRoundoff(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 2))
	for name, from := range narrowedFunctions {
		op := &Unary{Function: name}
		x, d := nearJumps(r, from, 4000)
		e := make([]float64, len(x))
		for i, v := range d {
			e[i] = math.Abs(v) * float64(r.IntN(3)) / 2
		}
		y, ey := roundoffOf(op, [][]int{{len(x)}}, [][]float64{x}, [][]float64{e}, 1, len(x))
		w := wideTensor{hi: make([]float64, len(x)), e: make([]float64, len(x))}
		mustNet(t, chain([]int{len(x)}, op)).ForwardWide64(w.hi, w.e, x, e)
		exactly, jumps := 0, 0
		for i, v := range x {
			for _, side := range []float64{-1, 0, 1} {
				at := new(big.Float).SetPrec(2200).Add(exact(v), exact(side*e[i]))
				want := bigNearest(from, at)
				if !(math.Abs(y[i]-want) <= ey[i]) || !(math.Abs(w.hi[i]-want) <= w.e[i]) {
					t.Fatalf("%s: %v ± %v gives %v ± %v (in pairs %v ± %v), but also %v", name, v, e[i], y[i], ey[i], w.hi[i], w.e[i], want)
				}
			}
			if ey[i] == 0 {
				exactly++
			} else {
				jumps++
			}
		}
		if exactly < 500 || jumps < 500 {
			t.Errorf("%s: %d of %d bounds are 0", name, exactly, len(x))
		}
	}
}
