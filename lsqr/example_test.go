package lsqr_test

import (
	"fmt"

	"tattle/lsqr"
)

// diagonal is the matrix diag(1, 2) for each system.
type diagonal struct{}

func (diagonal) Dims() (rows, cols int) { return 2, 2 }

func (diagonal) Mul(dst, v []float64) {
	for i, x := range v {
		dst[i] = float64(1+i%2) * x
	}
}

func (d diagonal) MulTrans(dst, u []float64) { d.Mul(dst, u) }

func Example() {
	r := lsqr.Solve(diagonal{}, []float64{1, 4, 3, 2}, 2, lsqr.Options{})
	fmt.Printf("%.3f, %v\n", r.X, r.Stats[0].Status.Solved())
	// Output: [1.000 2.000 3.000 1.000], true
}
