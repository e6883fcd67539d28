package train

import (
	"fmt"
	"math"
	"testing"

	"tattle/internal/simd"
	"tattle/nn"
)

// TestAdam follows PyTorch's formula for three steps.
func TestAdam(t *testing.T) {
	o := AdamOptions{LearningRate: .1, Beta1: .8, Beta2: .9, Epsilon: 1e-3, WeightDecay: .5}
	for _, decoupled := range []bool{false, true} {
		p := &nn.Param{Name: "w", Shape: []int{2}, Data: []float32{1, -2}, Grad: make([]float32, 2)}
		a := newAdam([]*nn.Param{p, p}, o, decoupled, 0)
		w, m, v := []float64{1, -2}, [2]float64{}, [2]float64{}
		for step := 1; step <= 3; step++ {
			for i := range w {
				g := float64(step) - 2.5*float64(i)
				p.Grad[i] = float32(g)
				if decoupled {
					w[i] *= 1 - .1*.5
				} else {
					g += .5 * w[i]
				}
				m[i] = .8*m[i] + .2*g
				v[i] = .9*v[i] + .1*g*g
				w[i] -= .1 * m[i] / (1 - math.Pow(.8, float64(step))) / (math.Sqrt(v[i]/(1-math.Pow(.9, float64(step)))) + 1e-3)
			}
			a.Step()
			closeTo(t, fmt.Sprintf("decoupled %v, step %d", decoupled, step), []float64{float64(p.Data[0]), float64(p.Data[1])}, w, 1e-6)
		}
	}
}

// TestAdamDefaults holds the defaults to PyTorch's.
func TestAdamDefaults(t *testing.T) {
	adam := simd.AdamRule{Rate: 1e-3, Beta1: .9, Beta2: .999, Epsilon: 1e-8}
	adamW := adam
	adamW.Decay, adamW.Decoupled = .01, true
	undecayed := adamW
	undecayed.Decay = 0
	for _, c := range []struct {
		name      string
		got, want simd.AdamRule
	}{
		{"Adam", NewAdam(nil, AdamOptions{}).rule, adam},
		{"AdamW", NewAdamW(nil, AdamOptions{}).rule, adamW},
		{"AdamW without decay", NewAdamW(nil, AdamOptions{WeightDecay: -1}).rule, undecayed},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
}
