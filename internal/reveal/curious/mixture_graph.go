package curious

import (
	"fmt"

	"tattle/internal/engine/nn"
)

// newGraph returns a graph without nodes.
func newGraph(name string, input ...int) *nn.Graph {
	return &nn.Graph{Name: name, Input: "input", InputShape: input, Output: "input"}
}

// appendNode appends an operator, whose node and tensor are called name, and returns
// that.
func appendNode(g *nn.Graph, name string, op nn.Op, inputs ...string) string {
	g.Nodes = append(g.Nodes, &nn.Node{Name: name, Op: op, Inputs: inputs, Output: name})
	g.Output = name
	return name
}

// embed appends the nodes of another graph, on the same input, with the prefix
// before their names, and returns the tensor of its output.
func embed(g *nn.Graph, prefix string, from *nn.Graph) string {
	tensor := func(name string) string {
		if name == from.Input {
			return g.Input
		}
		return prefix + name
	}
	for _, n := range from.Nodes {
		in := make([]string, len(n.Inputs))
		for i, name := range n.Inputs {
			in[i] = tensor(name)
		}
		g.Nodes = append(g.Nodes, &nn.Node{Name: prefix + n.Name, Op: n.Op, Inputs: in, Output: tensor(n.Output)})
	}
	return tensor(from.Output)
}

// vectorOut returns the length of a graph's output; it returns an error if that is no vector.
func vectorOut(g *nn.Graph) (int, error) {
	shapes, err := g.Shapes()
	if err != nil {
		return 0, fmt.Errorf("net %q: %w", g.Name, err)
	}
	s := shapes[g.Output]
	if len(s) != 1 {
		return 0, fmt.Errorf("net %q: outputs of shape %v, want one for each class", g.Name, s)
	}
	return s[0], nil
}

// diagonal returns an affine layer that multiplies each input by a factor and cuts
// off, or pads with zeros, what is longer or shorter.
func diagonal(name string, in, out int, factor float64) *nn.Dense {
	w := param(name+".weight", out, in)
	for i := range min(in, out) {
		w.Data[i*in+i] = float32(factor)
	}
	return &nn.Dense{In: in, Out: out, Weight: w}
}
