package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"tattle/internal/must"
)

// learnedNets have each operator that learns but BatchNorm, whose training is another
// function than its inference.
func learnedNets() []*Graph {
	r := rand.New(rand.NewPCG(5, 5))
	residuals := residualBlocks(8)
	for _, n := range residuals.Nodes {
		if _, ok := n.Op.(*BatchNorm); ok {
			n.Op = &ReLU{.1}
		}
	}
	up := &ConvTranspose{InChannels: 3, OutChannels: 2, Kernel: [2]int{3, 2}, Stride: [2]int{2, 1}, Weight: testParam(r, "weight", 3, 2, 3, 2), Bias: testParam(r, "bias", 2)}
	slopes := chain([]int{3, 4, 4}, up, &ReLU{.1})
	table := chain([]int{3, 4})
	table.node("table", &Constant{Value: testParam(r, "table", 4, 2), Learned: true})
	table.node("product", &MatMul{}, "x", "table")
	table.node("y", &LayerNorm{Scale: testParam(r, "scale", 2), Shift: testParam(r, "shift", 2)}, "product")
	swin := zooNet("swin learned")
	for _, p := range swin.Params() {
		for i := range p.Data {
			p.Data[i] += float32(r.NormFloat64()) * .3
		}
	}
	plain := residualNet()
	plain.Output, plain.Node("drop").Op = "fc", &Dropout{}
	twice := testDense(4, 4, true) // whose gradients add up
	return []*Graph{residuals, slopes, table, swin, plain, chain([]int{4}, twice, &ReLU{.5}, twice)}
}

// TestGradients holds the gradient of each parameter, along a random direction, to a
// difference in float64.
func TestGradients(t *testing.T) {
	const batch, h = 2, 1e-5
	for _, g := range learnedNets() {
		tr := must.Get(NewTraining(g, g.Params(), 1))(t)
		net := mustNet(t, g)
		p, n := tr.Dims()
		r := rand.New(rand.NewPCG(6, 6))
		x, u := randomSlice[float32](r, batch*p, 1), randomSlice[float32](r, batch*n, 1)
		tr.Forward(x)
		input := &Param{Name: "input", Data: x, Grad: make([]float32, len(x))}
		tr.Backward(input.Grad, u)
		y := make([]float64, batch*n)
		loss := func() float64 {
			net.Forward64(y, wide(x))
			return dot64(y, wide(u))
		}
		for _, q := range append(g.Params(), input) {
			want, rise := loss(), 0.0
			for i, d := range randomSlice[float32](r, len(q.Data), h) {
				before := q.Data[i]
				q.Data[i] += d
				rise += float64(q.Grad[i]) * float64(q.Data[i]-before)
			}
			q.Changed()
			if want = loss() - want; !(math.Abs(rise-want) <= .01*math.Abs(want)+h*1e-3*math.Sqrt(float64(len(q.Data)))) {
				t.Errorf("%s: along %s the loss rises by %v, want %v", g.Name, q.Name, rise, want)
			}
		}
	}
}

// TestTrainingSteady holds that a step of training gives the same bytes on any number of cores, and
// that further steps allocate nothing; what gradients were before leaves no trace.
func TestTrainingSteady(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const batch = 7
	graphs := append(learnedNets(), poolsNet())
	for _, g := range chainNets() {
		graphs = append(graphs, g)
	}
	for _, g := range graphs {
		var want [][]float32
		for _, cores := range []int{1, 2, 4, 8} {
			runtime.GOMAXPROCS(cores)
			tr := must.Get(NewTraining(g, g.Params(), 1))(t)
			p, n := tr.Dims()
			r := rand.New(rand.NewPCG(8, 8))
			x, u, dx := randomSlice[float32](r, batch*p, 1), randomSlice[float32](r, batch*n, 1), make([]float32, batch*p)
			step := func() {
				tr.Forward(x)
				tr.Backward(dx, u)
			}
			for _, q := range g.Params() {
				fillNaN(q.Grad)
			}
			step()
			got := [][]float32{slices.Clone(dx)}
			for _, q := range g.Params() {
				got = append(got, slices.Clone(q.Grad))
			}
			if want == nil {
				want = got
			}
			sameArrays(t, fmt.Sprintf("%s on %d cores", g.Name, cores), got, want)
			if cores == 8 {
				steady(t, g.Name+": a step", len(g.Nodes), step)
			}
		}
	}
}

func poolsNet() *Graph {
	b := NewBuilder("pools", 3, 20, 20)
	b.Conv("", 8, 3, 1, 0, true)
	b.Add("", &ReLU{})
	b.MaxPool(2)
	b.Conv("", 300, 5, 1, 0, true)
	b.Add("", &ReLU{})
	b.MaxPool(3)
	b.Conv("", 60, 1, 1, 0, true)
	b.Add("", Flatten())
	b.Dense("", 4, true)
	return initialised(b, 1)
}
