package onnx

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// read reads one node, or lists what is not supported about it.
func (d *decoder) read(n *node) {
	n.name = d.unique(n)
	var refused []string
	err := attempt(func() { refused = d.readSupported(n) })
	var e *FormatError
	if errors.As(err, &e) {
		if e.Node == "" && e.Op == "" { // else the node is in a branch of this one
			e.Node, e.Op = n.name, n.op
		}
		panic(e)
	}
	var u unsupported
	if errors.As(err, &u) && u != errDepends {
		refused = []string{string(u)}
	}
	if err != nil || len(refused) > 0 {
		d.dropOutputs(n)
	}
	for _, detail := range refused {
		d.refuse(n.name, n.op, detail)
	}
	d.release(n)
}

// readSupported adds the node to the graph, computes it, or returns what is not supported
// about it.
func (d *decoder) readSupported(n *node) (refused []string) {
	d.mustBeSound(n)
	op, ok, known := d.operatorOf(n)
	switch {
	case !known:
		return []string{fmt.Sprintf("domain %q", n.domain)}
	case !ok:
		return []string{""}
	case n.outputs[0] == "":
		return []string{"a node without its first output"}
	}
	if refused = op.unknown(n); len(refused) == 0 {
		d.apply(n, op)
		d.handOnClasses(n, op)
		d.mustBeComplete(n)
	}
	return refused
}

// apply lets the operator's reader read the node.
func (d *decoder) apply(n *node, op operator) {
	activation, depends := "", false
	for _, in := range n.inputs {
		if in != "" && !d.isConstant(in) {
			activation, depends = in, depends || d.shapes[in] == nil
		}
	}
	r := &nodeReader{d, n}
	switch {
	case depends:
		panic(errDepends)
	case op.read == nil && activation == "":
		panic(unsupportedf("of constants"))
	case activation == "" && op.traits&late == 0 && isStandard(n.domain):
		r.fold(op)
	case op.traits&constant == 0:
		r.setTypes(op)
		op.read(r)
	case n.op == "NonZero":
		panic(unsupportedf("the shape of its output depends on the values of %q, which is computed", activation))
	case n.outputs[0] == d.graph.Output && activation != d.graph.Input:
		panic(unsupportedf("input %q is computed: it must be constant; --model-output %q reads the model up to there", activation, activation))
	default:
		panic(unsupportedf("input %q is computed: it must be constant", activation))
	}
}

// mustBeSound panics if a node's inputs, outputs or attributes are inconsistent.
func (d *decoder) mustBeSound(n *node) {
	for _, out := range n.outputs {
		if _, dup := d.shapes[out]; dup || out != "" && d.isConstant(out) {
			panic(malformedf("output %q already exists", out))
		}
	}
	for _, in := range n.inputs {
		if _, ok := d.shapes[in]; in != "" && !ok && !d.isConstant(in) {
			panic(malformedf("input %q is not computed before this node%s", in, d.usage.later(in)))
		}
	}
	seen := map[string]bool{}
	for _, a := range n.attributes {
		malformedIf(seen[a.name], "attribute %q is given twice", a.name)
		seen[a.name] = true
	}
}

// unknown returns the inputs and attributes of a node that the operator's reader does not
// support.
func (op operator) unknown(n *node) (details []string) {
	known := strings.Fields(op.attributes)
	for _, a := range n.attributes {
		if !slices.Contains(known, a.name) {
			details = append(details, fmt.Sprintf("attribute %q", a.name))
		}
	}
	for i := op.inputs; i < len(n.inputs); i++ {
		if n.has(i) {
			details = append(details, fmt.Sprintf("input %d", i+1))
			break
		}
	}
	return details
}

// mustBeComplete panics if an output that is used was not computed.
func (d *decoder) mustBeComplete(n *node) {
	for i, out := range n.outputs {
		if _, ok := d.shapes[out]; ok || d.usage.readers[out] == 0 || d.isConstant(out) {
			continue
		}
		unsupportedIf(i == 0, "its output %q", out)
		panic(unsupportedf("more than one output: %q is used", out))
	}
}

// dropOutputs marks a node's outputs as unsupported.
func (d *decoder) dropOutputs(n *node) {
	for _, out := range n.outputs {
		if out != "" {
			delete(d.values, out)
			d.shapes[out] = nil
		}
	}
}

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
