package onnx

import (
	"fmt"
	"slices"
)

// usage says which nodes of a file compute and read each tensor.
type usage struct {
	all     []node
	from    map[string]int // index of the node that computes a tensor
	readers map[string]int // how many nodes, and the model's output, read a tensor
}

// needed returns the nodes on which the output depends, in the file's order, and
// counts the readers of every tensor among them.
func (d *decoder) needed() []*node {
	u := &d.usage
	u.findProducers(d.source)
	for i := range u.all {
		u.all[i].findCaptured(0)
	}
	d.addReader(d.graph.Output)
	want := make([]bool, len(u.all))
	todo := []string{d.graph.Output}
	for len(todo) > 0 {
		i, ok := u.from[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if !ok || want[i] {
			continue
		}
		want[i] = true
		for _, in := range slices.Concat(u.all[i].inputs, u.all[i].captured) {
			if in != "" {
				d.addReader(in)
				todo = append(todo, in)
			}
		}
	}
	var nodes []*node
	for i := range u.all {
		if want[i] {
			nodes = append(nodes, &u.all[i])
		}
	}
	return nodes
}

func (d *decoder) addReader(tensor string) {
	d.usage.readers[tensor]++
	d.pending[tensor]++
	d.tensors[tensor] = true
}

// findProducers finds which node computes each tensor. It panics if two do, or if a
// node computes an input or initializer.
func (u *usage) findProducers(g *graph) {
	given := map[string]bool{}
	for _, m := range slices.Concat(g.inputs, g.initializers) {
		given[m.name] = true
	}
	for i, n := range u.all {
		for _, out := range n.outputs {
			if given[out] {
				panic(&FormatError{Node: n.name, Op: n.op, Detail: fmt.Sprintf("output %q already exists", out)})
			}
			if _, dup := u.from[out]; dup && out != "" {
				panic(malformedf("tensor %q is computed twice", out))
			}
			if out != "" {
				u.from[out] = i
			}
		}
	}
}

// later explains an input that does not exist yet, if a later node computes it.
func (u *usage) later(tensor string) string {
	i, ok := u.from[tensor]
	if !ok {
		return ""
	}
	return fmt.Sprintf(": node %q comes after it; sort the nodes of the file, which must have no cycle", u.all[i].label())
}

// label returns a node's name, or else its operator and output.
func (n *node) label() string {
	if n.name != "" {
		return n.name
	}
	return n.op + " of " + n.outputs[0]
}
