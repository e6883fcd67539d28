package onnx

import (
	"fmt"
	"slices"

	"tattle/internal/engine/nn"
)

// The opsets whose operators mean what the readers here take them to mean.
const (
	minOpset = 7
	maxOpset = 25
)

// maxGrowth bounds the bytes of all parameters by those of the file. Widening
// float16 takes a factor of 2, a weight that is also used transposed another 2. A file that
// multiplies one weight by a hundred factors would take a hundred.
const maxGrowth = 8

// maxFolded bounds the elements of the constants that are computed while reading, apart
// from one for each byte of the file. Masks and grids of positions of published
// nets have some millions.
const maxFolded = 1 << 25

// ReadOptions fill in what a file leaves open. The zero value is for a file that leaves
// only the batch open.
type ReadOptions struct {
	Shape  []int  // sizes of one input, without the batch; nil means the file's
	Output string // which of several outputs, or any other tensor; empty for the only one
}

// Decode reads an ONNX model; file is its name in errors. The graph keeps
// nothing of data. Nodes on which the output does not depend are left out. A model
// that keeps data in other files is read by [Read].
func Decode(file string, data []byte) (*nn.Graph, error) {
	return decode(file, data, ReadOptions{}, nil, maxFolded)
}

func decode(file string, data []byte, o ReadOptions, beside *folder, folded int) (*nn.Graph, error) {
	d, err := decodeBatch(data, o, beside, folded, 1)
	switch {
	case err != nil:
		return nil, inFile(err, file)
	case len(d.refused) > 0:
		return nil, &UnsupportedError{File: file, Parts: d.refused}
	case !d.open:
		return d.graph, nil
	}
	if err := d.checkBatches(data, folded); err != nil {
		return nil, inFile(err, file)
	}
	return d.graph, nil
}

// decodeBatch decodes a model so that one input of its graph is a batch of that size.
func decodeBatch(data []byte, o ReadOptions, beside *folder, folded, batch int) (*decoder, error) {
	w := &wire{}
	m := w.model(data)
	if w.err != nil {
		return nil, w.err
	}
	d := newDecoder(m, o)
	d.folder, d.batch = beside, batch
	d.room, d.foldable = batch*(maxGrowth*len(data)+1<<12), batch*(folded+len(data))
	return d, attempt(func() { d.decode(m) })
}

// inFile names the file in an error.
func inFile(err error, file string) error {
	switch e := err.(type) {
	case *FormatError:
		e.File = file
		return e
	case *UnsupportedError:
		e.File = file
		return e
	}
	return &FormatError{File: file, Detail: err.Error()}
}

// decoder turns a file's graph at batch 1, or with a whole batch as its input, into an
// nn.Graph, node by node.
type decoder struct {
	names
	constants
	builder
	usage usage

	source *graph
	opset  int64

	classical int64 // version of the operators of classical machine learning, 0 for none
	options   ReadOptions
	batch     int  // examples that one input of the graph holds; above 1 for checks only
	open      bool // the file leaves the batch open

	shapes   map[string][]int    // ONNX shapes of activations; nil if they depend on an unsupported node
	elements map[string]int64    // ONNX types of those that are not float32 or float64 there
	scopes   []map[string]string // names that tensors of branches have in the graph
	named    map[string][]string // classes whose scores a tensor has
	texts    map[string]int      // the number that stands for each text
	words    []string            // the text that each number stands for
	refused  []Unsupported
}

func newDecoder(m model, o ReadOptions) *decoder {
	return &decoder{
		names: newNames(), constants: newConstants(), builder: newBuilder(m),
		usage:  usage{all: m.graph.nodes, from: map[string]int{}, readers: map[string]int{}},
		source: m.graph, opset: m.opset, classical: m.classical, options: o, batch: 1,
		shapes: map[string][]int{}, elements: map[string]int64{}, named: map[string][]string{}, texts: map[string]int{},
	}
}

func (d *decoder) decode(m model) {
	if d.classical > maxClassical {
		d.refuse("", "", fmt.Sprintf("%s %d: 1 to %d are supported", classicalDomain, d.classical, maxClassical))
	}
	if d.opset == 0 && d.classical > 0 && !slices.ContainsFunc(d.source.nodes, func(n node) bool { return isStandard(n.domain) }) {
		d.opset = maxOpset // which no node reads
	}
	if d.opset < minOpset || d.opset > maxOpset {
		d.refuse("", "", fmt.Sprintf("opset %d: %d to %d are supported", d.opset, minOpset, maxOpset))
	}
	if d.source.sparse {
		d.refuse("", "", "sparse weights")
	}
	if m.functions {
		d.refuse("", "", "the model's own functions: export it with them inlined")
	}
	d.chooseOutput()
	nodes := d.needed()
	d.findWeights()
	d.findInput()
	for _, n := range nodes {
		d.given[n.name] = true
		for _, out := range n.outputs {
			d.tensors[out] = true
		}
	}
	for _, n := range nodes {
		d.read(n)
	}
	malformedIf(d.isConstant(d.graph.Output), "output %q does not depend on the input", d.graph.Output)
	shape, ok := d.shapes[d.graph.Output]
	switch {
	case !ok || len(nodes) == 0:
		panic(malformedf("output %q is not computed by any node", d.graph.Output))
	case slices.Contains(shape, 0):
		panic(malformedf("output %q has the empty shape %v", d.graph.Output, shape))
	case len(d.refused) == 0:
		d.graph.Classes, d.graph.Words = d.named[d.graph.Output], d.words
		d.prune()
	}
}

// refuse lists a part of the model as unsupported.
func (d *decoder) refuse(node, op, detail string) {
	d.refused = append(d.refused, Unsupported{node, op, detail})
}
