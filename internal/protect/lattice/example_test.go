package lattice_test

import (
	"fmt"

	"tattle/internal/protect/lattice"
)

// Features become lattice points, and integers become features again.
func Example() {
	l := lattice.Lattice{Delta: .25, Sigma: 1, Clip: 2, Dim: 3}
	points, values := make([]int64, 3), make([]float32, 3)
	clipped, err := l.Round(points, []float32{.3, -1, 9})
	if err != nil {
		panic(err)
	}
	l.Values(values, points)
	fmt.Println(points, clipped, "clipped")
	fmt.Println(values)
	// Output:
	// [1 -4 8] 1 clipped
	// [0.25 -1 2]
}
