package design

import (
	"fmt"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/engine/onnx"
	"tattle/internal/protect/shape"
)

// assemble makes the model and the heads of the answer from what a shard holds.
func (s *searcher) assemble(f *found, a *Answer) error {
	front, head, err := s.graph.Cut(f.Best.Node)
	if err != nil {
		return err
	}
	if front, head, err = flat(front, head); err != nil {
		return err
	}
	var layer *nn.Graph
	for _, x := range []struct {
		name string
		file []byte
		to   **nn.Graph
	}{{"layer", f.Layer, &layer}, {"head", f.Head, &head}} {
		if len(x.file) == 0 {
			continue
		}
		if *x.to, err = onnx.Decode(x.name, x.file); err != nil {
			return err
		}
	}
	if layer != nil {
		front = shape.Join(front, layer)
	}
	tasks := tasksOf(s.train, 0, s.Tasks, nil)
	if a.Heads, err = split(head, tasks, f.Best.Method); err != nil {
		return err
	}
	a.Model = shape.Join(ending(front, Node), a.Heads[0])
	return nil
}

// ending returns the graph with its last node and output called name, and others that are
// called so renamed.
func ending(g *nn.Graph, name string) *nn.Graph {
	out := *g
	out.Nodes = nil
	rename := func(s string) string {
		switch s {
		case g.Output:
			return name
		case name:
			return name + "-before"
		}
		return s
	}
	for _, n := range g.Nodes {
		m := *n
		m.Inputs = nil
		for _, in := range n.Inputs {
			m.Inputs = append(m.Inputs, rename(in))
		}
		if m.Output = rename(n.Output); m.Output == name {
			m.Name = name
		} else if m.Name == name {
			m.Name = name + "-before"
		}
		out.Nodes = append(out.Nodes, &m)
	}
	out.Output = name
	return &out
}

// split returns a head for each task. The answers of a head that was learned are those of
// its last layer, task after task.
func split(head *nn.Graph, tasks []train.Task, m Method) ([]*nn.Graph, error) {
	if len(tasks) == 1 || m == Isotropic {
		return []*nn.Graph{head}, nil
	}
	last := head.Nodes[len(head.Nodes)-1]
	whole, ok := last.Op.(*nn.Dense)
	if !ok {
		return nil, fmt.Errorf("the head ends in %s, expected an affine layer", last.Op.Kind())
	}
	rest := whole.Out
	for _, t := range tasks[1:] {
		rest -= t.Classes
	}
	var all []*nn.Graph
	first := 0
	for k, t := range tasks {
		n := t.Classes
		if k == 0 {
			n = rest
		}
		d := &nn.Dense{In: whole.In, Out: n,
			Weight: &nn.Param{Name: "logits.weight", Shape: []int{n, whole.In}, Data: whole.Weight.Data[first*whole.In : (first+n)*whole.In]},
			Bias:   &nn.Param{Name: "logits.bias", Shape: []int{n}, Data: whole.Bias.Data[first : first+n]}}
		g := *head
		node := *last
		node.Op = d
		g.Nodes = append(append([]*nn.Node(nil), head.Nodes[:len(head.Nodes)-1]...), &node)
		all = append(all, &g)
		first += n
	}
	return all, nil
}
