package infer

import "math"

// halfToFloat widens an IEEE 754 binary16: 1 bit of sign, 5 of exponent with bias 15,
// 10 of fraction.
func halfToFloat(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent, fraction := uint32(h>>10&0x1F), uint32(h&0x3FF)
	switch exponent {
	case 0: // ±fraction·2⁻²⁴, exactly
		v := float32(fraction) * 0x1p-24
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 0x1F: // infinity or NaN
		return math.Float32frombits(sign | 0x7F800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// floatToHalf rounds to the nearest binary16, ties to even; what is 65520 or more
// becomes infinite.
func floatToHalf(v float32) uint16 {
	u := math.Float32bits(v)
	sign, u := uint16(u>>31)<<15, u&0x7FFFFFFF
	switch {
	case u > 0x7F800000: // NaN
		return sign | 0x7E00
	case u >= 0x477FF000: // 65520
		return sign | 0x7C00
	case u < 0x38800000: // below 2⁻¹⁴: a multiple of 2⁻²⁴
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(u))*0x1p24))
	}
	u += 0xFFF + u>>13&1 // may carry into the exponent, as it should
	return sign | uint16((u-112<<23)>>13)
}
