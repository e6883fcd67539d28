package curious

import (
	"tattle/internal/data/dataset"
	"tattle/internal/run"
)

// DefaultPlane is the number of training samples of the plane: with the default ridge they
// make the classifiers so steep that the normal mixture has the accuracies that B
// figure 4 prints. The paper names neither number.
const DefaultPlane = 20000

// Streams of run.Rand for the parts of the plane.
const (
	planeTrain = iota
	planeValidation
	planeTest
)

// Plane draws the distribution of B figure 2: x uniform on the square [−1, 1]², y = 1
// where x₁ > 0 and s = 1 where x₂ > 0. n rounded up to a multiple of 4 is the number
// of training and of test samples, 0 meaning DefaultPlane; there are a tenth as many for
// validation. The four quadrants are exactly equally frequent in each part, so that
// y and s are independent there, too.
func Plane(n int, seed uint64) *dataset.Parts {
	if n <= 0 {
		n = DefaultPlane
	}
	return &dataset.Parts{
		Train:      planePart(n, seed, planeTrain),
		Validation: planePart((n+9)/10, seed, planeValidation),
		Test:       planePart(n, seed, planeTest),
	}
}

// planePart draws one part; sample i lies in quadrant i mod 4.
func planePart(n int, seed uint64, stream int) *dataset.Set {
	n = (n + 3) / 4 * 4
	r := run.Rand(seed, 0, stream)
	y, s, x := make([]int, n), make([]int, n), make([]float32, 2*n)
	for i := range n {
		y[i], s[i] = i&1, i>>1&1
		x[2*i], x[2*i+1] = beside(r.Float64(), y[i]), beside(r.Float64(), s[i])
	}
	set := &dataset.Set{
		Name: "plane", Shape: []int{2}, Values: x,
		Y: y, YName: "x1", YNames: []string{"x1 < 0", "x1 > 0"},
		Sensitive: []dataset.Attribute{{Name: "x2", Values: []string{"x2 < 0", "x2 > 0"}, Labels: s}},
	}
	set.SHA256 = set.Sum()
	return set
}

// beside maps u in [0, 1) to the side of the origin that the class says, never onto
// it.
func beside(u float64, class int) float32 {
	x := max(float32(1-u), 0x1p-24)
	if class == 0 {
		return -x
	}
	return x
}
