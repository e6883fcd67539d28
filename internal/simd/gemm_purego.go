//go:build purego || !amd64

package simd

// tiles computes n tiles below one another; see tilesGo.
func tiles[T Float](n, kc int, alpha T, a matrix[T], step int, b []T, bs int, beta T, c []T, cr int) {
	tilesGo(n, kc, alpha, a, step, b, bs, beta, c, cr)
}

// packFull stores w rows and kc columns of x, all there, in dst[p*w+r].
func packFull[T Float](dst []T, w, kc int, x matrix[T]) { packGo(dst, w, w, 0, kc, x) }
