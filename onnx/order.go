package onnx

import (
	"fmt"
	"slices"
	"strings"
)

// needed returns the nodes on which the output depends, in the file's order, and
// counts the uses of every tensor among them.
func (d *decoder) needed() ([]*node, error) {
	if err := d.producers(); err != nil {
		return nil, err
	}
	for i := range d.source.nodes {
		d.source.nodes[i].captures(0)
	}
	d.use(d.graph.Output)
	want := make([]bool, len(d.source.nodes))
	todo := []string{d.graph.Output}
	for len(todo) > 0 {
		i, ok := d.from[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if !ok || want[i] {
			continue
		}
		want[i] = true
		for _, in := range slices.Concat(d.source.nodes[i].inputs, d.source.nodes[i].captured) {
			if in != "" {
				d.use(in)
				todo = append(todo, in)
			}
		}
	}
	var nodes []*node
	for i := range d.source.nodes {
		if want[i] {
			nodes = append(nodes, &d.source.nodes[i])
		}
	}
	return nodes, d.acyclic(want)
}

func (d *decoder) use(tensor string) {
	d.uses[tensor]++
	d.left[tensor]++
	d.taken[tensor] = true
}

// producers finds which node computes each tensor. It errs where another does, or
// where the file gives it.
func (d *decoder) producers() error {
	d.from = map[string]int{}
	given := map[string]bool{}
	for _, m := range slices.Concat(d.source.inputs, d.source.initializers) {
		given[m.name] = true
	}
	for i, n := range d.source.nodes {
		for _, out := range n.outputs {
			if given[out] {
				return &FormatError{Node: n.name, Op: n.op, Detail: fmt.Sprintf("output %q is there already", out)}
			}
			if _, dup := d.from[out]; dup && out != "" {
				return malformed("tensor %q is computed twice", out)
			}
			if out != "" {
				d.from[out] = i
			}
		}
	}
	return nil
}

// later says which node after computes a tensor that is read too early.
func (d *decoder) later(tensor string) string {
	i, ok := d.from[tensor]
	if !ok {
		return ""
	}
	return fmt.Sprintf(": node %q comes after it; sort the nodes of the file", called(&d.source.nodes[i]))
}

// called returns a node's name, or what tells it from others where it has none.
func called(n *node) string {
	if n.name != "" {
		return n.name
	}
	return n.op + " of " + n.outputs[0]
}

// acyclic errs where some of the wanted nodes need each other, naming them. Depth
// first, with a stack of its own: files have chains of any length.
func (d *decoder) acyclic(want []bool) error {
	const fresh, open, done = 0, 1, 2
	state := make([]uint8, len(want))
	next := make([]int32, len(want)) // input to look at
	var path []int
	for start := range want {
		if !want[start] || state[start] != fresh {
			continue
		}
		for path = append(path[:0], start); len(path) > 0; {
			i := path[len(path)-1]
			state[i] = open
			n := &d.source.nodes[i]
			if int(next[i]) == len(n.inputs)+len(n.captured) {
				state[i] = done
				path = path[:len(path)-1]
				continue
			}
			in := n.input(int(next[i]))
			next[i]++
			j, ok := d.from[in]
			switch {
			case !ok || in == "" || state[j] == done:
			case state[j] == open:
				return d.cycle(path[slices.Index(path, j):])
			default:
				path = append(path, j)
			}
		}
	}
	return nil
}

// input returns one of the tensors that a node or its branches read.
func (n *node) input(i int) string {
	if i < len(n.inputs) {
		return n.inputs[i]
	}
	return n.captured[i-len(n.inputs)]
}

// cycle names the nodes of a cycle, from the one that needs the next and so on.
func (d *decoder) cycle(path []int) error {
	const most = 8
	var names []string
	for _, i := range slices.Backward(path) {
		if len(names) == most {
			names = append(names, fmt.Sprintf("and %d more", len(path)-most))
			break
		}
		names = append(names, fmt.Sprintf("%q", called(&d.source.nodes[i])))
	}
	return malformed("cycle through nodes %s: each needs the one before it to be computed first", strings.Join(names, ", "))
}
