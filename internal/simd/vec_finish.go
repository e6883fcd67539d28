package simd

// Finish sets dst = f(src + bias + add), where f(v) is v where sign > 0, or v > 0 for
// an empty sign, and slope·v elsewhere: what follows a sum in a net, or its
// derivative. An empty add is zero. A NaN stays one, and a slope of 0 gives 0.
func Finish[T Float](dst, src, add, sign []T, bias, slope T) {
	sameLength(len(dst), len(src))
	if len(add) > 0 {
		sameLength(len(dst), len(add))
	}
	if len(sign) > 0 {
		sameLength(len(dst), len(sign))
	}
	finishSums(dst, src, add, sign, bias, slope)
}

func finishGo[T Float](dst, src, add, sign []T, bias, slope T) {
	for i, v := range src {
		v += bias
		if len(add) > 0 {
			v += add[i]
		}
		s := v
		if len(sign) > 0 {
			s = sign[i]
		}
		if s <= 0 {
			if v *= slope; slope == 0 {
				v = 0
			}
		}
		dst[i] = v
	}
}
