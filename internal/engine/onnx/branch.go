package onnx

import "slices"

// maxNested bounds how deep graphs lie in each other's branches.
const maxNested = 4

// branch returns one of an If's graphs.
func (n *node) branch(name string) *graph {
	a, ok := n.attribute(name)
	malformedIf(!ok || a.graph == nil, "attribute %q is missing", name)
	w := &wire{}
	g := w.graph(a.graph)
	if w.err != nil {
		panic(w.err)
	}
	return g
}

// findCaptured notes which tensors the branches of an If read from the graph around it,
// so that they are computed before. Errors in a branch are reported when it is read.
func (n *node) findCaptured(depth int) {
	if n.op != "If" || !isStandard(n.domain) || depth > maxNested {
		return
	}
	for _, name := range []string{"then_branch", "else_branch"} {
		var g *graph
		if attempt(func() { g = n.branch(name) }) != nil {
			continue
		}
		own := map[string]bool{"": true}
		for _, m := range g.initializers {
			own[m.name] = true
		}
		for i := range g.nodes {
			inner := &g.nodes[i]
			inner.findCaptured(depth + 1)
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

// readIf reads an If (ONNX If-16) whose condition is constant, as it is where exporters
// compute it from shapes: the nodes of the chosen branch take its place.
func (r *nodeReader) readIf() {
	condition := r.constant(0)
	malformedIf(condition.kind == isFloat || condition.size() != 1,
		"the condition is %s%v: it must be one bool", typeName(condition.element), condition.shape)
	unsupportedIf(len(r.scopes) == maxNested, "branches nested over %d deep", maxNested)
	name := "else_branch"
	if condition.ints[0] != 0 {
		name = "then_branch"
	}
	g := r.branch(name)
	malformedIf(len(g.outputs) != len(r.outputs),
		"has %d outputs, but its %s has %d", len(r.outputs), name, len(g.outputs))
	r.inline(g)
}

// inline reads the nodes of a branch, whose tensors get new names.
func (r *nodeReader) inline(g *graph) {
	own := map[string]string{}
	r.scopes = append(r.scopes, own)
	defer func() { r.scopes = r.scopes[:len(r.scopes)-1] }()
	for _, m := range g.initializers {
		own[m.name] = r.freshTensor(r.name + "/" + m.name)
		r.weights[own[m.name]] = m.body
	}
	for i := range g.nodes {
		for _, out := range g.nodes[i].outputs {
			if out != "" {
				own[out] = r.freshTensor(r.name + "/" + out)
			}
		}
	}
	inside := len(g.nodes)
	for i, m := range g.outputs {
		if r.outputs[i] != "" {
			g.nodes = append(g.nodes, node{op: "Identity", inputs: []string{m.name}, outputs: []string{r.outputs[i]}})
		}
	}
	for i := range g.nodes {
		inner := &g.nodes[i]
		inner.findCaptured(len(r.scopes))
		r.resolve(inner.inputs)
		r.resolve(inner.captured)
		if i < inside { // the others' outputs are those of the If
			r.resolve(inner.outputs)
		}
		for _, in := range slices.Concat(inner.inputs, inner.captured) {
			if in != "" {
				r.addReader(in)
			}
		}
	}
	for i := range g.nodes {
		r.decoder.read(&g.nodes[i])
	}
}

// resolve replaces the names of tensors of branches, the innermost first, by those that
// they have in the graph.
func (d *decoder) resolve(names []string) {
	for i, name := range names {
		for _, scope := range slices.Backward(d.scopes) {
			if to, ok := scope[name]; ok {
				names[i] = to
				break
			}
		}
	}
}
