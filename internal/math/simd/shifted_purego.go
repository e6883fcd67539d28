//go:build purego || !amd64

package simd

// ShiftedTile returns zeros: GemmShifted cannot be called.
func ShiftedTile() (rows, columns int) { return 0, 0 }

// GemmShifted is not to be called here: see ShiftedTile.
func GemmShifted(c []float32, ldc int, a []float32, panels int, x []float32, s *Shifts, add bool) {
	panic("simd: no products of shifted rows")
}
