package curious

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
)

// TestLogisticLoss compares the gradient with differences of the loss, and the Hessian
// with differences of the gradient.
func TestLogisticLoss(t *testing.T) {
	const h = 1e-5
	theta := []float64{.3, -.2, .1, .4}
	r := rand.New(rand.NewPCG(3, 3))
	l := &logisticLoss{d: 3, ridge: .7, x: normals(4, 3*40)}
	for range 40 {
		l.z = append(l.z, r.Float64())
	}
	_, grad, hessian := l.value(theta)
	for j := range theta {
		moved := append([]float64(nil), theta...)
		moved[j] += h
		above, up, _ := l.value(moved)
		moved[j] -= 2 * h
		below, down, _ := l.value(moved)
		if want := (above - below) / (2 * h); math.Abs(grad[j]-want) > 1e-7*(1+math.Abs(want)) {
			t.Errorf("gradient %v, differences %v", grad[j], want)
		}
		for k := range theta {
			if want := (up[k] - down[k]) / (2 * h); math.Abs(hessian.At(j, k)-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("Hessian %v, differences %v", hessian.At(j, k), want)
			}
		}
	}
	one := logisticLoss{x: []float32{5}, z: []float64{.3}, d: 1}
	if got, _, _ := one.value([]float64{0, 0}); math.Abs(got-math.Ln2) > 1e-14 { // σ(0) = 1/2
		t.Errorf("the loss at 0 is %v, want log 2", got)
	}
}

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
	set.Sensitive = []dataset.Attribute{{Name: "s", Values: []string{"0", "1"}, Labels: s}}
	m, err := fitLogistic(set, 0, Beta{Y: 1}, 1e-9)
	if err != nil || math.Abs(m.Theta[0]-math.Log(3)) > 1e-8 || math.Abs(m.Theta[1]) > 1e-8 {
		t.Errorf("%+v, %v; want w = log 3 and b = 0", m, err)
	}
	for _, b := range []Beta{{Y: .6, S: .4}, {S: 1}} {
		m := must.Get(fitLogistic(Plane(400, 1).Train, 0, b, 0))(t)
		p := Plane(400, 1).Train
		l := &logisticLoss{x: p.Values, d: 2, ridge: defaultRidge}
		for i, y := range p.Y {
			l.z = append(l.z, b.Y*float64(y)+b.S*float64(p.Sensitive[0].Labels[i]))
		}
		_, grad, _ := l.value(m.Theta)
		if math.Hypot(grad[0], grad[1])+math.Abs(grad[2]) > 1e-6 {
			t.Errorf("β %v: gradient %v after %d steps", b, grad, m.Steps)
		}
	}
	must.Fail(t, must.Err(fitLogistic(set, 1, Beta{Y: 1}, 0))) // an attribute that is not there
}

// TestFitLogisticScales: only the ratio of the multipliers counts, and multipliers
// without a minimum are refused.
func TestFitLogisticScales(t *testing.T) {
	p := Plane(400, 1).Train
	one := must.Get(fitLogistic(p, 0, Beta{Y: .6, S: .4}, 0))(t)
	two := must.Get(fitLogistic(p, 0, Beta{Y: 1.2, S: .8}, 0))(t)
	for i, w := range one.Theta {
		if math.Abs(w-two.Theta[i]) > 1e-9 {
			t.Errorf("Θ = %v, and %v with twice the multipliers", one.Theta, two.Theta)
		}
	}
	for _, b := range []Beta{{X: -1, Y: 1}, {Y: math.Inf(1)}, {}, {X: math.NaN(), Y: 1}, {X: .3, Y: .6, S: .4}} {
		if m, err := fitLogistic(p, 0, b, 0); err == nil {
			t.Errorf("β %v is fitted: %v", b, m)
		}
	}
}
