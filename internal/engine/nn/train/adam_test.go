package train

import (
	"fmt"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// TestAdam holds three steps, of a parameter that is given twice, to those of its rule.
func TestAdam(t *testing.T) {
	o := AdamOptions{LearningRate: .1, Beta1: .8, Beta2: .9, Epsilon: 1e-3, WeightDecay: .5}
	for _, decoupled := range []bool{false, true} {
		p := &nn.Param{Name: "w", Shape: []int{2}, Data: []float32{1, -2}, Grad: make([]float32, 2)}
		a := newAdam([]*nn.Param{p, p}, o, decoupled, 0)
		rule := simd.AdamRule{Rate: .1, Beta1: .8, Beta2: .9, Epsilon: 1e-3, Decay: .5, Decoupled: decoupled}
		w, m, v := []float32{1, -2}, make([]float32, 2), make([]float32, 2)
		for step := 1; step <= 3; step++ {
			g := []float32{float32(step), float32(step) - 2.5}
			copy(p.Grad, g)
			simd.AdamStep(w, g, m, v, rule.At(step))
			a.Step()
			closeTo(t, fmt.Sprintf("decoupled %v, step %d", decoupled, step), p.Data, w, 0)
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
