package qp_test

import (
	"context"
	"fmt"

	"tattle/internal/math/qp"
)

// The point of the line x + y = 2 that is nearest to the origin, with x at most ½.
func Example() {
	p := &qp.Problem{
		D: []float64{1, 1}, Q: []float64{0, 0},
		Rows: []float64{1, 1}, Right: []float64{2}, Equal: 1,
		Low: []float64{0, 0}, High: []float64{.5, 10},
	}
	var s qp.Solver
	r, err := s.Solve(context.Background(), p, qp.Options{})
	fmt.Printf("%.4f %v %v\n", r.X, r.Status, err)
	// Output: [0.5000 1.5000] solved <nil>
}
