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
