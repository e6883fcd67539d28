package guard_test

import (
	"fmt"

	"tattle/internal/guard"
)

// A mechanism releases integers: features on a lattice, with noise that nobody can repeat.
func Example() {
	m, err := guard.New(guard.Lattice{Delta: .25, Sigma: 1, Clip: 8, Dim: 2})
	if err != nil {
		panic(err)
	}
	released := make([]int64, 2)
	clipped, err := m.Release(released, []float32{.5, 100})
	fmt.Println(clipped, "of the features clipped:", err)
	m.Close()
	_, err = m.Release(released, []float32{.5, 1})
	fmt.Println(err == guard.ErrClosed)
	// Output:
	// 1 of the features clipped: <nil>
	// true
}
