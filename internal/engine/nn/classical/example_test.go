package classical_test

import (
	"fmt"

	"tattle/internal/engine/nn/classical"
)

// Categories become a row with a 1, and what is none a row of zeros.
func Example() {
	codes := classical.OneHot([]float64{10, 20, 30}, false)
	row := make([]float64, 3)
	for _, v := range []float64{20, 40} {
		codes.Row(row, []float64{v})
		fmt.Println(row)
	}
	// Output:
	// [0 1 0]
	// [0 0 0]
}
