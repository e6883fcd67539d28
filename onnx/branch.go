package onnx

import "slices"

// maxNested bounds how deep graphs lie in each other's branches.
const maxNested = 4

// branch reads one of an If's graphs.
func (n *node) branch(name string) (*graph, error) {
	a, ok, err := n.attribute(name)
	if err != nil {
		return nil, err
	}
	if !ok || a.graph == nil {
		return nil, malformed("lacks its %s", name)
	}
	w := &wire{}
	g := w.graph(a.graph)
	return g, w.err
}

// captures notes which tensors the branches of an If read from the graph around it,
// so that they are computed before. What is wrong in a branch is told of when it is
// read.
func (n *node) captures(depth int) {
	if n.op != "If" || !isStandard(n.domain) || depth > maxNested {
		return
	}
	for _, name := range []string{"then_branch", "else_branch"} {
		g, err := n.branch(name)
		if err != nil {
			continue
		}
		own := map[string]bool{"": true}
		for _, m := range g.initializers {
			own[m.name] = true
		}
		for i := range g.nodes {
			inner := &g.nodes[i]
			inner.captures(depth + 1)
			for _, in := range slices.Concat(inner.inputs, inner.captured) {
				if !own[in] {
					n.captured = append(n.captured, in)
				}
			}
			for _, out := range inner.outputs {
				own[out] = true
			}
		}
		for _, m := range g.outputs {
			if !own[m.name] {
				n.captured = append(n.captured, m.name)
			}
		}
	}
}

// choose reads an If (ONNX If-16) whose condition is constant, as those are that
// exporters make of shapes: the nodes of the branch that is taken stand in its place.
func (d *decoder) choose(n *node) error {
	condition, err := d.constantValue(n, 0)
	if err != nil {
		return err
	}
	if condition.kind == isFloat || condition.size() != 1 {
		return malformed("condition is %s%v", typeName(condition.element), condition.shape)
	}
	if len(d.scopes) == maxNested {
		return beyond("branches in branches, over %d deep", maxNested)
	}
	name := "else_branch"
	if condition.ints[0] != 0 {
		name = "then_branch"
	}
	g, err := n.branch(name)
	if err != nil {
		return err
	}
	if len(g.outputs) != len(n.outputs) {
		return malformed("has %d outputs, its %s %d", len(n.outputs), name, len(g.outputs))
	}
	err = d.inline(n, g)
	d.at, d.fault = n, nil
	return err
}

// inline reads the nodes of a branch, its own tensors under names of their own.
func (d *decoder) inline(n *node, g *graph) error {
	own := map[string]string{}
	d.scopes = append(d.scopes, own)
	defer func() { d.scopes = d.scopes[:len(d.scopes)-1] }()
	for _, m := range g.initializers {
		own[m.name] = d.freshTensor(n.name + "/" + m.name)
		d.weights[own[m.name]] = m.body
	}
	for i := range g.nodes {
		for _, out := range g.nodes[i].outputs {
			if out != "" {
				own[out] = d.freshTensor(n.name + "/" + out)
			}
		}
	}
	inside := len(g.nodes)
	for i, m := range g.outputs {
		if n.outputs[i] != "" {
			g.nodes = append(g.nodes, node{op: "Identity", inputs: []string{m.name}, outputs: []string{n.outputs[i]}})
		}
	}
	for i := range g.nodes {
		inner := &g.nodes[i]
		inner.captures(len(d.scopes))
		d.rename(inner.inputs)
		d.rename(inner.captured)
		if i < inside { // the others' outputs are those of the If
			d.rename(inner.outputs)
		}
		for _, in := range slices.Concat(inner.inputs, inner.captured) {
			if in != "" {
				d.use(in)
			}
		}
	}
	for i := range g.nodes {
		if err := d.node(&g.nodes[i]); err != nil {
			return err
		}
	}
	return nil
}

// rename gives tensors of a branch, the innermost first, the names that they have
// in the graph.
func (d *decoder) rename(names []string) {
	for i, name := range names {
		for _, scope := range slices.Backward(d.scopes) {
			if to, ok := scope[name]; ok {
				names[i] = to
				break
			}
		}
	}
}
