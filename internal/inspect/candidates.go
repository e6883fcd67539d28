package inspect

import (
	"slices"

	"tattle/internal/engine/nn"
)

// Candidate is a node whose output could be the release.
type Candidate struct {
	Node         string  `json:"node"`
	Tensor       string  `json:"tensor"`
	Operator     string  `json:"operator"`
	Shape        []int   `json:"shape"`
	Size         int     `json:"size"`
	Ratio        float64 `json:"size_over_inputs"`
	MultiplyAdds int64   `json:"multiply_adds"` // needed to compute it
	Parameters   int64   `json:"parameters"`    // needed to compute it
	Default      bool    `json:"default"`
	Cuts         bool    `json:"cut"`              // the model's output can be computed from it alone
	Join         string  `json:"join,omitempty"`   // if it is no cut: the first node that also needs another tensor
	Bypass       string  `json:"bypass,omitempty"` // if it is no cut: that tensor
}

// candidates returns all nodes that depend on the input, in the graph's order.
func candidates(g *nn.Graph) ([]Candidate, error) {
	shapes, err := g.Shapes()
	if err != nil {
		return nil, err
	}
	costs, err := g.Costs()
	if err != nil {
		return nil, err
	}
	chosen := ""
	if name, err := g.FeatureNode(); err == nil {
		chosen = name
	}
	w := newDependencies(g)
	out := []Candidate{}
	for i, n := range g.Nodes {
		if !w.depends[n.Output] {
			continue
		}
		c := Candidate{Node: n.Name, Tensor: n.Output, Operator: n.Op.Kind(), Shape: shapes[n.Output], Size: nn.Size(shapes[n.Output])}
		if c.Shape == nil {
			c.Shape = []int{}
		}
		c.Ratio = float64(c.Size) / float64(nn.Size(g.InputShape))
		c.MultiplyAdds, c.Parameters = w.upTo(i, costs)
		c.Join, c.Bypass = w.past(i)
		c.Cuts = c.Join == ""
		c.Default = c.Cuts && n.Name == chosen
		out = append(out, c)
	}
	return out, nil
}

// dependencies says how tensors of a graph depend on one another.
type dependencies struct {
	g        *nn.Graph
	producer map[string]int  // the node that computes each tensor
	depends  map[string]bool // on the input
	needed   []bool          // for the output
}

func newDependencies(g *nn.Graph) *dependencies {
	w := &dependencies{g: g, producer: map[string]int{}, depends: map[string]bool{g.Input: true}}
	for i, n := range g.Nodes {
		w.producer[n.Output] = i
		if slices.ContainsFunc(n.Inputs, func(t string) bool { return w.depends[t] }) {
			w.depends[n.Output] = true
		}
	}
	w.needed = w.before(g.Output)
	return w
}

// before marks the nodes that are needed to compute a tensor.
func (w *dependencies) before(tensor string) []bool {
	marks := make([]bool, len(w.g.Nodes))
	last, ok := w.producer[tensor]
	if !ok {
		return marks
	}
	marks[last] = true
	for i := last; i >= 0; i-- {
		if !marks[i] {
			continue
		}
		for _, t := range w.g.Nodes[i].Inputs {
			if k, ok := w.producer[t]; ok {
				marks[k] = true
			}
		}
	}
	return marks
}

// upTo sums the multiply-adds and parameters of the nodes needed to compute node i.
func (w *dependencies) upTo(i int, costs map[string]int64) (multiplyAdds, parameters int64) {
	seen := map[*nn.Param]bool{}
	for k, used := range w.before(w.g.Nodes[i].Output) {
		if !used {
			continue
		}
		multiplyAdds += costs[w.g.Nodes[k].Name]
		for _, p := range w.g.Nodes[k].Params() {
			if p != nil && !seen[p] {
				seen[p] = true
				parameters += int64(nn.Size(p.Shape))
			}
		}
	}
	return multiplyAdds, parameters
}

// past returns the first node after i that also needs a tensor which does not come from i,
// and that tensor; empty if the graph's output can be computed from i alone.
func (w *dependencies) past(i int) (join, tensor string) {
	start := w.g.Nodes[i].Output
	if start == w.g.Output {
		return "", ""
	}
	after := map[string]bool{start: true}
	for k := range w.g.Nodes {
		n := w.g.Nodes[k]
		if k <= i || !slices.ContainsFunc(n.Inputs, func(t string) bool { return after[t] }) {
			continue
		}
		after[n.Output] = true
		for _, t := range n.Inputs {
			if w.needed[k] && !after[t] && w.depends[t] {
				return n.Name, t
			}
		}
	}
	if !after[w.g.Output] {
		return "the output", "a tensor that does not come from this node"
	}
	return "", ""
}
