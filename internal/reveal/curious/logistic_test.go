package curious

import (
	"math"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
)

// TestFitLogistic compares a fit with a closed form, and wants a gradient of zero.
func TestFitLogistic(t *testing.T) {
	// One input of ±1, 30 of 40 of whose classes follow it: with a small ridge w = log 3.
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
	must.Fail(t, must.Err(fitLogistic(t.Context(), set, Beta{Y: 1}, 0))) // no attribute
	set.Sensitive = []dataset.Attribute{{Name: "s", Values: []string{"0", "1"}, Labels: s}}
	theta, err := fitLogistic(t.Context(), set, Beta{Y: 1}, 1e-9)
	if err != nil || math.Abs(theta[0]-math.Log(3)) > 1e-4 || math.Abs(theta[1]) > 1e-4 {
		t.Errorf("%v, %v; want w = log 3 and b = 0", theta, err)
	}
	for _, b := range []Beta{{Y: .6, S: .4}, {S: 1}} {
		p := Plane(400, 1).Train
		theta := must.Get(fitLogistic(t.Context(), p, b, 0))(t)
		grad := [3]float64{defaultRidge * theta[0], defaultRidge * theta[1]}
		for i, y := range p.Y {
			x := p.Values[2*i:][:2]
			u, v := float64(x[0]), float64(x[1])
			off := 1/(1+math.Exp(-theta[0]*u-theta[1]*v-theta[2])) - b.Y*float64(y) - b.S*float64(p.Sensitive[0].Labels[i])
			grad[0], grad[1], grad[2] = grad[0]+off*u, grad[1]+off*v, grad[2]+off
		}
		for _, g := range grad {
			if math.Abs(g)/float64(p.Len()) > 3e-5 {
				t.Errorf("β %v: gradient %v of %d examples", b, grad, p.Len())
			}
		}
	}
}

// TestFitLogisticScales: only the ratio of the multipliers counts, and multipliers
// without a minimum are refused.
func TestFitLogisticScales(t *testing.T) {
	p := Plane(400, 1).Train
	one := must.Get(fitLogistic(t.Context(), p, Beta{Y: .6, S: .4}, 0))(t)
	two := must.Get(fitLogistic(t.Context(), p, Beta{Y: 1.2, S: .8}, 0))(t)
	for i, w := range one {
		if math.Abs(w-two[i]) > 1e-9 {
			t.Errorf("Θ = %v, and %v with twice the multipliers", one, two)
		}
	}
	for _, b := range []Beta{{X: -1, Y: 1}, {Y: math.Inf(1)}, {}, {X: math.NaN(), Y: 1}, {X: .3, Y: .6, S: .4}} {
		if m, err := fitLogistic(t.Context(), p, b, 0); err == nil {
			t.Errorf("β %v is fitted: %v", b, m)
		}
	}
}
