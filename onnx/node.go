package onnx

import (
	"errors"
	"fmt"
	"slices"
)

// node reads one node, or notes what of it is unsupported.
func (d *decoder) node(n *node) error {
	n.name = d.unique(n)
	d.at, d.fault = n, nil
	details, err := d.read(n)
	var e *FormatError
	if errors.As(err, &e) {
		if e.Node == "" && e.Op == "" { // else it is of a node in a branch
			e.Node, e.Op = n.name, n.op
		}
		return e
	}
	if err != nil {
		return err
	}
	for _, detail := range details {
		d.unsupported(n.name, n.op, detail)
	}
	d.release(n)
	return nil
}

// read adds the node to the graph, or returns what of it is unsupported.
func (d *decoder) read(n *node) (details []string, err error) {
	if err := d.sound(n); err != nil {
		return nil, err
	}
	_, folds := foldings[n.op]
	op, reads := operators[n.op]
	switch {
	case !isStandard(n.domain):
		details = []string{fmt.Sprintf("of the domain %q", n.domain)}
	case !reads && !folds && n.op != "If":
		details = []string{""}
	case n.outputs[0] == "":
		details = []string{"without its first output"}
	case n.op == "If":
		details = unknown(n, []string{"then_branch", "else_branch"})
	default:
		details = unknown(n, slices.Concat(op.attributes, foldings[n.op].attributes))
	}
	if len(details) > 0 {
		d.behind(n)
		return details, nil
	}
	if err = d.compute(n); err == nil {
		err = d.fault
	}
	if err == nil {
		err = d.complete(n)
	}
	if err != nil {
		d.behind(n)
	}
	var u unsupported
	switch {
	case err == errBehind:
		return nil, nil
	case errors.As(err, &u):
		return []string{string(u)}, nil
	}
	return nil, err
}

// compute folds the node or lets its reader add it to the graph.
func (d *decoder) compute(n *node) error {
	activation, behind := "", false
	for _, in := range n.inputs {
		if in != "" && !d.isConstant(in) {
			activation, behind = in, behind || d.shapes[in] == nil
		}
	}
	fold, folds := foldings[n.op]
	op, reads := operators[n.op]
	switch {
	case behind:
		return errBehind
	case n.op == "If":
		return d.choose(n)
	case activation == "" && folds:
		return d.calculate(n, fold)
	case n.op == "Shape" || n.op == "Size":
		return d.shapeOperator(n)
	case !reads && n.op == "NonZero":
		return beyond("the shape of its output depends on the values of %q, which is computed", activation)
	case !reads && n.outputs[0] == d.graph.Output && activation != d.graph.Input:
		return beyond("of %q, which is computed: only of constants; the model up to there is read with --model-output %q", activation, activation)
	case !reads:
		return beyond("of %q, which is computed: only of constants", activation)
	}
	return d.readTyped(n, op)
}

// sound errs where a node's tensors are not what they have to be.
func (d *decoder) sound(n *node) error {
	for _, out := range n.outputs {
		if _, dup := d.shapes[out]; dup || out != "" && d.isConstant(out) {
			return malformed("output %q is there already", out)
		}
	}
	for _, in := range n.inputs {
		if _, ok := d.shapes[in]; in != "" && !ok && !d.isConstant(in) {
			return malformed("input %q is not computed before it%s", in, d.later(in))
		}
	}
	seen := map[string]bool{}
	for _, a := range n.attributes {
		if seen[a.name] {
			return malformed("attribute %q is there twice", a.name)
		}
		seen[a.name] = true
	}
	return nil
}

// unknown returns what of a node's attributes is not known.
func unknown(n *node, known []string) (details []string) {
	for _, a := range n.attributes {
		if !slices.Contains(known, a.name) {
			details = append(details, fmt.Sprintf("attribute %q", a.name))
		}
	}
	return details
}

// complete errs where an output that is used was not made.
func (d *decoder) complete(n *node) error {
	for i, out := range n.outputs {
		if _, ok := d.shapes[out]; ok || d.uses[out] == 0 || d.isConstant(out) {
			continue
		}
		if i == 0 {
			return beyond("its output %q", out)
		}
		return beyond("more than one output: %q is used", out)
	}
	return nil
}

// behind marks a node's outputs as behind something unsupported.
func (d *decoder) behind(n *node) {
	for _, out := range n.outputs {
		if out != "" {
			delete(d.constants, out)
			d.shapes[out] = nil
		}
	}
}
