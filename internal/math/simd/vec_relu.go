package simd

// ReLU sets dst = max(x, 0). A NaN stays a NaN and −0 becomes 0.
func ReLU[T Float](dst, x []T) {
	sameLength(len(dst), len(x))
	relu(dst, x)
}

// ReLUMask sets dst = d where x > 0 and 0 elsewhere: the derivative of ReLU at x
// applied to d, on the way forward and on the way back.
func ReLUMask[T Float](dst, d, x []T) {
	sameLength(len(dst), len(d), len(x))
	reluMask(dst, d, x)
}

// LeakyReLU sets dst = x where x > 0 and slope·x elsewhere.
func LeakyReLU[T Float](dst, x []T, slope T) {
	sameLength(len(dst), len(x))
	leakyReLU(dst, x, slope)
}

// LeakyReLUMask sets dst = d where x > 0 and slope·d elsewhere: the derivative of
// LeakyReLU at x applied to d.
func LeakyReLUMask[T Float](dst, d, x []T, slope T) {
	sameLength(len(dst), len(d), len(x))
	leakyReLUMask(dst, d, x, slope)
}
