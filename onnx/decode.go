package onnx

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tattle/nn"
)

// The opsets whose operators mean what the readers here take them to mean.
const (
	minOpset = 7
	maxOpset = 25
)

// maxGrowth bounds the bytes of all parameters by those of the file. Widening
// float16 takes 2 of it, a weight used both ways round 2; a file that has one
// weight multiplied by a hundred factors would take a hundred.
const maxGrowth = 8

// Decode reads an ONNX model; file is what errors call it. The graph keeps
// nothing of data. Nodes on which the output does not depend are left out.
func Decode(file string, data []byte) (*nn.Graph, error) {
	w := &wire{}
	m := w.model(data)
	if w.err != nil {
		return nil, inFile(w.err, file)
	}
	d := &decoder{
		opset: m.opset, source: m.graph, room: maxGrowth*len(data) + 1<<12,
		constants: map[string]tensor{},
		shapes:    map[string][]int{},
		uses:      map[string]int{},
		made:      map[string]*nn.Node{},
		params:    map[use]*nn.Param{},
		given:     map[string]bool{},
		names:     map[string]bool{},
		numbers:   map[string]int{},
		graph:     &nn.Graph{Name: m.graph.name, Metadata: m.metadata},
	}
	if err := d.decode(); err != nil {
		return nil, inFile(err, file)
	}
	if len(d.beyond) > 0 {
		return nil, &UnsupportedError{File: file, Parts: d.beyond}
	}
	return d.graph, nil
}

func inFile(err error, file string) error {
	if e, ok := err.(*FormatError); ok {
		e.File = file
		return e
	}
	return &FormatError{File: file, Detail: err.Error()}
}

// decoder turns a file's graph into an nn.Graph, node by node.
type decoder struct {
	opset  int64
	source *graph
	fixed  bool // the input's batch is fixed to 1
	room   int  // bytes that parameters may still take

	constants map[string]tensor
	shapes    map[string][]int    // of activations; nil behind something unsupported
	uses      map[string]int      // how often nodes (and the model's output) read a tensor
	made      map[string]*nn.Node // by output
	params    map[use]*nn.Param
	given     map[string]bool // names that the file gives to nodes …
	names     map[string]bool // … and those that nodes of the graph have
	numbers   map[string]int  // next number of a name made up

	graph  *nn.Graph
	beyond []Unsupported
}

func (d *decoder) decode() error {
	if d.opset < minOpset || d.opset > maxOpset {
		d.unsupported("", "", fmt.Sprintf("opset %d: %d to %d are read", d.opset, minOpset, maxOpset))
	}
	if d.source.sparse {
		d.unsupported("", "", "sparse weights")
	}
	if err := d.input(); err != nil {
		return err
	}
	nodes, err := d.needed()
	if err != nil {
		return err
	}
	if err := d.initializers(); err != nil {
		return err
	}
	for _, n := range nodes {
		d.given[n.name] = true
	}
	for i := range nodes {
		if err := d.node(&nodes[i]); err != nil {
			return err
		}
	}
	_, ok := d.shapes[d.graph.Output]
	if !ok || len(nodes) == 0 {
		return malformed("output %q is not computed by any node", d.graph.Output)
	}
	return nil
}

func (d *decoder) unsupported(node, op, detail string) {
	d.beyond = append(d.beyond, Unsupported{node, op, detail})
}

// node reads one node, or notes what of it is unsupported.
func (d *decoder) node(n *node) error {
	n.name = d.unique(n)
	for _, out := range n.outputs {
		_, constant := d.constants[out]
		if _, dup := d.shapes[out]; constant || dup {
			return &FormatError{Node: n.name, Op: n.op, Detail: fmt.Sprintf("output %q is there already", out)}
		}
	}
	details, err := d.read(n)
	if e, ok := err.(*FormatError); ok {
		e.Node, e.Op = n.name, n.op
		return e
	}
	for _, detail := range details {
		d.unsupported(n.name, n.op, detail)
	}
	if len(details) > 0 {
		for _, out := range n.outputs {
			if out != "" {
				d.shapes[out] = nil
			}
		}
	}
	return nil
}

// read adds the node to the graph, or returns what of it is unsupported.
func (d *decoder) read(n *node) (details []string, err error) {
	for _, in := range n.inputs {
		_, constant := d.constants[in]
		if _, ok := d.shapes[in]; in != "" && !ok && !constant {
			return nil, malformed("input %q is not computed before it", in)
		}
	}
	op, ok := operators[n.op]
	if !isStandard(n.domain) {
		return []string{fmt.Sprintf("of the domain %q", n.domain)}, nil
	}
	if !ok {
		return []string{""}, nil
	}
	if n.outputs[0] == "" {
		return []string{"without its first output"}, nil
	}
	seen := map[string]bool{}
	for _, a := range n.attributes {
		if seen[a.name] {
			return nil, malformed("attribute %q is there twice", a.name)
		}
		seen[a.name] = true
		if !slices.Contains(op.attributes, a.name) {
			details = append(details, fmt.Sprintf("attribute %q", a.name))
		}
	}
	for _, out := range n.outputs[1:] {
		if d.uses[out] > 0 {
			details = append(details, fmt.Sprintf("more than one output: %q is used", out))
		}
	}
	err = op.read(d, n)
	var u unsupported
	if errors.As(err, &u) {
		return append(details, string(u)), nil
	}
	return details, err
}

// unique returns the name that the file gives to a node, or where there is none
// or another node has it, a new one.
func (d *decoder) unique(n *node) string {
	name := n.name
	if name == "" || d.names[name] {
		name = d.fresh(n.name + "_" + n.op)
	}
	d.names[name] = true
	return name
}

// fresh returns the stem, numbered, as a name that no node has.
func (d *decoder) fresh(stem string) string {
	stem = strings.TrimPrefix(stem, "_")
	for {
		name := fmt.Sprintf("%s_%d", stem, d.numbers[stem])
		d.numbers[stem]++
		if !d.given[name] && !d.names[name] {
			return name
		}
	}
}

// emit adds an operator that reads the given tensors.
func (d *decoder) emit(name string, op nn.Op, output string, inputs ...string) error {
	in := make([][]int, len(inputs))
	known := true
	for i, tensor := range inputs {
		in[i] = d.shapes[tensor]
		known = known && in[i] != nil
	}
	var shape []int
	if known {
		var err error
		if shape, err = op.Shape(in...); err != nil {
			return malformed("%v", err)
		}
		if err := bounded(output, shape); err != nil {
			return err
		}
	}
	n := &nn.Node{Name: name, Op: op, Inputs: inputs, Output: output}
	d.graph.Nodes = append(d.graph.Nodes, n)
	d.shapes[output] = shape
	d.made[output] = n
	return nil
}
