package release

import (
	"fmt"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// A Map is y = W(a − μ), from In numbers to Out, with a ≈ By + μ on the way back.
type Map struct {
	In, Out int
	Weight  []float64 // W, [Out, In]
	Back    []float64 // B, [In, Out]; nil for Wᵀ
	Mean    []float64 // μ, [In]; nil for zero
}

// layers are a map and its way back as they are stored, in float32.
type layers struct {
	name       string
	onto, back *nn.Dense
}

// Onto returns y = Wa − Wμ, with parameters of that name.
func (m *Map) Onto(name string) *nn.Dense {
	d := newDense(m.In, m.Out, name, m.Mean != nil)
	copy(d.Weight.Data, nn.Float32s(m.Weight))
	if m.Mean != nil {
		for i := range m.Out {
			d.Bias.Data[i] = float32(-simd.Dot(m.Weight[i*m.In:(i+1)*m.In], m.Mean))
		}
	}
	return d
}

// layers returns y = Wa − Wμ and By + μ.
func (m *Map) layers(name string) layers {
	l := layers{name, m.Onto("release-" + name), newDense(m.Out, m.In, "release-un"+name, m.Mean != nil)}
	copy(l.back.Weight.Data, nn.Float32s(m.Back))
	for i, v := range l.onto.Weight.Data {
		if m.Back == nil {
			l.back.Weight.Data[i%m.In*m.Out+i/m.In] = v
		}
	}
	if m.Mean != nil {
		copy(l.back.Bias.Data, nn.Float32s(m.Mean))
	}
	return l
}

// around puts the map behind front and its way back before head.
func (l layers) around(front, head *nn.Graph) (f, h *nn.Graph) {
	f = &nn.Graph{Name: front.Name, Input: front.Input, InputShape: front.InputShape, Output: front.Output}
	f.Nodes = append(f.Nodes, front.Nodes...)
	appendNode(f, "release-"+l.name, l.onto, f.Output)
	h = &nn.Graph{Name: head.Name, Input: head.Input, InputShape: []int{l.onto.Out}, Nodes: head.Nodes, Output: head.Output}
	prependNode(h, "release-un"+l.name, l.back, f.Output)
	return f, h
}

// flat returns how many numbers a front gives, or an error if they have more than one
// dimension.
func flat(front *nn.Graph) (int, error) {
	shapes, err := front.Shapes()
	if err != nil {
		return 0, err
	}
	shape := shapes[front.Output]
	if len(shape) != 1 {
		return 0, fmt.Errorf("what is released has shape %v, not one dimension: choose a flat node, such as a Flatten behind it", shape)
	}
	return shape[0], nil
}

func newDense(in, out int, name string, bias bool) *nn.Dense {
	d := &nn.Dense{In: in, Out: out, Weight: nn.NewParam(name+".weight", out, in)}
	if bias {
		d.Bias = nn.NewParam(name+".bias", out)
	}
	return d
}

// appendNode adds an operator of some tensors, whose output becomes that of the graph.
func appendNode(g *nn.Graph, name string, op nn.Op, inputs ...string) {
	name = freshName(g, name)
	g.Nodes = append(g.Nodes, &nn.Node{Name: name, Op: op, Inputs: inputs, Output: name})
	g.Output = name
}

// prependNode adds an operator that makes the graph's input from another one.
func prependNode(g *nn.Graph, name string, op nn.Op, input string) {
	first := &nn.Node{Name: freshName(g, name), Op: op, Inputs: []string{input}, Output: g.Input}
	g.Nodes, g.Input = append([]*nn.Node{first}, g.Nodes...), input
}

// freshName returns the name, lengthened until nothing in g has it.
func freshName(g *nn.Graph, name string) string {
	for name == g.Input || g.Node(name) != nil {
		name += "-"
	}
	return name
}
