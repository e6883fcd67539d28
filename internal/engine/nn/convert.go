package nn

// Float64s returns numbers in float64.
func Float64s[T Float](x []T) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// Float32s returns numbers rounded to float32.
func Float32s(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// Finite reports whether none of the numbers is infinite or NaN.
func Finite[T Float](x []T) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}
