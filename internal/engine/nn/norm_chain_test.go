package nn

import (
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
		"leaky dropout": {&ReLU{Slope: .1}, &Dropout{P: .3}},
		"relu dropout":  {&ReLU{}, &Dropout{P: .3}},
		"relu":          {&ReLU{}},
		"leaky":         {&ReLU{Slope: .2}},
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
		b.Add("", Flatten())
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

// notJoined makes chains of norms alone.
func notJoined(p *program[float32]) {
	for i, s := range p.steps {
		if norm, ok := s.kernel.(*batchNorm[float32]); ok {
			p.steps[i].kernel = newNormChain(norm)
		}
	}
}

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
		if chains != 3 || (len(p.steps) < before) != (name != "none") {
			t.Errorf("%s: %d chains, %d steps of %d", name, chains, len(p.steps), before)
		}
	}
}

// TestChainBeforeConstant has an operator that reads nothing come after a BatchNorm.
func TestChainBeforeConstant(t *testing.T) {
	g := chain([]int{4}, testBatchNorm(4))
	g.node("c", constantOf(rand.New(rand.NewPCG(1, 1)), 4))
	g.node("y", &Binary{Operator: "Add"}, "n0", "c")
	must.Get(NewTraining(g, g.Params(), 1))(t)
}
