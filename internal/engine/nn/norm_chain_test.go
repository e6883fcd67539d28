package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/math/simd"
	"tattle/internal/must"
)

// chainNets are nets with a BatchNorm followed by each kind of chain.
func chainNets() map[string]*Graph {
	nets := map[string]*Graph{}
	for name, ops := range map[string][]Op{
		"leaky dropout": {&LeakyReLU{Slope: .1}, &Dropout{P: .3}},
		"relu dropout":  {&ReLU{}, &Dropout{P: .3}},
		"relu":          {&ReLU{}},
		"leaky":         {&LeakyReLU{Slope: .2}},
		"dropout":       {&Dropout{P: .5}},
		"dropout relu":  {&Dropout{P: .5}, &ReLU{}},
		"none":          {},
	} {
		b := NewBuilder(name, 3, 9, 9)
		b.Conv("", 6, 2, 1, 0, true)
		for range 2 {
			b.BatchNorm("")
			for _, op := range ops {
				b.Add("", op)
			}
			b.Conv("", 5, 3, 2, 0, true)
		}
		b.Add("", &Flatten{})
		b.BatchNorm("")
		for _, op := range ops {
			b.Add("", op)
		}
		b.Dense("", 4, true)
		nets[name] = initialised(b, 1)
	}
	return nets
}

// fannedNorm has a batch norm that not only the rectifier after it reads, if any.
func fannedNorm(rectified string) *Graph {
	b := NewBuilder("fan", 3, 4, 4)
	b.BatchNorm("")
	b.Add("", &ReLU{})
	b.Graph.Nodes[1].Inputs[0] = rectified
	b.Graph.node("sum", &Binary{Operator: "Add"}, "bn1", "relu1")
	return initialised(b, 1)
}

// trainSome makes a few steps and one more gradient, and returns all that they
// leave: outputs, cotangents of the inputs, parameters, gradients and statistics.
func trainSome(t *testing.T, g *Graph, params []*Param, join func(*program[float32])) [][]float32 {
	t.Helper()
	const batch = 7
	g.Init(1)
	for _, p := range g.Params() {
		p.Grad = nil
	}
	tr := must.Get(newTraining(g, params, 3, join))(t)
	r := rand.New(rand.NewPCG(1, 1))
	p, n := tr.Dims()
	for range 3 {
		tr.Forward(randomSlice[float32](r, batch*p, 1))
		tr.Backward(nil, randomSlice[float32](r, batch*n, 1))
		for _, q := range params {
			simd.Axpy(-.01, q.Grad, q.Data)
			q.Changed()
		}
	}
	dx := make([]float32, batch*p)
	out := slices.Clone(tr.Forward(randomSlice[float32](r, batch*p, 1)))
	tr.Backward(dx, randomSlice[float32](r, len(out), 1))
	all := [][]float32{out, dx}
	for _, p := range g.Params() {
		all = append(all, slices.Clone(p.Data), slices.Clone(p.Grad))
	}
	for _, n := range g.Nodes {
		if b, ok := n.Op.(*BatchNorm); ok {
			all = append(all, slices.Clone(b.Mean.Data), slices.Clone(b.Variance.Data))
		}
	}
	return all
}

func sameArrays(t *testing.T, name string, got, want [][]float32) {
	t.Helper()
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("%s: array %d differs", name, i)
		}
	}
}

func notJoined(*program[float32]) {}

// TestChainEqualsOperators trains each net with and without the joining of
// operators and wants the same bytes, with all parameters learning and with those
// of the batch norms held.
func TestChainEqualsOperators(t *testing.T) {
	nets := chainNets()
	nets["fan"], nets["aside"] = fannedNorm("bn1"), fannedNorm("input")
	for name, g := range nets {
		var held []*Param
		for _, n := range g.Nodes {
			if _, ok := n.Op.(*BatchNorm); !ok {
				held = append(held, n.Params()...)
			}
		}
		for _, params := range [][]*Param{g.Params(), held} {
			sameArrays(t, name, trainSome(t, g, params, fuse), trainSome(t, g, params, notJoined))
		}
	}
}

// TestChainIsJoined holds that the test above compares two things.
func TestChainIsJoined(t *testing.T) {
	for name, g := range chainNets() {
		p := newProgram(g, Op.kernel32, true)
		before, chains := len(p.steps), 0
		fuse(p)
		for _, s := range p.steps {
			if _, ok := s.kernel.(*normChain); ok {
				chains++
			}
		}
		want := 3
		if name == "none" {
			want = 0
		}
		if chains != want || (len(p.steps) < before) != (want > 0) {
			t.Errorf("%s: %d chains, %d steps of %d", name, chains, len(p.steps), before)
		}
	}
}

// TestChainProducts holds a chain's training products to differences, several
// vectors at a time.
func TestChainProducts(t *testing.T) {
	for _, ops := range [][]Op{
		{&LeakyReLU{Slope: .1}, &Dropout{P: .3}}, {&ReLU{}, &Dropout{P: .3}}, {&ReLU{}}, {&Dropout{P: .5}},
	} {
		t.Run(fmt.Sprint(len(ops)), func(t *testing.T) {
			const batch, size = 6, 4 * 3 * 3
			norm := testBatchNorm(4)
			k := newNormChain(newBatchNorm[float32](norm, []int{4, 3, 3}))
			for _, op := range ops {
				if !k.extend(op.kernel32([]int{4, 3, 3})) {
					t.Fatal("does not extend the chain")
				}
			}
			r := rand.New(rand.NewPCG(2, 2))
			x, v, u := randomSlice[float32](r, batch*size, 1), randomSlice[float32](r, 2*batch*size, 1), randomSlice[float32](r, 2*batch*size, 1)
			f := &frame[float32]{batch: batch, x: [][]float32{x}, y: make([]float32, len(x)), train: true, seed: 9}
			k.forward(f)
			dy, dx := make([]float32, len(v)), make([]float32, len(u))
			k.jvp(f, dy, [][]float32{v}, 2)
			k.vjp(f, [][]float32{dx}, u, 2)
			if left, right := dot64(dy, u), dot64(v, dx); !(math.Abs(left-right) <= 1e-5*norm64(dy)*norm64(u)) {
				t.Errorf("⟨Jv, u⟩ = %v, ⟨v, Jᵀu⟩ = %v", left, right)
			}
			const h = 1.0 / (1 << 12)
			for j := range 2 {
				rows := func(x []float32) (out []float32) {
					for e := range batch {
						out = append(out, x[(e*2+j)*size:][:size]...)
					}
					return out
				}
				at := func(h float32) []float32 {
					g := &frame[float32]{batch: batch, x: moved([][]float32{x}, [][]float32{rows(v)}, h), y: make([]float32, len(x)), train: true, seed: 9}
					k.forward(g)
					return g.y
				}
				up, down, weights := at(h), at(-h), randomSlice[float32](r, len(x), 1)
				got := dot64(rows(dy), weights)
				want := (dot64(up, weights) - dot64(down, weights)) / (2 * h)
				if !(math.Abs(got-want) <= .02*norm64(rows(dy))*norm64(weights)/10) {
					t.Errorf("jvp %v, differences %v", got, want)
				}
			}
		})
	}
}

// TestChainBeforeConstant has an operator that reads nothing come after a BatchNorm.
func TestChainBeforeConstant(t *testing.T) {
	g := chain([]int{4}, testBatchNorm(4))
	g.node("c", constantOf(rand.New(rand.NewPCG(1, 1)), 4))
	g.node("y", &Binary{Operator: "Add"}, "n0", "c")
	must.Get(NewTraining(g, g.Params(), 1))(t)
}
