// Package float16 rounds numbers to the two floating-point formats of 16 bits: IEEE 754
// binary16 and bfloat16.
package float16

import "math"

// Format is a binary floating-point format with subnormal numbers.
type Format struct {
	precision int     // bits of the significand, with the hidden one
	least     int     // exponent of the smallest normal number
	largest   float64 // finite number
}

// The formats: binary16 has 5 bits of exponent, bfloat16 the 8 of a float32.
var (
	Half     = Format{precision: 11, least: -14, largest: 65504}
	Brain    = Format{precision: 8, least: -126, largest: 0x1.FEp127}
	quietNaN = math.Float32frombits(0x7FC00000)
)

// Round returns the number of the format that is nearest to x, of two equally near ones
// the one whose last bit is 0. Half an ulp beyond the largest number and above is ±Inf.
// Zeros keep their sign, NaN is NaN.
func (f Format) Round(x float64) float64 {
	if x == 0 || x-x != 0 {
		return x
	}
	_, exponent := math.Frexp(x) // |x| in [2^(exponent−1), 2^exponent)
	ulp := max(exponent-1, f.least) - (f.precision - 1)
	y := math.Ldexp(math.RoundToEven(math.Ldexp(x, -ulp)), ulp)
	switch {
	case y > f.largest:
		return math.Inf(1)
	case y < -f.largest:
		return math.Inf(-1)
	}
	return y
}

// FromBits returns the value of a binary16.
func FromBits(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exponent {
	case 0: // zero and subnormals: fraction · 2⁻²⁴
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 31: // infinity and NaN
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// Bits returns the binary16 nearest to v, ties to even. A NaN keeps its sign.
func Bits(v float32) uint16 {
	sign := uint16(math.Float32bits(v)>>31) << 15
	switch r := math.Abs(Half.Round(float64(v))); {
	case math.IsNaN(r):
		return sign | 0x7E00
	case math.IsInf(r, 0):
		return sign | 0x7C00
	case r < 0x1p-14:
		return sign | uint16(r*0x1p24)
	default:
		return sign | uint16((math.Float32bits(float32(r))-112<<23)>>13)
	}
}

// FromBrainBits returns the value of a bfloat16, the upper half of a float32.
func FromBrainBits(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// BrainBits returns the bfloat16 nearest to v, ties to even. A NaN keeps its sign.
func BrainBits(v float32) uint16 {
	r := float32(Brain.Round(float64(v)))
	if r != r {
		r = float32(math.Copysign(float64(quietNaN), float64(math.Float32frombits(math.Float32bits(v)&(1<<31)))))
	}
	return uint16(math.Float32bits(r) >> 16)
}
