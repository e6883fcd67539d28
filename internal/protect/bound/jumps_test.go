package bound

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/release"
)

// A run on a net that rounds its features to 16 bits certifies what the best witness of each example proves, and leaves
// out what a Jacobian cannot say.
func TestRunLeavesOutJacobiansOfSteps(t *testing.T) {
	m := netOf(t, 24, drawn(rand.New(rand.NewPCG(2, 2)), 30, 24), &nn.Unary{Function: "BFloat16"})
	_, d, e := small(t)
	e.Noise = release.Gaussian{Sigma: .05}
	for _, search := range []string{Auto, Direct} {
		e.Search.Search = search
		r := mustRun(t, m, d, []int{0, 3}, e)
		if r.CramerRao != nil || r.Spectra != nil {
			t.Error("there are Cramér-Rao figures of steps")
		}
		if all := strings.Join(r.Warnings, " "); !strings.Contains(all, `node "BFloat161" (BFloat16) jumps`) {
			t.Errorf("the reason is not said: %q", all)
		}
		eps, best := nn.Float64s(witnesses(t, r, r.Kinds[0].Size)), make([]float64, 2)
		for k := range len(eps) / 24 {
			i, x, a := k/r.Kinds[0].Witnesses, make([]float64, 48), make([]float64, 60)
			theta := nn.Float64s(rowOf(d.X, []int{0, 3}[i], 24))
			copy(x, theta)
			floats.AddTo(x[24:], theta, rowOf(eps, k, 24))
			m.Forward64(a, x)
			z := floats.Distance(a[:30], a[30:], 2) / .05
			best[i] = max(best[i], square(rowOf(eps, k, 24))/24/math.Expm1(z*z))
		}
		for i, got := range r.Kinds[0].MeanSquare {
			if !(got <= best[i]) || got < .999*best[i] {
				t.Errorf("%s, example %d: certified %v, the witnesses prove %v", search, i, got, best[i])
			}
		}
	}
}
