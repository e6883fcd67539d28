package simd

func reluGo[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = positive(v)
	}
}

func reluMaskGo[T Float](dst, d, x []T) {
	d, x = d[:len(dst)], x[:len(dst)]
	for i, v := range x {
		if v > 0 {
			dst[i] = d[i]
		} else {
			dst[i] = 0
		}
	}
}

// For x > 0 the shift is max(d, −x), for x ≤ 0 it is max(x+d, 0).
func reluShiftGo[T Float](dst, d, x []T) {
	d, x = d[:len(dst)], x[:len(dst)]
	for i, v := range x {
		s := d[i]
		switch {
		case !(v > 0):
			s = positive(v + s)
		case s <= -v:
			s = -v
		}
		dst[i] = s
	}
}

func leakyReLUGo[T Float](dst, x []T, slope T) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = leaky(v, slope)
	}
}

func leakyReLUMaskGo[T Float](dst, d, x []T, slope T) {
	d, x = d[:len(dst)], x[:len(dst)]
	for i, v := range x {
		if v > 0 {
			dst[i] = d[i]
		} else {
			dst[i] = slope * d[i]
		}
	}
}

// The two values lie on one line where before and after agree. Where they do not,
// the difference is of numbers of opposite signs. The second test is written so
// that a NaN gives a NaN.
func leakyReLUShiftGo[T Float](dst, d, x []T, slope T) {
	d, x = d[:len(dst)], x[:len(dst)]
	for i, v := range x {
		s := d[i]
		before, after := v > 0, !(s <= -v)
		switch {
		case before && after:
		case !before && !after:
			s *= slope
		case after:
			s = v + s - slope*v
		default:
			s = slope*(v+s) - v
		}
		dst[i] = s
	}
}

func positive[T Float](x T) T {
	if x <= 0 {
		return 0
	}
	return x
}

func leaky[T Float](x, slope T) T {
	if x > 0 {
		return x
	}
	return slope * x
}
