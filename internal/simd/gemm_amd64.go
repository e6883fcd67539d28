//go:build !purego

package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// gemmAVX2 says that the processor, and the system, can run the kernels below.
var gemmAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// The kernels compute tiles of mr × nr elements below one another,
// C = alpha Σ_p A_p B_p + beta C with kc terms, where element (i, p) of A is
// a[i*rs+p*cs], row p of B begins at b[p*bs] and row i of C at c[i*cr]; the
// next tile's A is step further. They read and write whole tiles.

//go:noescape
func tileF32(tiles, kc int, a *float32, rs, cs, step int, b *float32, bs int, c *float32, cr int, alpha, beta float32)

//go:noescape
func tileF64(tiles, kc int, a *float64, rs, cs, step int, b *float64, bs int, c *float64, cr int, alpha, beta float64)

//go:noescape
func packRowsF32(dst *float32, w int, src *float32, ld, quads int)

//go:noescape
func packRowsF64(dst *float64, w int, src *float64, ld, quads int)

//go:noescape
func packLines(dst, src unsafe.Pointer, ld, lines int)

//go:noescape
func packSixF32(dst, src *float32, ld, lines int)

//go:noescape
func packSixF64(dst, src *float64, ld, lines int)

func at32[T Float](x []T) *float32 { return (*float32)(unsafe.Pointer(unsafe.SliceData(x))) }
func at64[T Float](x []T) *float64 { return (*float64)(unsafe.Pointer(unsafe.SliceData(x))) }

// tiles computes n tiles below one another; see the kernels.
func tiles[T Float](n, kc int, alpha T, a matrix[T], step int, b []T, bs int, beta T, c []T, cr int) {
	switch {
	case !gemmAVX2:
		tilesGo(n, kc, alpha, a, step, b, bs, beta, c, cr)
	case lanes[T]() == 16:
		tileF32(n, kc, at32(a.data), a.rs, a.cs, step, at32(b), bs, at32(c), cr, float32(alpha), float32(beta))
	default:
		tileF64(n, kc, at64(a.data), a.rs, a.cs, step, at64(b), bs, at64(c), cr, float64(alpha), float64(beta))
	}
}

// packFull stores w rows and kc columns of x, all there, in dst[p*w+r]; w is mr
// or nr.
func packFull[T Float](dst []T, w, kc int, x matrix[T]) {
	switch {
	case !gemmAVX2:
		packGo(dst, w, w, 0, kc, x)
	case x.rs != 1:
		quads := kc / 4
		for r := 0; quads > 0 && r < w; r = min(r+4, max(w-4, r+1)) {
			packRows(dst[r:], w, x.data[r*x.rs:], x.rs, quads)
			if r == w-4 {
				break
			}
		}
		packGo(dst, w, w, quads*4, kc, x)
	case w != mr:
		packLines(unsafe.Pointer(&dst[0]), unsafe.Pointer(&x.data[0]), x.cs*int(unsafe.Sizeof(dst[0])), kc)
	case lanes[T]() == 16:
		packSixF32(at32(dst), at32(x.data), x.cs, kc)
	default:
		packSixF64(at64(dst), at64(x.data), x.cs, kc)
	}
}

func packRows[T Float](dst []T, w int, src []T, ld, quads int) {
	if lanes[T]() == 16 {
		packRowsF32(at32(dst), w, at32(src), ld, quads)
	} else {
		packRowsF64(at64(dst), w, at64(src), ld, quads)
	}
}
