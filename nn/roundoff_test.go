package nn

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const exactBits = 256

func exact(v float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(v) }

// exactForward evaluates a graph of one example in big arithmetic.
func exactForward(t *testing.T, g *Graph, x []*big.Float) []*big.Float {
	t.Helper()
	tensors := map[string][]*big.Float{g.Input: x}
	for _, n := range g.Nodes {
		in := tensors[n.Inputs[0]]
		var out []*big.Float
		switch op := n.Op.(type) {
		case *Dense:
			out = exactDense(op, in)
		case *ReLU:
			out = exactLeaky(0, in)
		case *LeakyReLU:
			out = exactLeaky(op.Slope, in)
		case *Add:
			for i, v := range tensors[n.Inputs[1]] {
				out = append(out, exact(0).Add(in[i], v))
			}
		case *Softmax:
			out = exactSoftmax(in)
		case *Flatten, *Identity, *Dropout:
			out = in
		default:
			t.Fatalf("no exact %s", n.Op.Kind())
		}
		tensors[n.Output] = out
	}
	return tensors[g.Output]
}

func exactDense(d *Dense, x []*big.Float) []*big.Float {
	out := make([]*big.Float, d.Out)
	for i := range out {
		sum := exact(0)
		if d.Bias != nil {
			sum = exact(float64(d.Bias.Data[i]))
		}
		for j, v := range x {
			sum.Add(sum, exact(0).Mul(exact(float64(d.Weight.Data[i*d.In+j])), v))
		}
		out[i] = sum
	}
	return out
}

func exactLeaky(slope float64, x []*big.Float) []*big.Float {
	out := make([]*big.Float, len(x))
	for i, v := range x {
		out[i] = v
		if v.Sign() < 0 {
			out[i] = exact(0).Mul(exact(slope), v)
		}
	}
	return out
}

func exactSoftmax(x []*big.Float) []*big.Float {
	out, sum := make([]*big.Float, len(x)), exact(0)
	for i, v := range x {
		out[i] = exactExp(v)
		sum.Add(sum, out[i])
	}
	for i := range out {
		out[i].Quo(out[i], sum)
	}
	return out
}

// exactExp is e^x by its series at x/2⁴⁰, squared forty times.
func exactExp(x *big.Float) *big.Float {
	const halvings = 40
	small := exact(0).SetMantExp(x, -halvings)
	sum, term := exact(1), exact(1)
	for i := 1; i < 40; i++ {
		term.Mul(term, small)
		term.Quo(term, exact(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

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
	residual.node("sum", &Add{}, "fc2", "r")
	residual.node("twice", &Add{}, "sum", "sum")
	return map[string]*Graph{
		"affine":   chain([]int{33}, testDense(33, 20, true)),
		"mlp":      chain([]int{3, 5}, &Flatten{}, testDense(15, 20, true), &ReLU{}, testDense(20, 20, true), &ReLU{}, testDense(20, 7, true)),
		"leaky":    chain([]int{15}, testDense(15, 20, true), &LeakyReLU{.01}, testDense(20, 20, false), &LeakyReLU{-1.5}, testDense(20, 7, true)),
		"wide":     chain([]int{20}, wideWeights, &ReLU{}, testDense(15, 6, true), &Identity{}),
		"softmax":  chain([]int{15}, testDense(15, 9, true), &Softmax{}),
		"steep":    chain([]int{20}, wideWeights, &Softmax{}),
		"residual": residual,
		"identity": chain([]int{4}),
	}
}

// TestForwardError64 compares the computed outputs and their bounds with outputs
// in exact arithmetic, at inputs moved by up to their own bounds: no error exceeds
// its bound, and on average the bounds are no more than 1e4 times the errors.
func TestForwardError64(t *testing.T) {
	for name, g := range roundoffNets() {
		for _, spread := range []float64{0, 1e-15, 1e-6, .5} {
			net := mustNet(t, g)
			net.run64().limit = 3
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
	errors, bounds := 0.0, 0.0
	for b := range batch {
		at := make([]*big.Float, p)
		for i := range at {
			at[i] = exact(x[b*p+i])
			if xerr != nil {
				side := [3]float64{-1, 1, 2*r.Float64() - 1}[r.IntN(3)]
				at[i].Add(at[i], exact(0).Mul(exact(side), exact(xerr[b*p+i])))
			}
		}
		for i, want := range exactForward(t, g, at) {
			off, _ := exact(0).Sub(want, exact(y[b*n+i])).Float64()
			off = math.Abs(off)
			if !(off <= bound[b*n+i]) {
				t.Errorf("%s, spread %v: output %v is off by %v, bound %v", name, spread, y[b*n+i], off, bound[b*n+i])
			}
			errors += off
			bounds += bound[b*n+i]
		}
	}
	if !(bounds <= 1e4*errors+1e-290) {
		t.Errorf("%s, spread %v: the bounds add up to %v, the errors to %v", name, spread, bounds, errors)
	}
	t.Logf("%s, spread %v: bounds / errors = %.3g", name, spread, bounds/errors)
}

// TestRoundoffOverflows holds that no finite bound is given where there is none.
func TestRoundoffOverflows(t *testing.T) {
	d := testDense(2, 2, false)
	net := mustNet(t, chain([]int{2}, d, &ReLU{}, &Softmax{}))
	y, bound := make([]float64, 2), make([]float64, 2)
	for _, x := range [][]float64{{math.NaN(), 1}, {math.Inf(1), 1}} {
		net.ForwardError64(y, bound, x, nil)
		for i := range y {
			if !math.IsInf(bound[i], 1) {
				t.Errorf("input %v: output %v has bound %v", x, y[i], bound[i])
			}
		}
	}
}
