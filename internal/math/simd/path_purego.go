//go:build purego || !(amd64 || arm64)

package simd

// Accelerated names the arithmetic that the package runs on: "avx2+fma" or "purego".
func Accelerated() string { return "purego" }

// hasKernels reports whether products and vector loops run in assembly.
func hasKernels() bool { return false }

// lanes returns nr, the number of columns of a tile.
func lanes[T Float]() int { return narrow[T]() }

func tiles[T Float](n, nr, kc int, alpha T, a matrix[T], aStep int, b []T, bs, bStep int, beta T, c []T, cr, cStep int) {
	tilesGo(n, nr, kc, alpha, a, aStep, b, bs, bStep, beta, c, cr, cStep)
}

func packAlong[T Float](dst []T, w, panels, kc int, x matrix[T]) { packAlongGo(dst, w, panels, kc, x) }

func packQuads[T Float](dst []T, w int, src []T, ld, quads int) { packQuadsGo(dst, w, src, ld, quads) }

func mulF32(_, _, _ *float32, _ int)                          { panic(none) }
func dotF32(_, _ *float32, _ int) float32                     { panic(none) }
func sumF32(_ *float32, _ int) float32                        { panic(none) }
func maxAbsF32(_ *float32, _ int) float32                     { panic(none) }
func scaleShiftF32(_, _ *float32, _ int, _, _ float32)        { panic(none) }
func combineF32(_, _, _ *float32, _ int, _, _, _ float32)     { panic(none) }
func rectifyF32(_, _, _ *float32, _ int, _ float32)           { panic(none) }
func mulF64(_, _, _ *float64, _ int)                          { panic(none) }
func dotF64(_, _ *float64, _ int) float64                     { panic(none) }
func sumF64(_ *float64, _ int) float64                        { panic(none) }
func maxAbsF64(_ *float64, _ int) float64                     { panic(none) }
func scaleShiftF64(_, _ *float64, _ int, _, _ float64)        { panic(none) }
func combineF64(_, _, _ *float64, _ int, _, _, _ float64)     { panic(none) }
func rectifyF64(_, _, _ *float64, _ int, _ float64)           { panic(none) }
func adamF32(_, _, _, _ *float32, _ int, _ *AdamCoefficients) { panic(none) }
func correlateF32(_ *float32, _ int, _ *float32, _ int, _ *int, _ *float32, _, _, _ int, _ *float32) {
	panic(none)
}
func correlateF64(_ *float64, _ int, _ *float64, _ int, _ *int, _ *float64, _, _, _ int, _ *float64) {
	panic(none)
}

func tileF32(_, _ int, _ *float32, _, _, _ int, _ *float32, _, _ int, _ *float32, _, _ int, _, _ float32) {
	panic(none)
}
