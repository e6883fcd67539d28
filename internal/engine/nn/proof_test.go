package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

func roundoffNets() map[string]*Graph {
	wideWeights := testDense(20, 15, true)
	for i := range wideWeights.Weight.Data {
		wideWeights.Weight.Data[i] *= 1000
	}
	residual := &Graph{Name: "residual", Input: "x", InputShape: []int{12}, Output: "x"}
	residual.node("fc1", testDense(12, 12, true), "x")
	residual.node("r", &ReLU{}, "fc1")
	residual.node("drop", &Dropout{P: .5}, "r")
	residual.node("fc2", testDense(12, 12, false), "drop")
	residual.node("sum", &Binary{Operator: "Add"}, "fc2", "r")
	residual.node("twice", &Binary{Operator: "Add"}, "sum", "sum")
	thrice := chain([]int{15})
	thrice.node("two", &Binary{Operator: "Add"}, "x", "x")
	thrice.node("three", &Binary{Operator: "Add"}, "two", "x")
	return map[string]*Graph{
		"affine":   chain([]int{33}, testDense(33, 20, true)),
		"mlp":      chain([]int{3, 5}, Flatten(), testDense(15, 20, true), &ReLU{}, testDense(20, 20, true), &ReLU{}, testDense(20, 7, true)),
		"leaky":    chain([]int{15}, testDense(15, 20, true), &ReLU{.01}, testDense(20, 20, false), &ReLU{-1.5}, testDense(20, 7, true)),
		"wide":     chain([]int{20}, wideWeights, &ReLU{}, testDense(15, 6, true), &Identity{}),
		"norm":     chain([]int{15}, testDense(15, 20, true), testBatchNorm(20), &ReLU{.2}, testDense(20, 7, true), testBatchNorm(7)),
		"softmax":  chain([]int{15}, testDense(15, 9, true), &Softmax{}),
		"steep":    chain([]int{20}, wideWeights, &Softmax{}),
		"residual": residual,
		"identity": chain([]int{4}),
		"slope":    chain([]int{15}, &ReLU{.01}),
		"thrice":   thrice,
		"folded":   folded("Max", "Min"),
	}
}

// folded reduces by each function in turn, along the middle axis of three.
func folded(functions ...string) *Graph {
	ops := []Op{testDense(24, 24, true), &Reshape{To: []int{2, 4, 3}}}
	for _, f := range functions {
		ops = append(ops, &Reduce{Function: f, Axes: []int{1}}, &Binary{Operator: "Add", Constant: number(.7)})
		if f != functions[len(functions)-1] {
			ops = append(ops, Flatten(), testDense(6, 24, true), &Reshape{To: []int{2, 4, 3}})
		}
	}
	return chain([]int{24}, ops...)
}

// TestForwardError64 compares the computed outputs and their bounds with outputs
// in exact arithmetic, at inputs moved by up to their own bounds: no error exceeds
// its bound, and on average the bounds are no more than 1e4 times the errors.
func TestForwardError64(t *testing.T) {
	for name, g := range roundoffNets() {
		for _, spread := range []float64{0, 1e-15, 1e-6, .5} {
			net := mustNet(t, g)
			run64(net).limit = 3
			testNetRoundoff(t, name, g, net, spread)
		}
	}
}

func testNetRoundoff(t *testing.T, name string, g *Graph, net *Net, spread float64) {
	t.Helper()
	const batch = 8
	p, n := net.Dims()
	r := rand.New(rand.NewPCG(8, 8))
	x, y, bound := randomSlice[float64](r, batch*p, 1), make([]float64, batch*n), make([]float64, batch*n)
	var xerr []float64
	if spread > 0 {
		xerr = make([]float64, len(x))
		for i := range xerr {
			xerr[i] = spread * r.Float64()
		}
	}
	net.ForwardError64(y, bound, x, xerr)
	plain := make([]float64, len(y))
	net.Forward64(plain, x)
	closeTo(t, "the outputs are those of Forward64", y, plain, 0)
	check := &boundCheck{t: t, what: fmt.Sprintf("%s, spread %v", name, spread)}
	for b := range batch {
		at := exactly(x[b*p : (b+1)*p])
		for i := range at {
			if xerr != nil {
				at[i] = sideOf(r, x[b*p+i], xerr[b*p+i])
			}
		}
		for i, want := range exactForward(t, g, at) {
			check.add(y[b*n+i], bound[b*n+i], want)
		}
	}
	check.tight(1e4)
}

// TestSoftmaxRoundoff moves two logits apart and together as far as they may: what
// the bound says of the larger probability is then all but attained.
func TestSoftmaxRoundoff(t *testing.T) {
	const e = 1e-3
	net := mustNet(t, chain([]int{2}, &Softmax{}))
	y, bound := make([]float64, 2), make([]float64, 2)
	for _, gap := range []float64{0, .1, 1, 5, 30} {
		x := []float64{.25 + gap, .25}
		net.ForwardError64(y, bound, x, []float64{e, e})
		most := 0.0
		for _, side := range []float64{-e, e} {
			want := exactSoftmax(exactly([]float64{x[0] + side, x[1] - side}))
			for i := range y {
				off, _ := exact(0).Sub(want[i], exact(y[i])).Float64()
				if !(math.Abs(off) <= bound[i]*(1+1e-12)) { // the sides are rounded
					t.Errorf("gap %v: probability %d moves by %v, bound %v", gap, i, off, bound[i])
				}
				most = max(most, math.Abs(off))
			}
		}
		if most > 1e-12 && !(bound[0] <= 1.01*most) {
			t.Errorf("gap %v: the bound %v is not attained, but %v", gap, bound[0], most)
		}
	}
}

