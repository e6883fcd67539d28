package dct_test

import (
	"fmt"

	"tattle/dct"
)

func Example() {
	p := dct.NewPlan(2, 2)
	image := []float64{1, 1, 1, 1}
	p.Forward(image, image) // all of a constant image is in the first mode
	fmt.Printf("%.3f\n", image)
	p.Inverse(image, image)
	fmt.Printf("%.3f\n", image)
	// Output:
	// [2.000 0.000 0.000 0.000]
	// [1.000 1.000 1.000 1.000]
}
