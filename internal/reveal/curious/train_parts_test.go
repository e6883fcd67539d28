package curious

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
)

// trainingParts returns three parts of a table of 6 columns of noise: y, of three
// classes, follows from the first two and s and r, of two and three, from the others.
func trainingParts(train int) *dataset.Parts {
	return &dataset.Parts{Train: trainingSet(train, 1), Validation: trainingSet(60, 2), Test: trainingSet(200, 3)}
}

func trainingSet(n int, seed uint64) *dataset.Set {
	r := rand.New(rand.NewPCG(seed, 1))
	s := &dataset.Set{
		Shape: []int{6}, YName: "y", YNames: []string{"a", "b", "c"},
		Sensitive: []dataset.Attribute{{Name: "s", Values: []string{"no", "yes"}}, {Name: "r", Values: []string{"u", "v", "w"}}},
	}
	third := func(a, b float64) int { return int(3 * (math.Atan2(a, b) + math.Pi) / (2*math.Pi + 1e-9)) }
	for range n {
		x := make([]float64, 6)
		for i := range x {
			x[i] = r.NormFloat64()
			s.Values = append(s.Values, float32(x[i]))
		}
		yes := 0
		if x[2]+x[3] > 0 {
			yes = 1
		}
		s.Y = append(s.Y, third(x[0], x[1]))
		s.Sensitive[0].Labels = append(s.Sensitive[0].Labels, yes)
		s.Sensitive[1].Labels = append(s.Sensitive[1].Labels, third(x[4], x[5]))
	}
	return s
}

// trained runs Train and fails the test where that errs.
func trained(t testing.TB, p *dataset.Parts, o Options) *Result {
	t.Helper()
	return must.Get(Train(context.Background(), p, o))(t)
}

// reached measures a result on a set: δy and the δs of each attack.
func reached(t testing.TB, r *Result, set *dataset.Set) (honesty float64, curiosity []float64) {
	t.Helper()
	out := must.Get(Predict(context.Background(), r.Classifier, set))(t)
	for _, a := range r.Attacks {
		net := must.Get(nn.NewNet(a.Graph))(t)
		curiosity = append(curiosity, accuracy(forward(net, out), set.Sensitive[a.Index].Labels))
	}
	return accuracy(out, set.Y), curiosity
}

// state returns every tensor that training changes: parameters and running statistics.
func state(g *nn.Graph) []*nn.Param {
	all := g.Params()
	for _, n := range g.Nodes {
		if b, ok := n.Op.(*nn.BatchNorm); ok {
			all = append(all, b.Mean, b.Variance)
		}
	}
	return all
}

// parameters returns the bits of everything that training changes.
func parameters(graphs ...*nn.Graph) []uint32 {
	var bits []uint32
	for _, g := range graphs {
		for _, p := range state(g) {
			for _, v := range p.Data {
				bits = append(bits, math.Float32bits(v))
			}
		}
	}
	return bits
}

// pictures returns parts of small pictures of three channels, for nets with batch norms.
func pictures(n int) *dataset.Parts {
	set := func(n int, split dataset.Split) *dataset.Set {
		s := dataset.Glyphs(dataset.GlyphOptions{N: n, Seed: 1, Split: split})
		small := *s
		small.Shape, small.Pixels = []int{3, 16, 16}, nil
		small.Mean, small.Std = slices.Repeat(s.Mean, 3), slices.Repeat(s.Std, 3)
		for i := range n * 3 {
			for y := range 16 {
				row := s.Pixels[i/3*28*28+(y+5+i%3)*28+6:]
				small.Pixels = append(small.Pixels, row[:16]...)
			}
		}
		return small.Subset(nn.Indices(n))
	}
	return &dataset.Parts{Train: set(n, dataset.Train), Validation: set(50, dataset.Test)}
}

// smallNet is B Table 12 for them, of a few channels.
func smallNet(classes int, seed uint64) *nn.Graph {
	return zoo.Curious(zoo.CuriousOptions{Classes: classes, Side: 16, Widths: [5]int{8, 8, 8, 8, 16}}, seed)
}

// plainNet has neither batch norm nor dropout.
func plainNet(classes int, seed uint64) *nn.Graph {
	g := smallNet(classes, seed)
	input := ""
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n *nn.Node) bool {
		if input != "" {
			n.Inputs[0], input = input, ""
		}
		switch n.Op.(type) {
		case *nn.BatchNorm, *nn.Dropout:
			input = n.Inputs[0]
			return true
		}
		return false
	})
	return g
}
