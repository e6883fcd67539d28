package simd

// Finish sets rows of n entries to f(src + bias + add), where f(v) is v where sign > 0, or v > 0
// for an empty sign, and slope·v elsewhere: what follows a sum in a net, or its
// derivative. An empty add is zero. Rows have a bias each, all the same one, or none. A NaN stays one, and a slope of
// 0 gives 0. Rows of dst, add and sign are dstStride apart, those of src srcStride.
func Finish[T Float](dst, src, add, sign []T, rows, n, dstStride, srcStride int, bias []T, slope T) {
	if !checkRows(len(dst), rows, n, dstStride) || !checkRows(len(src), rows, n, srcStride) {
		return
	}
	for _, x := range []*[]T{&add, &sign} {
		if len(*x) == 0 {
			*x = nil
		} else {
			checkRows(len(*x), rows, n, dstStride)
		}
	}
	biasStep := 0
	switch len(bias) {
	case 0:
		bias = make([]T, 1)
	case 1:
	default:
		sameLength(rows, len(bias))
		biasStep = 1
	}
	if biasStep == 0 && dstStride == n && srcStride == n {
		rows, n = 1, rows*n
	}
	switch {
	case !useAVX2:
		finishRowsGo(dst, src, add, sign, rows, n, dstStride, srcStride, bias, biasStep, slope)
	case is32[T]():
		finishF32(f32(dst), f32(src), f32(add), f32(sign), rows, n, dstStride, srcStride, f32(bias), biasStep, float32(slope))
	default:
		finishF64(f64(dst), f64(src), f64(add), f64(sign), rows, n, dstStride, srcStride, f64(bias), biasStep, float64(slope))
	}
}

func finishRowsGo[T Float](dst, src, add, sign []T, rows, n, dstStride, srcStride int, bias []T, biasStep int, slope T) {
	of := func(x []T, at int) []T {
		if len(x) == 0 {
			return nil
		}
		return x[at:][:n]
	}
	for r := range rows {
		at := r * dstStride
		finishGo(dst[at:][:n], src[r*srcStride:][:n], of(add, at), of(sign, at), bias[r*biasStep], slope)
	}
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
			v = sloped(v, slope)
		}
		dst[i] = v
	}
}
