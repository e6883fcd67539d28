package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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
		"absurd":      chain([]int{1 << 40, 1 << 40}, Flatten()),
		"probability": chain([]int{3}, &Dropout{P: 1}),
		"not a slope": chain([]int{3}, &ReLU{Slope: math.NaN()}),
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

// TestFeatureNode asks for the features of nets whose last layers are not the output's.
func TestFeatureNode(t *testing.T) {
	g := zooNet("mnist")
	g.Nodes = append(g.Nodes, &Node{Name: "aside", Op: testDense(784, 3, true), Inputs: []string{"relu1"}, Output: "aside"})
	if name, err := g.FeatureNode(); err != nil || name != "relu2" {
		t.Errorf("features %q, error %v, want relu2", name, err)
	}
	one := func(in, out int) *Conv2D {
		return &Conv2D{InChannels: in, OutChannels: out, Kernel: [2]int{1, 1}, Weight: &Param{Name: "w", Shape: []int{out, in, 1, 1}, Data: make([]float32, in*out)}}
	}
	for _, g := range []*Graph{chain([]int{3, 2, 2}, one(3, 4), &ReLU{}, one(4, 5)), chain([]int{3, 2, 2}, one(3, 4), &ReLU{}, one(4, 5), &ReLU{}, &Reduce{Function: "Mean", Axes: []int{1, 2}, Keep: true})} {
		if name, err := g.FeatureNode(); err != nil || name != g.Nodes[1].Name {
			t.Errorf("features %q, error %v, of a net that ends in a convolution", name, err)
		}
	}
	for _, g := range []*Graph{chain([]int{3}, testDense(3, 2, true)), chain([]int{3}, &ReLU{})} {
		if name, err := g.FeatureNode(); err == nil {
			t.Errorf("features %q of a net without", name)
		}
	}
}

// The multiply-adds of paper A's first net and of a convolution, counted by hand.
func TestCosts(t *testing.T) {
	for _, c := range []struct {
		g    *Graph
		want int64
	}{
		{zooNet("mnist"), 784*784 + 784*784 + 784*10},
		{chain([]int{2, 7, 8}, smallConv(2, 3, 3, 0), &MaxPool{Kernel: [2]int{2, 2}}, smallConv(3, 4, 2, 1), Flatten(), testDense(4*5*6, 5, true)), 5*6*3*18 + 5*6*4*12 + 4*5*6*5},
	} {
		costs := must.Get(c.g.Costs())(t)
		var sum int64
		for _, v := range costs {
			sum += v
		}
		if sum != c.want {
			t.Errorf("%s takes %d multiply-adds, want %d", c.g.Name, sum, c.want)
		}
	}
}

// TestSimilar: a wrong end finds what was meant, and so does part of a name.
func TestSimilar(t *testing.T) {
	t.Parallel()
	g := new(Graph)
	for _, name := range []string{"conv1", "layer3.2.relu1", "layer3.2.relu2", "linear"} {
		g.Nodes = append(g.Nodes, &Node{Name: name, Op: &ReLU{}, Output: name + ".out"})
	}
	for wrong, want := range map[string]string{"layer3.2.relu3": `"layer3.2.relu2"`, "Linear": `"linear"`} {
		if got := g.similar(wrong); strings.Count(got, ", ") != suggestions-1 || !strings.Contains(got, want) {
			t.Errorf("%q: %q", wrong, got)
		}
	}
}

func TestUpsampled(t *testing.T) {
	g := chain([]int{1, 2, 3}, Flatten(), testDense(6, 2, true))
	up := must.Get(g.Upsampled("linear", 1, 2))(t)
	if up.Params()[0] != g.Params()[0] || !slices.Equal(up.InputShape, []int{1, 1, 2}) || len(g.Nodes) != 2 {
		t.Error("not the same parameters, or not that input")
	}
	y, want := make([]float64, 2), make([]float64, 2)
	mustNet(t, up).Forward64(y, []float64{1, 3})
	mustNet(t, g).Forward64(want, []float64{1, 2, 3, 1, 2, 3}) // at 2/3·(i + ½) − ½ = −1/6, ½, 7/6
	closeTo(t, "enlarged", y, want, 1e-15)
	for _, bad := range []func() (*Graph, error){
		func() (*Graph, error) { return g.Upsampled("lanczos", 2) },
		func() (*Graph, error) { return g.Upsampled("nearest", 2) },
		func() (*Graph, error) { return g.Upsampled("linear", 0) },
		func() (*Graph, error) { return g.Upsampled("linear", 1, 2, 3) },
		func() (*Graph, error) { return g.Upsampled("linear") },
		func() (*Graph, error) { return chain([]int{4}, &ReLU{}).Upsampled("linear", 2) },
	} {
		must.Fail(t, must.Err(bad()))
	}
	if twice, err := up.Upsampled("cubic", 1); err != nil {
		t.Error(err)
	} else if _, err := NewNet(twice); err != nil {
		t.Error(err)
	}
}

// Every operator that the package has either moves its outputs by little for a small
// change of its inputs, or is known to jump.
func TestJumpKnowsEveryStep(t *testing.T) {
	for _, op := range unaryCases() {
		g := &Graph{Name: "g", Input: "x", InputShape: []int{1}, Output: "y", Nodes: []*Node{{Name: "n", Op: op, Inputs: []string{"x"}, Output: "y"}}}
		curve := op.function()
		moved := 0.0
		const h = 1e-9
		for x := -3.; x <= 3; x += 1. / 8192 { // on halfway marks of float16, between −4 and 4
			if a, b := curve.value(x-h), curve.value(x+h); a-a == 0 && b-b == 0 && (!positiveOnly(op) || x > .1) {
				moved = max(moved, math.Abs(a-b), math.Abs(a-curve.value(x)))
			}
		}
		if jumps, want := g.Jump() != nil, moved > 1e-6; jumps != want {
			t.Errorf("%s: moves by %v for a change of %v, jumps: %v", op.Function, moved, 2*h, jumps)
		}
	}
	for _, op := range []Op{&Hardmax{}, &Binary{Operator: "Less", Constant: &Param{Shape: []int{}, Data: []float32{0}}}} {
		g := &Graph{Name: "g", Input: "x", InputShape: []int{2}, Output: "y", Nodes: []*Node{
			{Name: "n", Op: op, Inputs: []string{"x"}, Output: "m"}, {Name: "z", Op: &ReLU{}, Inputs: []string{"m"}, Output: "y"}}}
		if n := g.Jump(); n == nil || n.Name != "n" {
			t.Errorf("%s does not jump", op.Kind())
		}
		g.Output = "x"
		g.Nodes = nil
		if g.Jump() != nil {
			t.Error("nothing jumps")
		}
	}
}
