package curious

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
)

// TestNeighbourhoods: no step of gradient descent is farther from the optimum for y than its bound, on attributes that
// are independent, related and equal. The bound is worth having, and its limit is where it leads.
func TestNeighbourhoods(t *testing.T) {
	independent, related, equal := Plane(400, 1).Train, Plane(400, 2).Train, Plane(400, 3).Train
	for i := range related.Y {
		if i%3 > 0 {
			related.Sensitive[0].Labels[i] = related.Y[i]
		}
	}
	equal.Sensitive[0].Labels = equal.Y
	for name, set := range map[string]*dataset.Set{"independent": independent, "related": related, "equal": equal} {
		for _, n := range must.Get(Neighbourhoods(t.Context(), set, []float64{0, .1, .5, .9, 1}, 60))(t) {
			for k, d := range n.Distance {
				if !(d <= n.Bound[k]+1e-12) {
					t.Errorf("%s, βs = %v, step %d: distance %v, bound %v", name, n.BetaS, k, d, n.Bound[k])
				}
			}
			last := len(n.Bound) - 1
			if !(n.End <= n.Limit+1e-12) || math.Abs(n.Distance[last]-n.End) > 1e-3 || math.Abs(n.Bound[last]-n.Limit) > 1e-3 {
				t.Errorf("%s, βs = %v: ends at %v, within %v; after %d steps %v and %v", name, n.BetaS, n.End, n.Limit, last, n.Distance[last], n.Bound[last])
			}
			if name == "equal" && n.Limit > 1e-5 || name == "independent" && n.Limit > 1.1*n.End {
				t.Errorf("%s, βs = %v: ends at %v, within %v", name, n.BetaS, n.End, n.Limit)
			}
		}
	}
	p := Plane(4, 1).Train
	p.Sensitive = nil
	must.Fail(t, must.Err(Neighbourhoods(t.Context(), p, []float64{0}, 1)), "of two classes each")
}

// TestNeighbourhoodsPrinted follows steps so small that they are gradient flow. What B prints of it, V(t) ≤ e^{−t·Ly(Θt)}·V(0) for βs = 0,
// does not hold; eq. (14) does, and so does the rate of twice as much.
func TestNeighbourhoodsPrinted(t *testing.T) {
	l := must.Get(newDescent(Plane(400, 1).Train))(t)
	l.step = .02
	const steps = 1000
	n := must.Get(l.descend(t.Context(), 0, steps))(t)
	ratio := math.Pow(n.Distance[steps]/n.Distance[0], 2)
	mu, time := l.convexity(l.at(make([]float64, l.d))), steps*l.step
	mu = min(mu, l.convexity(l.origin))
	t.Logf("V falls to %.3g; as printed %.3g; eq. (14) %.3g, with the rate 2μ %.3g", ratio, math.Exp(-time*l.origin.ly), math.Exp(-time*mu), math.Exp(-2*time*mu))
	if !(ratio > math.Exp(-time*l.origin.ly)) || !(ratio <= math.Exp(-2*time*mu)) {
		t.Error("not as said")
	}
	grad := l.gradient(l.origin, 0)
	if floats.Norm(grad, 2) > logisticTolerance*2 {
		t.Errorf("a gradient of %v at the minimum", grad)
	}
}
