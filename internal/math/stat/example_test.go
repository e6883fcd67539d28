package stat_test

import (
	"fmt"

	"tattle/internal/math/stat"
)

// Example gives the exact 95 % confidence interval of an accuracy of 90 out of 100.
func Example() {
	in := stat.ClopperPearson(90, 100, .95)
	fmt.Printf("%.3f to %.3f\n", in.Low, in.High)
	// Output: 0.824 to 0.951
}
