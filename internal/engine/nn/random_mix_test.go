package nn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// mixture is a random graph of rearrangements, constants and what broadcasts, which passes
// over graphs have much to do with.
type mixture struct {
	*Graph
	r      *rand.Rand
	shapes map[string][]int
	names  []string
}

func randomMix(r *rand.Rand) *Graph {
	m := &mixture{r: r, shapes: map[string][]int{}, names: []string{"x"}}
	m.Graph = chain(m.dims(r.IntN(4)))
	m.shapes["x"] = m.InputShape
	for range 60 {
		in := m.pick()
		if s := m.shapes[in]; r.IntN(2) == 0 {
			m.add(m.rearrangement(s), in)
		} else {
			m.other(s, in)
		}
	}
	return m.Graph
}

func (m *mixture) dims(rank int) []int {
	s := make([]int, rank)
	for i := range s {
		s[i] = 1 + m.r.IntN(3)
	}
	return s
}

// pick returns a tensor, rather one of the last.
func (m *mixture) pick() string { return m.names[max(m.r.IntN(len(m.names)), m.r.IntN(len(m.names)))] }

// add appends a node where its operator fits, and there are not too many.
func (m *mixture) add(op Op, inputs ...string) {
	var in [][]int
	for _, n := range inputs {
		in = append(in, m.shapes[n])
	}
	s, err := op.Shape(in...)
	if err != nil || Size(s) > 500 || len(s) > 5 || len(m.Nodes) > 10 {
		return
	}
	name := fmt.Sprint("n", len(m.Nodes))
	m.node(name, op, inputs...)
	m.shapes[name], m.names = s, append(m.names, name)
}

// part returns a parameter that broadcasts to the shape.
func (m *mixture) part(s []int) *Param {
	s = slices.Clone(s[m.r.IntN(len(s)+1):])
	for i := range s {
		if m.r.IntN(2) == 0 {
			s[i] = 1
		}
	}
	return &Param{Name: "part", Shape: s, Data: randomSlice[float32](m.r, Size(s), 1)}
}

func (m *mixture) rearrangement(s []int) Op {
	switch m.r.IntN(6) {
	case 0:
		return &Reshape{To: append([]int{1}, s...)}
	case 1:
		return Flatten()
	case 2:
		return &Transpose{Perm: m.r.Perm(len(s))}
	case 3:
		if len(s) == 0 {
			return &Identity{}
		}
		a := m.r.IntN(len(s))
		return &Gather{Axis: a, Indices: []int{s[a] - 1, 0, s[a] - 1}, Dims: []int{3}}
	case 4:
		return &Pad{Before: make([]int, len(s)), After: make([]int, len(s))}
	}
	o := &Slice{Starts: make([]int, len(s)), Counts: slices.Clone(s), Steps: make([]int, len(s))}
	for i, n := range s {
		if o.Steps[i] = 1; m.r.IntN(3) == 0 {
			o.Steps[i], o.Starts[i] = -1, n-1
		} else if m.r.IntN(4) == 0 {
			o.Counts[i] = (n + 1) / 2
		}
	}
	return o
}

func (m *mixture) other(s []int, in string) {
	r := m.r
	first := r.IntN(2) == 0
	operator := []string{"Add", "Sub", "Mul", "Max"}[r.IntN(4)]
	switch r.IntN(9) {
	case 0:
		m.add(&Constant{Value: m.part(s), Learned: first})
	case 1:
		m.add(&Binary{Operator: operator, Constant: m.part(s), ConstantFirst: first}, in)
	case 2:
		m.add(&Binary{Operator: operator}, in, m.pick())
	case 3:
		m.add(&MatMul{TransB: r.IntN(2) == 0}, in, m.pick())
	case 4:
		m.add(&LayerNorm{Axes: 1 + r.IntN(3)}, in)
	case 5:
		m.add(&Where{Condition: m.part(s)}, in, m.pick())
	case 6:
		m.add(&Where{}, in, m.pick(), m.pick())
	case 7:
		m.add(&Concat{Axis: r.IntN(3)}, in, in)
	default:
		if len(s) > 0 {
			m.add(testDense(s[len(s)-1], 1+r.IntN(3), true), in)
		}
	}
}

// TestRandomMixes is TestRandomNets of such graphs, whose parameters and constants
// change.
func TestRandomMixes(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		g := randomMix(r)
		net := mustNet(t, g)
		p, n := net.Dims()
		one := &taped[float32]{linearize: net.Linearize, compile: Op.kernel32}
		two := &taped[float64]{name: fmt.Sprint("seed ", seed), linearize: net.Linearize64, compile: Op.kernel64, tolerance: 1e-11}
		for range 2 {
			one.record(t, g, r, 1+r.IntN(3), p)
			two.record(t, g, r, 1+r.IntN(3), p)
			closeTo(t, fmt.Sprint("float32, seed ", seed), one.lin.Features(), one.slow.output(), 1e-3)
			two.check(t, r, p, n)
			for _, n := range g.Nodes {
				for _, p := range operands(n.Op) {
					p.Data[0] += .5
					p.Changed()
				}
			}
		}
		if t.Failed() {
			t.Fatal(kinds(g), g.InputShape)
		}
	}
}
