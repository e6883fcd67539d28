package release

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// Four corners about (4, 3) have that mean and the variances of their coordinates; their first principal direction is the longer side.
func TestPrincipalOfCorners(t *testing.T) {
	corners := nn.Rows{P: 2, X: []float32{3, 1, 5, 1, 3, 5, 5, 5}, Labels: make([]int, 4)}
	mean, cov := must.Get2(featureCovariance(t.Context(), identity(2), corners))(t)
	if !slices.Equal(mean, []float64{4, 3}) || !slices.Equal(cov, []float64{1, 0, 0, 4}) {
		t.Errorf("mean %v, covariance %v", mean, cov)
	}
	corners.X[5] = float32(math.NaN())
	_, _, err := featureCovariance(t.Context(), identity(2), corners)
	must.Fail(t, err, "training example 2: feature 0 is NaN")
	corners.X[5] = 5
	if m := must.Get(principalMap(t.Context(), identity(2), 1, corners))(t); m.Weight[0]*m.Weight[0] > 1e-12 {
		t.Errorf("direction %v", m.Weight)
	}
}

// Layers of any other shape than asked for are refused, and a name that is taken is lengthened.
func TestLayersFit(t *testing.T) {
	// A bias of −400 may be off by 1e-5 of 1 + ‖w‖·‖μ‖ = 501.
	for _, by := range []float32{.006, .004, -.004, -.006} {
		l := (&Map{In: 2, Out: 1, Weight: []float64{3, 4}, Mean: []float64{0, 100}}).layers("m")
		l.onto.Bias.Data[0] += by
		if err := l.biased([]float64{3, 4}); (err == nil) != (by*by < .005*.005) {
			t.Errorf("a bias that is off by %v: %v", by, err)
		}
	}
	l := (&Map{In: 3, Out: 2, Weight: make([]float64, 6)}).layers("m")
	must.Do(t, l.fit(3, 2))
	for _, c := range [][4]int{{4, 2, 2, 3}, {3, 1, 2, 3}, {3, 2, 1, 3}, {3, 2, 2, 4}} {
		l.onto, l.back = newDense(c[0], c[1], "w", false), newDense(c[2], c[3], "w", false)
		if err := l.fit(3, 2); err == nil || !strings.Contains(err.Error(), "expected 3 and 2") {
			t.Errorf("%v: %v", c, err)
		}
	}
	g := &nn.Graph{Input: "x", Nodes: []*nn.Node{{Name: "y"}, {Name: "y-"}}}
	if x, y := freshName(g, "x"), freshName(g, "y"); x != "x-" || y != "y--" {
		t.Errorf("fresh names %q, %q", x, y)
	}
}
