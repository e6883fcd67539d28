//go:build purego || !amd64

package simd

// Accelerated names the instructions that the package runs on: "avx2+fma" or
// "purego".
func Accelerated() string { return "purego" }

// tiles computes n tiles; see tilesGo.
func tiles[T Float](n, kc int, alpha T, a matrix[T], aStep int, b []T, bs, bStep int, beta T, c []T, cr, cStep int) {
	tilesGo(n, kc, alpha, a, aStep, b, bs, bStep, beta, c, cr, cStep)
}

// packWhole is packGo for panels that x fills.
func packWhole[T Float](dst []T, w, panels, kc int, x matrix[T]) {
	packGo(dst, w, panels, 0, kc, x)
}
