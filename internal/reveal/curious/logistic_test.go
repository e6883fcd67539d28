package curious

import (
	"math"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
)

// TestLogistic compares a fit with a closed form, and the gradient and the Hessian with differences.
func TestLogistic(t *testing.T) {
	// One input of ±1, 30 of 40 of whose classes follow it: w = log 3.
	set := &dataset.Set{Name: "coin", Shape: []int{1}, YName: "y", YNames: []string{"0", "1"}}
	s := make([]int, 80)
	for i := range 80 {
		set.Values = append(set.Values, float32(2*(i%2)-1))
		y := i % 2
		if i < 20 {
			y = 1 - y
		}
		set.Y, s[i] = append(set.Y, y), i/40
	}
	must.Fail(t, must.Err(newLogisticLoss(set)), "of two classes each") // no attribute
	set.Sensitive = []dataset.Attribute{{Name: "s", Values: []string{"0", "1"}, Labels: s}}
	l := must.Get(newLogisticLoss(set))(t)
	if p := must.Get(l.minimum(0))(t); math.Abs(p.theta[0]-math.Log(3)) > 1e-12 || math.Abs(p.theta[1]) > 1e-12 {
		t.Errorf("%v; want w = log 3 and b = 0", p.theta)
	}
	l, theta := must.Get(newRidgedLoss(Plane(400, 1).Train))(t), []float64{.3, -.2, .1}
	const bs, h = .4, 1e-5
	p := l.at(theta)
	gradient, hessian := l.gradient(p, bs), l.hessian(p.slope)
	for j := range theta {
		beside := func(h float64) *logisticPoint {
			x := append([]float64{}, theta...)
			x[j] += h
			return l.at(x)
		}
		above, below := beside(h), beside(-h)
		if got := ((1-bs)*(above.ly-below.ly) + bs*(above.ls-below.ls)) / (2 * h); math.Abs(got-gradient[j]) > 1e-9 {
			t.Errorf("derivative %d: %v, want %v", j, gradient[j], got)
		}
		up, down := l.gradient(above, bs), l.gradient(below, bs)
		for k := range j + 1 {
			if got := (up[k] - down[k]) / (2 * h); math.Abs(got-hessian[j*l.d+k]) > 1e-9 {
				t.Errorf("second derivative %d, %d: %v, want %v", j, k, hessian[j*l.d+k], got)
			}
		}
	}
}
