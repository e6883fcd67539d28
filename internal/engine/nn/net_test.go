package nn

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"tattle/internal/must"
)

// chain strings operators together on an input.
func chain(input []int, ops ...Op) *Graph {
	g := &Graph{Name: "chain", Input: "x", InputShape: input, Output: "x"}
	for i, op := range ops {
		name := fmt.Sprintf("n%d", i)
		g.Nodes = append(g.Nodes, &Node{Name: name, Op: op, Inputs: []string{g.Output}, Output: name})
		g.Output = name
	}
	return g
}

// node appends one.
func (g *Graph) node(name string, op Op, inputs ...string) {
	g.Nodes = append(g.Nodes, &Node{Name: name, Op: op, Inputs: inputs, Output: name})
	g.Output = name
}

func smallConv(in, out, kernel, pad int) *Conv2D {
	r := rand.New(rand.NewPCG(uint64(in), uint64(out)))
	return &Conv2D{
		InChannels: in, OutChannels: out, Kernel: [2]int{kernel, kernel}, Pad: [4]int{pad, pad, pad, pad},
		Weight: testParam(r, "weight", out, in, kernel, kernel), Bias: testParam(r, "bias", out),
	}
}

// residualNet has fan-out, an Add of one tensor to itself, pass-throughs in
// between and an Add whose both inputs fan out.
func residualNet() *Graph {
	g := &Graph{Name: "residual", Input: "x", InputShape: []int{2, 4, 4}, Output: "x"}
	g.node("c1", smallConv(2, 3, 3, 1), "x")
	g.node("r1", &ReLU{}, "c1")
	g.node("c2", smallConv(3, 3, 3, 1), "r1")
	g.node("drop", &Dropout{P: .2}, "c2")
	g.node("a1", &Binary{Operator: "Add"}, "drop", "r1")
	g.node("r2", &ReLU{Slope: .1}, "a1")
	g.node("a2", &Binary{Operator: "Add"}, "a1", "r2")
	g.node("unused", &ReLU{}, "a2")
	g.node("a3", &Binary{Operator: "Add"}, "a2", "a2")
	g.node("flat", Flatten(), "a3")
	g.node("fc", testDense(48, 9, true), "flat")
	g.node("same", &Identity{}, "fc")
	g.node("r3", &ReLU{}, "same")
	return g
}

// inputFan uses its input twice, so that the input's own cotangent is a sum.
func inputFan() *Graph {
	g := &Graph{Name: "fan", Input: "x", InputShape: []int{6}, Output: "x"}
	g.node("fc1", testDense(6, 6, true), "x")
	g.node("a", &Binary{Operator: "Add"}, "x", "fc1")
	g.node("a2", &Binary{Operator: "Add"}, "a", "x")
	g.node("s", &Softmax{}, "a2")
	return g
}

func testNets() map[string]*Graph {
	return map[string]*Graph{
		"mlp":       chain([]int{2, 3}, Flatten(), testDense(6, 11, true), &ReLU{}, testDense(11, 4, true), &ReLU{}),
		"residual":  residualNet(),
		"fan":       inputFan(),
		"identity":  chain([]int{5}, &Identity{}, &Dropout{P: .5}),
		"residuals": residualBlocks(9),
		"swin":      zooNet("swin"),
		"none":      chain([]int{5}),
		"entropy":   entropyNet(false),
		"squares":   squares(),
		"relu":      chain([]int{5}, &ReLU{}, &ReLU{}),
		"double":    func() *Graph { g := chain([]int{4}); g.node("a", &Binary{Operator: "Add"}, "x", "x"); return g }(),
	}
}

func mustNet(t testing.TB, g *Graph) *Net {
	t.Helper()
	return must.Get(NewNet(g))(t)
}

// TestNets holds whole nets, cut into sweeps of various lengths, to the slow evaluation.
func TestNets(t *testing.T) {
	for name, g := range testNets() {
		for _, limit := range []int{1, 3, 1000} {
			net := mustNet(t, g)
			run32(net).limit, run64(net).limit = limit, limit
			testCalls(t, fmt.Sprintf("%s, limit %d", name, limit), g, net, rand.New(rand.NewPCG(1, 1)), 1e-5, 1e-13)
		}
	}
}

