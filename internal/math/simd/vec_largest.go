package simd

// Rival takes candidates that are larger: where x[i] > best[i], best[i] becomes x[i]
// and at[i] becomes first + i·step.
func Rival(best, x []float32, at []int32, first, step int32) {
	sameLength(len(best), len(x), len(at))
	rival(best, x, at, first, step)
}

func rivalGo(best, x []float32, at []int32, first, step int32) {
	for i, v := range x {
		if v > best[i] {
			best[i], at[i] = v, first+int32(i)*step
		}
	}
}
