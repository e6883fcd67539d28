//go:build !purego

package simd

//go:noescape
func rivalF32(best, x *float32, at *int32, blocks int, first, step int32)

// eightFirst are the numbers of eight lanes.
//
//lint:ignore U1000 the assembly reads it
var eightFirst = [8]int32{0, 1, 2, 3, 4, 5, 6, 7}

// rival takes blocks of eight; the last overlaps the one before, for what is taken twice
// is not larger the second time.
func rival(best, x []float32, at []int32, first, step int32) {
	n := len(x)
	if !useAVX2 || n < 8 {
		rivalGo(best, x, at, first, step)
		return
	}
	rivalF32(&best[0], &x[0], &at[0], n/8, first, step)
	if n%8 != 0 {
		rivalF32(&best[n-8], &x[n-8], &at[n-8], 1, first+int32(n-8)*step, step)
	}
}
