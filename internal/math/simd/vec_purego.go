//go:build purego || !(amd64 || arm64)

package simd

func mul[T Float](dst, a, b []T)                         { mulGo(dst, a, b) }
func dot[T Float](x, y []T) T                            { return dotGo(x, y) }
func sum[T Float](x []T) T                               { return sumGo(x) }
func maxAbs[T Float](x []T) T                            { return maxAbsGo(x) }
func scaleShift[T Float](dst, x []T, a, b T)             { scaleShiftGo(dst, x, a, b) }
func combine[T Float](dst, x, y []T, a, b, c T)          { combineGo(dst, x, y, a, b, c) }
func rectify[T Float](dst, d, x []T, slope T)            { rectifyGo(dst, d, x, slope) }
func adamStep(w, g, m, v []float32, p *AdamCoefficients) { adamStepGo(w, g, m, v, p) }
