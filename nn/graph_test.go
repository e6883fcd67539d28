package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

func TestNewNetRefuses(t *testing.T) {
	short := testDense(3, 2, true)
	short.Weight.Data = short.Weight.Data[:4]
	for name, g := range map[string]*Graph{
		"shape":       chain([]int{4}, testDense(3, 2, true)),
		"values":      chain([]int{3}, short),
		"no weight":   chain([]int{3}, &Dense{In: 3, Out: 3}),
		"no inputs":   chain([]int{0}),
		"absurd":      chain([]int{1 << 40, 1 << 40}, &Flatten{}),
		"probability": chain([]int{3}, &Dropout{P: 1}),
		"not a slope": chain([]int{3}, &LeakyReLU{Slope: math.NaN()}),
		"no output":   {Input: "x", InputShape: []int{1}, Output: "y"},
		"undefined":   {Input: "x", InputShape: []int{1}, Output: "y", Nodes: []*Node{{"n", &ReLU{}, []string{"z"}, "y"}}},
		"two inputs":  {Input: "x", InputShape: []int{1}, Output: "y", Nodes: []*Node{{"n", &ReLU{}, []string{"x", "x"}, "y"}}},
		"add of one":  {Input: "x", InputShape: []int{1}, Output: "y", Nodes: []*Node{{"n", &Binary{Operator: "Add"}, []string{"x"}, "y"}}},
		"defined twice": {Input: "x", InputShape: []int{1}, Output: "x", Nodes: []*Node{
			{"n", &ReLU{}, []string{"x"}, "x"}}},
	} {
		if _, err := NewNet(g); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}

func TestCut(t *testing.T) {
	g := zooNet("mnist")
	at, err := g.FeatureNode()
	if err != nil || at != "relu2" {
		t.Fatalf("features at %q, %v", at, err)
	}
	front, head := must.Get2(g.Cut(at))(t)
	whole, a, b := mustNet(t, g), mustNet(t, front), mustNet(t, head)
	x := randomSlice[float32](rand.New(rand.NewPCG(5, 5)), 2*784, 1)
	want, features, got := make([]float32, 20), make([]float32, 2*784), make([]float32, 20)
	whole.Forward(want, x)
	a.Forward(features, x)
	b.Forward(got, features)
	closeTo(t, "head of front", got, want, 0)
	must.Fail(t, must.Err2(residualNet().Cut("c2"))) // cut beside a residual branch
	must.Fail(t, must.Err2(g.Cut("fc9")))            // cut at an unknown node
}

// TestRowLimit holds sweeps to buffers of 64 MB per tensor.
// TestFeatureNode asks for the features of nets whose last layers are not the output's.
func TestFeatureNode(t *testing.T) {
	g := zooNet("mnist")
	g.Nodes = append(g.Nodes, &Node{Name: "aside", Op: testDense(784, 3, true), Inputs: []string{"relu1"}, Output: "aside"})
	if name, err := g.FeatureNode(); err != nil || name != "relu2" {
		t.Errorf("features %q, error %v, want relu2", name, err)
	}
	for _, g := range []*Graph{chain([]int{3}, testDense(3, 2, true)), chain([]int{3}, &ReLU{})} {
		if name, err := g.FeatureNode(); err == nil {
			t.Errorf("features %q of a net without", name)
		}
	}
}
