package simd_test

import (
	"fmt"

	"tattle/internal/simd"
)

func Example() {
	a := []float64{1, 2, 3, 4} // rows [1 2] and [3 4]
	c := make([]float64, 4)
	simd.Gemm(false, true, 2, 2, 2, 1, a, 2, a, 2, 0, c, 2) // c = a·aᵀ
	fmt.Println(c)
	// Output: [5 11 11 25]
}
