//go:build purego || !(amd64 || arm64)

package simd

func axpy[T Float](alpha T, x, y []T)                    { axpyGo(alpha, x, y) }
func scale[T Float](alpha T, x []T)                      { scaleGo(alpha, x) }
func add[T Float](dst, a, b []T)                         { addGo(dst, a, b) }
func mul[T Float](dst, a, b []T)                         { mulGo(dst, a, b) }
func dot[T Float](x, y []T) T                            { return dotGo(x, y) }
func sum[T Float](x []T) T                               { return sumGo(x) }
func maxAbs[T Float](x []T) T                            { return maxAbsGo(x) }
func scaleShift[T Float](dst, x []T, a, b T)             { scaleShiftGo(dst, x, a, b) }
func combine[T Float](dst, x, y []T, a, b, c T)          { combineGo(dst, x, y, a, b, c) }
func relu[T Float](dst, x []T)                           { reluGo(dst, x) }
func reluMask[T Float](dst, d, x []T)                    { reluMaskGo(dst, d, x) }
func leakyReLU[T Float](dst, x []T, slope T)             { leakyReLUGo(dst, x, slope) }
func leakyReLUMask[T Float](dst, d, x []T, slope T)      { leakyReLUMaskGo(dst, d, x, slope) }
func adamStep(w, g, m, v []float32, p *AdamCoefficients) { adamStepGo(w, g, m, v, p) }
