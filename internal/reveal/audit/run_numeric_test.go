package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/shared"
)

// A number v shifts all scores by shift·v: the best prediction explains
// shift²·classes/(1 + shift²·classes) of its variance. The standard error of an R² is
// about 2R(1 − R²)/√n.
func TestNumbersAreMeasured(t *testing.T) {
	shared.Long(t, "audits of a number")
	for _, shift := range []float64{0, .4, 1} {
		m := made{n: 800, classes: 3, seed: 21}
		s := m.sample()
		r := rand.New(rand.NewPCG(5, 5))
		v := make([]float64, m.n)
		for i := range v {
			v[i] = r.NormFloat64()
			for j := range 3 {
				s.Outputs[3*i+j] += float32(shift * v[i])
			}
			v[i] = 40 + 12*v[i]
		}
		s.Sensitive = []Attribute{{Name: "age", Numbers: v}}
		res := examined(t, s, Options{Seed: 2, Attacks: []string{"logistic", "trees"}, Permutations: 99})
		encoded(t, res)
		f := res.Findings[0]
		want := 3 * shift * shift / (1 + 3*shift*shift)
		reach := 4.5*2*math.Sqrt(want)*(1-want)/math.Sqrt(float64(m.n)) + .02 // learning
		if math.Abs(*f.R2-want) > reach {
			t.Errorf("shift %v: R² %.4f, want %.4f ± %.4f", shift, *f.R2, want, reach)
		}
		if f.Verdict.ExceedsTarget() != (shift > 0) {
			t.Errorf("shift %v: %q", shift, f.Verdict)
		}
	}
}
