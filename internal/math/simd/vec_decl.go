//go:build !purego && (amd64 || arm64)

package simd

//go:noescape
func axpyF32(y, x *float32, n int, alpha float32)

//go:noescape
func scaleF32(x *float32, n int, alpha float32)

//go:noescape
func addF32(dst, a, b *float32, n int)

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
func reluF32(dst, x *float32, n int)

//go:noescape
func reluMaskF32(dst, d, x *float32, n int)

//go:noescape
func leakyReLUF32(dst, x *float32, n int, slope float32)

//go:noescape
func leakyReLUMaskF32(dst, d, x *float32, n int, slope float32)

//go:noescape
func axpyF64(y, x *float64, n int, alpha float64)

//go:noescape
func scaleF64(x *float64, n int, alpha float64)

//go:noescape
func addF64(dst, a, b *float64, n int)

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
func reluF64(dst, x *float64, n int)

//go:noescape
func reluMaskF64(dst, d, x *float64, n int)

//go:noescape
func leakyReLUF64(dst, x *float64, n int, slope float64)

//go:noescape
func leakyReLUMaskF64(dst, d, x *float64, n int, slope float64)

//go:noescape
func adamF32(w, grad, m, v *float32, n int, p *AdamCoefficients)
