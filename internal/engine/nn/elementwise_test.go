package nn

import (
	"math"
	"testing"
)

// entropyNet is Σ −p·log p before the sum, of p = softmax(W·x + b), as
// probabilities that are hard at the end where that is asked for.
func entropyNet(hard bool) *Graph {
	g := chain([]int{6}, testDense(6, 5, true), &Softmax{})
	p := g.Output
	g.node("log", &Unary{Function: "Log"}, p)
	g.node("terms", &Binary{Operator: "Mul"}, p, "log")
	if hard {
		g.node("guess", &Hardmax{}, "terms")
		g.node("chosen", &Binary{Operator: "Mul"}, "guess", "terms")
	}
	return g
}

func squares() *Graph {
	g := chain([]int{7})
	g.node("square", &Binary{Operator: "Mul"}, "x", "x")
	g.node("cube", &Binary{Operator: "Mul"}, "square", "x")
	return g
}

// TestLogOfNonPositives holds the logarithm to its limits.
func TestLogOfNonPositives(t *testing.T) {
	y := make([]float64, 3)
	mustNet(t, chain([]int{3}, &Unary{Function: "Log"})).Forward64(y, []float64{0, 1, -1})
	if !math.IsInf(y[0], -1) || y[1] != 0 || !math.IsNaN(y[2]) {
		t.Errorf("the logarithms of 0, 1 and −1 are %v", y)
	}
}

// TestHardmax holds it to a table, ties included, and its derivative to differences.
func TestHardmax(t *testing.T) {
	net := mustNet(t, chain([]int{3}, &Hardmax{}))
	y := make([]float32, 12)
	net.Forward(y, []float32{1, 2, 3, 5, 5, 1, -1, -2, -1, 0, 0, 0})
	closeTo(t, "hardmax", y, []float32{0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0}, 0)
	net.Forward(y[:3], []float32{1, float32(math.NaN()), 3})
	if !math.IsNaN(float64(y[0]+y[1]+y[2])) || y[0] == y[0] {
		t.Errorf("of a NaN: %v", y[:3])
	}
	for _, in := range [][]int{{10}, {4, 3}} {
		c := opCase{op: &Hardmax{}, in: [][]int{in}, out: Size(in)}
		testDifference(t, c)
		testAbsent(t, c)
		testPrecision(t, c)
		testTrainGradients(t, c)
	}
	active := []bool{true, true, true}
	net.Linearize([]float32{1, 2, 3}).(Activity).Active(active)
	if active[0] || active[1] || active[2] {
		t.Error("an output of Hardmax is said to move")
	}
}

// TestElementwiseRoundoff compares errors with their bounds, with a logarithm in
// 256 bits.
func TestElementwiseRoundoff(t *testing.T) {
	for name, g := range map[string]*Graph{"entropy": entropyNet(false), "hard": entropyNet(true), "squares": squares()} {
		for _, spread := range []float64{0, 1e-15, 1e-6, 1e-2} {
			testNetRoundoff(t, name, g, mustNet(t, g), spread)
		}
	}
}

// TestHardmaxRoundoff holds that what may change is said to, and nothing else.
func TestHardmaxRoundoff(t *testing.T) {
	net := mustNet(t, chain([]int{3}, &Hardmax{}))
	for _, c := range []struct{ x, e, want []float64 }{
		{[]float64{1, 2, 0}, []float64{.4, .4, .4}, []float64{0, 0, 0}},
		{[]float64{1, 2, 0}, []float64{.6, .6, .6}, []float64{1, 1, 0}},
		{[]float64{1, 1, 0}, []float64{0, 0, 0}, []float64{1, 1, 0}},
		{[]float64{1, 2, 0}, []float64{0, 0, 5}, []float64{0, 1, 1}},
	} {
		y, bound := make([]float64, 3), make([]float64, 3)
		net.ForwardError64(y, bound, c.x, c.e)
		closeTo(t, "bounds", bound, c.want, 0)
	}
	log := mustNet(t, chain([]int{1}, &Unary{Function: "Log"}))
	y, bound := make([]float64, 1), make([]float64, 1)
	if log.ForwardError64(y, bound, []float64{1}, []float64{1}); !math.IsInf(bound[0], 1) {
		t.Errorf("the logarithm of 0 to 2 is bounded by %v", bound)
	}
	if log.ForwardError64(y, bound, []float64{1}, []float64{.5}); !(bound[0] >= math.Ln2) || bound[0] > math.Ln2+1e-14 {
		t.Errorf("the logarithm of 0.5 to 1.5 is bounded by %v", bound)
	}
}
