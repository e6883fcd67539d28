package simd

// NormForward standardises x and scales and shifts each entry by its own numbers,
// dst = (x − mean)·invStd·scale + shift.
func NormForward[T Float](dst, x, scale, shift []T, mean, invStd T) {
	sameLength(len(dst), len(x), len(scale), len(shift))
	normForward(dst, x, scale, shift, mean, invStd)
}

// NormTangent sets dst = (p·d + q·x + r)·scale.
func NormTangent[T Float](dst, d, x, scale []T, p, q, r T) {
	sameLength(len(dst), len(d), len(x), len(scale))
	normTangent(dst, d, x, scale, p, q, r)
}

// NormSums returns Σ scale·d and Σ scale·d·x, summed in float64.
func NormSums[T Float](d, x, scale []T) (sum, dot float64) {
	sameLength(len(d), len(x), len(scale))
	return normSums(d, x, scale)
}

// NormCotangent sets dst = p·scale·d + q·x + r.
func NormCotangent[T Float](dst, d, x, scale []T, p, q, r T) {
	sameLength(len(dst), len(d), len(x), len(scale))
	normCotangent(dst, d, x, scale, p, q, r)
}

// NormGradient adds to the gradients of scale and shift of NormForward, given the
// cotangent d: scale += d·(x − mean)·invStd, shift += d.
func NormGradient[T Float](scale, shift, d, x []T, mean, invStd T) {
	sameLength(len(scale), len(shift), len(d), len(x))
	normGradient(scale, shift, d, x, mean, invStd)
}

func normForwardGo[T Float](dst, x, scale, shift []T, mean, invStd T) {
	for i, v := range x {
		dst[i] = (v-mean)*invStd*scale[i] + shift[i]
	}
}

func normTangentGo[T Float](dst, d, x, scale []T, p, q, r T) {
	for i, v := range x {
		dst[i] = (p*d[i] + q*v + r) * scale[i]
	}
}

func normSumsGo[T Float](d, x, scale []T) (sum, dot float64) {
	var s, q [2]float64
	for i, v := range x {
		g := float64(scale[i] * d[i])
		s[i%2] += g
		q[i%2] += g * float64(v)
	}
	return s[0] + s[1], q[0] + q[1]
}

func normCotangentGo[T Float](dst, d, x, scale []T, p, q, r T) {
	for i, v := range x {
		dst[i] = p*(scale[i]*d[i]) + (q*v + r)
	}
}

func normGradientGo[T Float](scale, shift, d, x []T, mean, invStd T) {
	for i, v := range x {
		scale[i] += d[i] * ((v - mean) * invStd)
		shift[i] += d[i]
	}
}
