//go:build !purego && (amd64 || arm64)

package simd

//go:noescape
func mulF32(dst, a, b *float32, n int)

//go:noescape
func dotF32(x, y *float32, n int) float32

//go:noescape
func sumF32(x *float32, n int) float32

//go:noescape
func maxAbsF32(x *float32, n int) float32

//go:noescape
func scaleShiftF32(dst, x *float32, n int, a, b float32)

//go:noescape
func combineF32(dst, x, y *float32, n int, a, b, c float32)

//go:noescape
func rectifyF32(dst, d, x *float32, n int, slope float32)

//go:noescape
func mulF64(dst, a, b *float64, n int)

//go:noescape
func dotF64(x, y *float64, n int) float64

//go:noescape
func sumF64(x *float64, n int) float64

//go:noescape
func maxAbsF64(x *float64, n int) float64

//go:noescape
func scaleShiftF64(dst, x *float64, n int, a, b float64)

//go:noescape
func combineF64(dst, x, y *float64, n int, a, b, c float64)

//go:noescape
func rectifyF64(dst, d, x *float64, n int, slope float64)

//go:noescape
func adamF32(w, grad, m, v *float32, n int, p *AdamCoefficients)

//go:noescape
func correlateF32(dst *float32, dstStep int, src *float32, srcStep int, offsets *int, w *float32, taps, block, blocks int, bias *float32)

//go:noescape
func correlateF64(dst *float64, dstStep int, src *float64, srcStep int, offsets *int, w *float64, taps, block, blocks int, bias *float64)