func TestActiveOfReLU(t *testing.T) {
	lin := mustNet(t, chain([]int{4}, &ReLU{}, Flatten())).Linearize([]float32{-1, 0, 2, 3})
	got := make([]bool, 4)
	lin.(Activity).Active(got)
	if got[0] || got[1] || !got[2] || !got[3] {
		t.Errorf("active %v", got)
	}
}

func TestSteadyStateKeepsBuffers(t *testing.T) {
	const batch, k = 4, 3
	nets := testNets()
	for name, g := range nets {
		net := mustNet(t, g)
		p, n := net.Dims()
		r := rand.New(rand.NewPCG(3, 3))
		x, y := randomSlice[float32](r, batch*p, 1), make([]float32, batch*n)
		v, u := randomSlice[float32](r, batch*k*p, 1), make([]float32, batch*k*n)
		lin := net.Linearize(x)
		x64, y64, bound := wide(x), make([]float64, batch*n), make([]float64, batch*n)
		for what, f := range map[string]func(){
			"ForwardError64": func() { net.ForwardError64(y64, bound, x64, nil) },
			"Forward":        func() { net.Forward(y, x) },
			"Linearize":      func() { net.Linearize(x) },
			"JVP":            func() { lin.JVP(u, v) },
			"VJP":            func() { lin.VJP(v, u) },
		} {
			steady(t, name+": "+what, len(g.Nodes), f)
		}
	}
}

func TestCloneRunsBesideItsOriginal(t *testing.T) {
	net := mustNet(t, residualNet())
	p, n := net.Dims()
	x := randomSlice[float32](rand.New(rand.NewPCG(4, 4)), 5*p, 1)
	want := make([]float32, 5*n)
	net.Forward(want, x)
	got, bounded := make([][]float32, 4), make([][]float64, 4)
	var wg sync.WaitGroup
	for i := range got {
		clone := net.Clone()
		wg.Go(func() {
			got[i], bounded[i] = make([]float32, 5*n), make([]float64, 5*n)
			for range 20 {
				clone.Forward(got[i], x)
				clone.ForwardError64(bounded[i], make([]float64, 5*n), wide(x), nil)
			}
		})
	}
	wg.Wait()
	for i := range got {
		closeTo(t, "clone", got[i], want, 0)
		closeTo(t, "clone in float64", bounded[i], bounded[0], 0)
		closeTo(t, "clone in both", bounded[i], wide(want), 1e-5)
	}
}

// TestChangedWeights checks that a net uses new values after Changed, in its bounds on errors too.
func TestChangedWeights(t *testing.T) {
	d := testDense(3, 2, true)
	net := mustNet(t, chain([]int{3}, d))
	x, y := []float64{1, 2, 3}, make([]float64, 2)
	net.Forward64(y, x)
	net.Linearize64(x).VJP(make([]float64, 3), y)
	bound, off := make([]float64, 2), []float64{.5, .25, .25}
	for _, v := range []float32{1, 1000} {
		for i := range d.Weight.Data {
			d.Weight.Data[i] = v
		}
		d.Weight.Changed()
		net.ForwardError64(y, bound, x, off)
		closeTo(t, "bounds", bound, []float64{float64(v), float64(v)}, 1e-9)
	}
	for i := range d.Weight.Data {
		d.Weight.Data[i] = 1
	}
	d.Weight.Changed()
	d.Bias.Data[0] = 1
	d.Bias.Data[1] = 2
	d.Bias.Changed()
	net.Forward64(y, x)
	closeTo(t, "outputs", y, []float64{7, 8}, 0)
	back := make([]float64, 3)
	net.Linearize64(x).VJP(back, []float64{1, 1})
	closeTo(t, "cotangent", back, []float64{2, 2, 2}, 0)
}
