//go:build !purego && (amd64 || arm64)

package simd

func mul[T Float](dst, a, b []T) {
	switch {
	case !hasKernels():
		mulGo(dst, a, b)
	case is32[T]():
		mulF32(f32(dst), f32(a), f32(b), len(dst))
	default:
		mulF64(f64(dst), f64(a), f64(b), len(dst))
	}
}

func dot[T Float](x, y []T) T {
	switch {
	case !hasKernels():
		return dotGo(x, y)
	case is32[T]():
		return T(dotF32(f32(x), f32(y), len(x)))
	default:
		return T(dotF64(f64(x), f64(y), len(x)))
	}
}

func sum[T Float](x []T) T {
	switch {
	case !hasKernels():
		return sumGo(x)
	case is32[T]():
		return T(sumF32(f32(x), len(x)))
	default:
		return T(sumF64(f64(x), len(x)))
	}
}

func maxAbs[T Float](x []T) T {
	switch {
	case !hasKernels():
		return maxAbsGo(x)
	case is32[T]():
		return T(maxAbsF32(f32(x), len(x)))
	default:
		return T(maxAbsF64(f64(x), len(x)))
	}
}

func scaleShift[T Float](dst, x []T, a, b T) {
	switch {
	case !hasKernels():
		scaleShiftGo(dst, x, a, b)
	case is32[T]():
		scaleShiftF32(f32(dst), f32(x), len(dst), float32(a), float32(b))
	default:
		scaleShiftF64(f64(dst), f64(x), len(dst), float64(a), float64(b))
	}
}

func combine[T Float](dst, x, y []T, a, b, c T) {
	switch {
	case !hasKernels():
		combineGo(dst, x, y, a, b, c)
	case is32[T]():
		combineF32(f32(dst), f32(x), f32(y), len(dst), float32(a), float32(b), float32(c))
	default:
		combineF64(f64(dst), f64(x), f64(y), len(dst), float64(a), float64(b), float64(c))
	}
}

func rectify[T Float](dst, d, x []T, slope T) {
	switch {
	case !hasKernels():
		rectifyGo(dst, d, x, slope)
	case is32[T]():
		rectifyF32(f32(dst), f32(d), f32(x), len(dst), float32(slope))
	default:
		rectifyF64(f64(dst), f64(d), f64(x), len(dst), float64(slope))
	}
}

func adamStep(w, g, m, v []float32, p *AdamCoefficients) {
	if !hasKernels() {
		adamStepGo(w, g, m, v, p)
		return
	}
	adamF32(f32(w), f32(g), f32(m), f32(v), len(w), p)
}
