//go:build purego || !amd64

package simd

// HasWinograd reports whether the Winograd functions can be called.
func HasWinograd() bool { return false }

// WinogradRows is not to be called here: see HasWinograd.
func WinogradRows() int { panic("simd: no Winograd transforms") }

// WinogradFew returns 0: see HasWinograd.
func WinogradFew() int { return 0 }

// WinogradExpand is not to be called here: see HasWinograd.
func WinogradExpand(u []float32, step int, g []float32, k int) {
	panic("simd: no Winograd transforms")
}

// WinogradMultiplyFew is not to be called here: see HasWinograd.
func WinogradMultiplyFew(c []float32, cStep int, a []float32, aStep int, b []float32, bStep, k int, add bool) {
	panic("simd: no Winograd transforms")
}

// WinogradIn is not to be called here: see HasWinograd.
func WinogradIn(dst []float32, step int, plane []float32, offsets *[WinogradColumns]int, stride int, room *WinogradRoom) {
	panic("simd: no Winograd transforms")
}

// WinogradOut is not to be called here: see HasWinograd.
func WinogradOut(plane []float32, offsets *[WinogradColumns]int, stride int, src []float32, step int, room *WinogradRoom) {
	panic("simd: no Winograd transforms")
}

// WinogradMultiply is not to be called here: see HasWinograd.
func WinogradMultiply(c, a, b []float32, rows, k int) {
	panic("simd: no Winograd transforms")
}
