package simd

// Rival takes candidates that are larger: where x[i] > best[i], best[i] becomes x[i]
// and at[i] becomes first + i·step.
func Rival(best, x []float32, at []int32, first, step int32) {
	sameLength(len(best), len(x), len(at))
	n := len(x)
	if !useAVX2 || n < 8 {
		rivalGo(best, x, at, first, step)
		return
	}
	rivalF32(&best[0], &x[0], &at[0], n/8, first, step)
	if n%8 != 0 { // the last eight overlap those before: what is taken twice is not larger the second time
		rivalF32(&best[n-8], &x[n-8], &at[n-8], 1, first+int32(n-8)*step, step)
	}
}

func rivalGo(best, x []float32, at []int32, first, step int32) {
	for i, v := range x {
		if v > best[i] {
			best[i], at[i] = v, first+int32(i)*step
		}
	}
}
