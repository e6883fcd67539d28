package release

import "tattle/internal/engine/nn"

// OneHot overwrites each row of x, [·, n], with 1 where it is largest and 0 elsewhere. This is the release of a label alone. It uses nothing else of the input, so a bound on the features with noise still holds (post-processing).
func OneHot(x []float32, n int) {
	for i := 0; i < len(x); i += n {
		row := x[i : i+n]
		best := nn.Largest(row)
		clear(row)
		row[best] = 1
	}
}
