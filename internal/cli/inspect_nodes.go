package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/nn"
)

// A candidate is a node whose output could be the release.
type candidate struct {
	Node         string  `json:"node"`
	Tensor       string  `json:"tensor"`
	Operator     string  `json:"operator"`
	Shape        []int   `json:"shape"`
	Size         int     `json:"size"`
	Ratio        float64 `json:"size_over_inputs"`
	MultiplyAdds int64   `json:"multiply_adds"` // up to it
	Parameters   int64   `json:"parameters"`    // up to it
	Default      bool    `json:"default"`
	Cuts         bool    `json:"cut"`              // the output follows from it alone
	Join         string  `json:"join,omitempty"`   // of no cut: the first node that is given both
	Bypass       string  `json:"bypass,omitempty"` // of no cut: the tensor that goes past it to there
}

// candidates are all nodes that depend on the input, in the graph's order.
func candidates(g *nn.Graph) ([]candidate, error) {
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
	w := newWays(g)
	out := []candidate{}
	for i, n := range g.Nodes {
		if !w.depends[n.Output] {
			continue
		}
		c := candidate{Node: n.Name, Tensor: n.Output, Operator: n.Op.Kind(), Shape: shapes[n.Output], Size: nn.Size(shapes[n.Output])}
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

// ways answers how tensors of a graph depend on one another.
type ways struct {
	g       *nn.Graph
	maker   map[string]int  // the node of each tensor
	depends map[string]bool // on the input
	needed  []bool          // for the output
}

func newWays(g *nn.Graph) *ways {
	w := &ways{g: g, maker: map[string]int{}, depends: map[string]bool{g.Input: true}}
	for i, n := range g.Nodes {
		w.maker[n.Output] = i
		if slices.ContainsFunc(n.Inputs, func(t string) bool { return w.depends[t] }) {
			w.depends[n.Output] = true
		}
	}
	w.needed = w.before(g.Output)
	return w
}

// before marks the nodes that a tensor is computed by.
func (w *ways) before(tensor string) []bool {
	marks := make([]bool, len(w.g.Nodes))
	last, ok := w.maker[tensor]
	if !ok {
		return marks
	}
	marks[last] = true
	for i := last; i >= 0; i-- {
		if !marks[i] {
			continue
		}
		for _, t := range w.g.Nodes[i].Inputs {
			if k, ok := w.maker[t]; ok {
				marks[k] = true
			}
		}
	}
	return marks
}

// upTo sums multiply-adds and parameters of what node i is computed by.
func (w *ways) upTo(i int, costs map[string]int64) (multiplyAdds, parameters int64) {
	seen := map[*nn.Param]bool{}
	for k, used := range w.before(w.g.Nodes[i].Output) {
		if !used {
			continue
		}
		multiplyAdds += costs[w.g.Nodes[k].Name]
		for _, p := range w.g.Nodes[k].Op.Params() {
			if p != nil && !seen[p] {
				seen[p] = true
				parameters += int64(nn.Size(p.Shape))
			}
		}
	}
	return multiplyAdds, parameters
}

// past names the first node behind i that is also given what does not pass through i,
// and the tensor that this is; empty where i cuts the graph in two.
func (w *ways) past(i int) (join, tensor string) {
	at := w.g.Nodes[i].Output
	if at == w.g.Output {
		return "", ""
	}
	behind := map[string]bool{at: true}
	for k := range w.g.Nodes {
		n := w.g.Nodes[k]
		if k <= i || !slices.ContainsFunc(n.Inputs, func(t string) bool { return behind[t] }) {
			continue
		}
		behind[n.Output] = true
		for _, t := range n.Inputs {
			if w.needed[k] && !behind[t] && w.depends[t] {
				return n.Name, t
			}
		}
	}
	if !behind[w.g.Output] {
		return "the output", "what is computed without it"
	}
	return "", ""
}

// cutAt cuts a graph in two at a node or tensor that the user named.
func cutAt(g *nn.Graph, name string) (front, head *nn.Graph, err error) {
	if g.Node(name) == nil {
		said := ""
		if near := nearest(g, name); len(near) > 0 {
			said = "; the nearest names are " + strings.Join(near, ", ")
		}
		return nil, nil, usage(fmt.Errorf("--features: no node %q%s", name, said), "tattle inspect lists the nodes that cut the model in two")
	}
	if front, head, err = g.Cut(name); err != nil {
		return nil, nil, usage(fmt.Errorf("--features: %w", err), "tattle inspect lists the nodes that cut the model in two")
	}
	return front, head, nil
}

// suggestions is how many names are offered for a wrong one.
const suggestions = 3

// nearest are the names of nodes and tensors that are nearest to a wrong one: those
// with the fewest letters changed, and of these first the ones that have it in them.
func nearest(g *nn.Graph, name string) []string {
	type near struct {
		name string
		far  int
	}
	var all []near
	seen := map[string]bool{}
	for _, n := range g.Nodes {
		for _, s := range []string{n.Name, n.Output} {
			if seen[s] {
				continue
			}
			seen[s] = true
			far := 2 * edits(strings.ToLower(name), strings.ToLower(s))
			if name != "" && strings.Contains(strings.ToLower(s), strings.ToLower(name)) {
				far = 1 // as good as right
			}
			all = append(all, near{s, far})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return a.far - b.far })
	var out []string
	for _, n := range all[:min(suggestions, len(all))] {
		out = append(out, strconv.Quote(n.name))
	}
	return out
}

// edits is Levenshtein's distance, of the first hundred bytes.
func edits(a, b string) int {
	a, b = a[:min(len(a), 100)], b[:min(len(b), 100)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
