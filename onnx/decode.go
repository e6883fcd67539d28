package onnx

import (
	"fmt"
	"slices"

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

// maxFolded bounds the elements of the constants that are computed while reading,
// beyond as many as the file has bytes: masks and grids of positions of published
// nets have some millions.
const maxFolded = 1 << 25

// ReadOptions say what a file leaves open. The zero value is for a file that leaves
// nothing open but the batch.
type ReadOptions struct {
	Shape  []int  // sizes of one input, without the batch; nil takes the file's
	Output string // which of several outputs, or any other tensor; empty for the only one
}

// Decode reads an ONNX model; file is what errors call it. The graph keeps
// nothing of data. Nodes on which the output does not depend are left out. A model
// that keeps data in other files is read by [Read].
func Decode(file string, data []byte) (*nn.Graph, error) {
	return DecodeWith(file, data, ReadOptions{})
}

// DecodeWith is Decode with options.
func DecodeWith(file string, data []byte, o ReadOptions) (*nn.Graph, error) {
	return decode(file, data, o, nil, maxFolded)
}

func decode(file string, data []byte, o ReadOptions, beside *folder, folded int) (*nn.Graph, error) {
	w := &wire{}
	m := w.model(data)
	if w.err != nil {
		return nil, inFile(w.err, file)
	}
	d := newDecoder(m, o)
	d.folder, d.room, d.foldable = beside, maxGrowth*len(data)+1<<12, folded+len(data)
	if err := d.decode(m); err != nil {
		return nil, inFile(err, file)
	}
	if len(d.beyond) > 0 {
		return nil, &UnsupportedError{File: file, Parts: d.beyond}
	}
	if d.open {
		err := d.examples(data, folded)
		if u, ok := err.(*UnsupportedError); ok {
			u.File = file
			return nil, u
		}
		if err != nil {
			return nil, inFile(err, file)
		}
	}
	return d.graph, nil
}

func newDecoder(m model, o ReadOptions) *decoder {
	return &decoder{
		opset: m.opset, source: m.graph, options: o, batch: 1,
		owner:     map[*nn.Node]*node{},
		weights:   map[string][]byte{},
		constants: map[string]*value{},
		shapes:    map[string][]int{},
		inners:    map[string][]int{},
		uses:      map[string]int{},
		left:      map[string]int{},
		made:      map[string]*nn.Node{},
		params:    map[use]*nn.Param{},
		views:     map[use]string{},
		placed:    map[string]string{},
		integers:  map[string]bool{},
		narrow:    map[string]int64{},
		given:     map[string]bool{},
		names:     map[string]bool{},
		taken:     map[string]bool{},
		numbers:   map[string]int{},
		graph:     &nn.Graph{Name: m.graph.name, Metadata: m.metadata},
	}
}

func inFile(err error, file string) error {
	if e, ok := err.(*FormatError); ok {
		e.File = file
		return e
	}
	return &FormatError{File: file, Detail: err.Error()}
}

// decoder turns a file's graph at batch 1, or with a whole batch as its input, into an
// nn.Graph, node by node.
type decoder struct {
	opset    int64
	source   *graph
	options  ReadOptions
	folder   *folder // nil where only the file's bytes are there
	room     int     // bytes that parameters may still take
	foldable int     // elements that folded constants may still take
	batch    int     // examples that one input of the graph holds: 1 but for checks
	open     bool    // the file leaves the batch open

	weights   map[string][]byte   // initializers, not read yet
	constants map[string]*value   // weights that were read, and what was folded
	shapes    map[string][]int    // of activations in ONNX; nil behind something unsupported
	inners    map[string][]int    // of tensors in package nn
	uses      map[string]int      // how often nodes (and the model's output) read a tensor
	left      map[string]int      // how often they are still to
	from      map[string]int      // the node that computes a tensor
	made      map[string]*nn.Node // by output
	owner     map[*nn.Node]*node  // the file's node that a node of the graph is of
	params    map[use]*nn.Param
	views     map[use]string    // tensors that are another tensor in another shape
	placed    map[string]string // tensors that hold constants
	integers  map[string]bool   // activations that are integers in ONNX
	narrow    map[string]int64  // the types of activations of float16 and bfloat16

	given   map[string]bool // names that the file gives to nodes …
	names   map[string]bool // … and those that nodes of the graph have
	taken   map[string]bool // names of tensors
	numbers map[string]int  // next number of a name made up

	scopes []map[string]string // names that tensors of branches have in the graph
	at     *node               // that is being read
	fault  error               // of it, found where none could be returned
	graph  *nn.Graph
	beyond []Unsupported
}

func (d *decoder) decode(m model) error {
	if d.opset < minOpset || d.opset > maxOpset {
		d.unsupported("", "", fmt.Sprintf("opset %d: %d to %d are read", d.opset, minOpset, maxOpset))
	}
	if d.source.sparse {
		d.unsupported("", "", "sparse weights")
	}
	if m.functions {
		d.unsupported("", "", "functions of the model's own: export it with them inlined")
	}
	if err := d.output(); err != nil {
		return err
	}
	nodes, err := d.needed()
	if err != nil {
		return err
	}
	if err := d.initializers(); err != nil {
		return err
	}
	if err := d.inputs(); err != nil {
		return err
	}
	for _, n := range nodes {
		d.given[n.name] = true
		for _, out := range n.outputs {
			d.taken[out] = true
		}
	}
	for _, n := range nodes {
		if err := d.node(n); err != nil {
			return err
		}
	}
	if d.isConstant(d.graph.Output) {
		return malformed("output %q does not depend on the input", d.graph.Output)
	}
	shape, ok := d.shapes[d.graph.Output]
	switch {
	case !ok || len(nodes) == 0:
		return malformed("output %q is not computed by any node", d.graph.Output)
	case slices.Contains(shape, 0):
		return malformed("output %q has the empty shape %v", d.graph.Output, shape)
	case len(d.beyond) > 0:
		return nil
	}
	return d.prune()
}

// prune drops the nodes of which only the shape was asked for. It errs where the
// output depends on nothing that was put in.
func (d *decoder) prune() error {
	nodes, reaches := neededFor(d.graph, d.graph.Output)
	if d.graph.Input == "" || !reaches {
		return malformed("output %q does not depend on the input", d.graph.Output)
	}
	d.graph.Nodes = nodes
	return nil
}

// neededFor returns the nodes that a tensor depends on, and whether the input is one of
// the tensors that they read.
func neededFor(g *nn.Graph, tensor string) (nodes []*nn.Node, input bool) {
	want := map[string]bool{tensor: true}
	nodes = make([]*nn.Node, 0, len(g.Nodes))
	for _, n := range slices.Backward(g.Nodes) {
		if !want[n.Output] {
			continue
		}
		nodes = append(nodes, n)
		for _, in := range n.Inputs {
			want[in] = true
		}
	}
	slices.Reverse(nodes)
	return nodes, want[g.Input]
}

func (d *decoder) unsupported(node, op, detail string) {
	d.beyond = append(d.beyond, Unsupported{node, op, detail})
}
