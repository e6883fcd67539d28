//go:build !purego

package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// gemmAVX2 says that the processor, and the system, can run the kernels below.
var gemmAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// Accelerated names the instructions that the package runs on: "avx2+fma" or
// "purego".
func Accelerated() string {
	if gemmAVX2 {
		return "avx2+fma"
	}
	return "purego"
}

// The kernels are tilesGo for whole tiles, but that cStep counts from the row
// below a tile.

//go:noescape
func tileF32(tiles, kc int, a *float32, rs, cs, aStep int, b *float32, bs, bStep int, c *float32, cr, cStep int, alpha, beta float32)

//go:noescape
func tileF64(tiles, kc int, a *float64, rs, cs, aStep int, b *float64, bs, bStep int, c *float64, cr, cStep int, alpha, beta float64)

//go:noescape
func packRowsF32(dst *float32, w int, src *float32, ld, quads int)

//go:noescape
func packRowsF64(dst *float64, w int, src *float64, ld, quads int)

//go:noescape
func packSixF32(dst *float32, step int, src *float32, ld, panels, kc int)

//go:noescape
func packSixF64(dst *float64, step int, src *float64, ld, panels, kc int)

//go:noescape
func packLines(dst unsafe.Pointer, step int, src unsafe.Pointer, ld, panels, kc int)

func at32[T Float](x []T) *float32 { return (*float32)(unsafe.Pointer(unsafe.SliceData(x))) }
func at64[T Float](x []T) *float64 { return (*float64)(unsafe.Pointer(unsafe.SliceData(x))) }

// tiles computes n tiles; see tilesGo.
func tiles[T Float](n, kc int, alpha T, a matrix[T], aStep int, b []T, bs, bStep int, beta T, c []T, cr, cStep int) {
	switch {
	case !gemmAVX2:
		tilesGo(n, kc, alpha, a, aStep, b, bs, bStep, beta, c, cr, cStep)
	case lanes[T]() == 16:
		tileF32(n, kc, at32(a.data), a.rs, a.cs, aStep, at32(b), bs, bStep, at32(c), cr, cStep-mr*cr, float32(alpha), float32(beta))
	default:
		tileF64(n, kc, at64(a.data), a.rs, a.cs, aStep, at64(b), bs, bStep, at64(c), cr, cStep-mr*cr, float64(alpha), float64(beta))
	}
}

// packWhole is packGo for panels that x fills; w is mr or nr.
func packWhole[T Float](dst []T, w, panels, kc int, x matrix[T]) {
	size := int(unsafe.Sizeof(x.data[0]))
	switch {
	case !gemmAVX2:
		packGo(dst, w, panels, 0, kc, x)
	case x.rs != 1:
		packRows(dst, w, panels, kc, x)
	case w != mr:
		packLines(unsafe.Pointer(&dst[0]), w*kc*size, unsafe.Pointer(&x.data[0]), x.cs*size, panels, kc)
	case size == 4:
		packSixF32(at32(dst), w*kc, at32(x.data), x.cs, panels, kc)
	default:
		packSixF64(at64(dst), w*kc, at64(x.data), x.cs, panels, kc)
	}
}

// packRows packs rows that lie across the panels, four by four; where w is no
// multiple of four the last four overlap those before.
func packRows[T Float](dst []T, w, panels, kc int, x matrix[T]) {
	quads := kc / 4
	for i := 0; i < panels && quads > 0; i++ {
		for r := 0; r < w; r += 4 {
			at := min(r, w-4)
			to, from := dst[i*w*kc+at:], x.data[(i*w+at)*x.rs:]
			if lanes[T]() == 16 {
				packRowsF32(at32(to), w, at32(from), x.rs, quads)
			} else {
				packRowsF64(at64(to), w, at64(from), x.rs, quads)
			}
		}
	}
	packGo(dst, w, panels, quads*4, kc, x)
}