// TestRoundoffOverflows holds that no finite bound is given where there is none.
func TestRoundoffOverflows(t *testing.T) {
	big := math.MaxFloat64
	sum := &Dense{In: 3, Out: 1, Weight: &Param{Name: "weight", Shape: []int{1, 3}, Data: []float32{-1, -1, 2}}}
	two := testDense(2, 2, false)
	image := &Conv2D{InChannels: 3, OutChannels: 1, Kernel: [2]int{1, 1}, Weight: &Param{Name: "weight", Shape: []int{1, 3, 1, 1}, Data: []float32{-1, -1, 2}}}
	for name, c := range map[string]struct {
		g *Graph
		x []float64
	}{
		"NaN":       {chain([]int{2}, two, &ReLU{}), []float64{math.NaN(), 1}},
		"Inf":       {chain([]int{2}, two, &ReLU{}), []float64{math.Inf(1), 1}},
		"output":    {chain([]int{3}, sum), []float64{big, big, big}},
		"relu":      {chain([]int{3}, sum, &ReLU{}), []float64{big, big, big}},
		"relus":     {chain([]int{3}, sum, &ReLU{}, &ReLU{}), []float64{big, big, big}},
		"layernorm": {chain([]int{2}, two, &LayerNorm{}), []float64{1, 2}}, // it has no bounds
		"pool":      {chain([]int{3, 1, 2}, image, &MaxPool{Kernel: [2]int{1, 2}}), []float64{big, 1, big, 1, big, 1}},
	} {
		net := mustNet(t, c.g)
		_, n := net.Dims()
		y, bound := make([]float64, n), make([]float64, n)
		net.ForwardError64(y, bound, c.x, nil)
		for i := range y {
			if !math.IsInf(bound[i], 1) {
				t.Errorf("%s: output %v has bound %v", name, y[i], bound[i])
			}
		}
	}
}

// TestRoundoffUnderflows holds the bounds of inputs whose products with γ underflow,
// while a large weight keeps the outputs' errors within float64's range.
func TestRoundoffUnderflows(t *testing.T) {
	large := testDense(9, 4, true)
	for i := range large.Weight.Data {
		large.Weight.Data[i] *= 0x1p120
	}
	clear(large.Bias.Data)
	conv := smallConv(1, 2, 3, 0)
	for i := range conv.Weight.Data {
		conv.Weight.Data[i] *= 0x1p120
	}
	clear(conv.Bias.Data)
	norm := testBatchNorm(9)
	norm.Epsilon = 0x1p-1000
	for _, p := range []*Param{norm.Mean, norm.Variance, norm.Shift} {
		p.Fill(0)
	}
	r := rand.New(rand.NewPCG(2, 2))
	for name, g := range map[string]*Graph{
		"dense": chain([]int{9}, large),
		"conv":  chain([]int{1, 3, 3}, conv),
		"norm":  chain([]int{9}, norm),
	} {
		net := mustNet(t, g)
		_, n := net.Dims()
		x, y, bound := randomSlice[float64](r, 9, 0x1p-1030), make([]float64, n), make([]float64, n)
		net.ForwardError64(y, bound, x, nil)
		for i, want := range exactForward(t, g, exactly(x)) {
			holds(t, name, y[i], bound[i], want)
		}
	}
}

// A float32 pass stays within its bounds, on nets whose outputs are rounded to 16 bits,
// too, where float32 and float64 often disagree by a whole step.
func TestForwardError32(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 1))
	const p, n, batch = 20, 30, 400
	weight := &Param{Name: "w", Shape: []int{n, p}, Data: randomSlice[float32](r, n*p, 1)}
	bias := &Param{Name: "b", Shape: []int{n}, Data: randomSlice[float32](r, n, 1)}
	for _, function := range []string{"Float16", "BFloat16", "Floor", "Neg"} {
		g := &Graph{Name: "g", Input: "x", InputShape: []int{p}, Output: "y", Nodes: []*Node{
			{Name: "a", Op: &Dense{In: p, Out: n, Weight: weight, Bias: bias}, Inputs: []string{"x"}, Output: "a"},
			{Name: "y", Op: &Unary{Function: function}, Inputs: []string{"a"}, Output: "y"},
		}}
		m := must.Get(NewNet(g))(t)
		x := randomSlice[float32](r, batch*p, 1)
		y32, y, bound, proved := make([]float32, batch*n), make([]float64, batch*n), make([]float64, batch*n), make([]float64, batch*n)
		m.Forward(y32, x)
		m.ForwardError64(y, proved, wide(x), nil)
		m.ForwardError32(y, bound, wide(x))
		off, free := 0, 0
		for i, v := range y {
			d := math.Abs(float64(y32[i]) - v)
			if d > bound[i] {
				t.Fatalf("%s: float32 gives %v, float64 %v, the bound is %v", function, y32[i], v, bound[i])
			}
			if d > 0 {
				off++
			}
			if bound[i] == 0 {
				free++
			}
		}
		if jumps := g.Jump() != nil; jumps && free == 0 || !jumps && (free > 0 || bound[0] != proved[0]*0x1p29) {
			t.Errorf("%s: %d bounds of %d are 0", function, free, len(y))
		}
		if function == "Float16" && off == 0 {
			t.Error("float32 and float64 never disagree: the test is idle")
		}
	}
}
