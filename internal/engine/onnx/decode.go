// Package onnx reads and writes ONNX files: networks as nn.Graph.
//
// It has its own small schema over protobuf's wire format (wire.go, schema.go), for the
// operators that package nn computes. Files are read from opset 7 on and written at
// opset 13, or the lowest that has all operators of a graph.
//
// # Where what is
//
//   - decode.go reads a model: it chooses input and output (inputs.go), sorts out which
//     nodes are needed, and reads them one by one (both in node.go).
//   - operators.go is the table of all operators: their inputs, attributes and readers.
//     A reader (reader.go) adds operators of package nn to the graph (builder.go). Where all
//     inputs are constants, these operators run at once (fold.go).
//   - batch.go refuses models that mix the examples of a batch.
//   - encode.go writes a graph, describe.go says what is in a file.
//
// # What a graph holds
//
// A file is read at batch 1. Package nn maps examples independently, so a tensor
// of ONNX shape [1, s…] is one example's tensor of shape s. A tensor of another
// first dimension, such as the windows of a Swin transformer, is one example's whole
// tensor. Since the batch is known, all shapes are: whatever a file computes from shapes
// and other constants is computed while reading, integers exactly up to 2⁵³, and is not part
// of the graph. Written graphs have a dynamic batch.
//
// Float attributes of a file are float32. They are read as the shortest decimal
// of that float32, so an epsilon of 1e-5 is 1e-5 and not 9.99999974737875e-6.
// Weights are finite: ±Inf may only be added, subtracted, compared, chosen or padded
// with, as masks of attention are, or be a limit. What is computed as a bool or an integer
// is a float here, 0 and 1 or without a fraction, whose derivative is 0.
//
// Weights are float32: float16 and bfloat16 are widened, float64 is rounded to the
// nearest. A net declared in float64 is computed in float32, and certified in float64 with
// these rounded weights. Casts to float16 and bfloat16 round; arithmetic in these formats
// is not supported (types.go).
//
// # Files from outside
//
// Whatever a file claims, parameters take at most eight times the memory of the file and
// of the files beside it that it refers to (each byte of which one tensor may have).
// Computed constants have at most 2²⁵ elements plus one for each of those bytes. The
// structure around them has at most 2¹⁸ parts and takes some hundred times its bytes. No
// path or link to data leads out of the model's folder.
//
// A damaged file is a [FormatError] that names node and operator. A sound file that needs
// more than nn computes is an [UnsupportedError] that lists everything it needs.
package onnx

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
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
		names:     names{given: map[string]bool{}, nodes: map[string]bool{}, tensors: map[string]bool{}, next: map[string]int{}},
		constants: constants{weights: map[string][]byte{}, values: map[string]*value{}, params: map[derivation]*nn.Param{}, pending: map[string]int{}},
		builder: builder{
			graph: &nn.Graph{Name: m.graph.name, Metadata: m.metadata},
			inner: map[string][]int{}, made: map[string]*nn.Node{}, derived: map[derivation]string{},
		},
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

// maxFile is the most bytes that a protobuf message, and so an ONNX file, has.
const maxFile = 1<<31 - 1

// Read reads an ONNX file, and the data that it keeps in files of the same folder
// or below.
func Read(path string) (*nn.Graph, error) { return ReadWith(path, ReadOptions{}) }

// ReadWith is Read with options.
func ReadWith(path string, o ReadOptions) (*nn.Graph, error) {
	data, err := whole(path)
	if err != nil {
		return nil, err
	}
	beside, err := openFolder(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer beside.close()
	return decode(path, data, o, beside, maxFolded)
}

// whole reads a file's bytes.
func whole(path string) ([]byte, error) {
	data, err := file.ReadFileAtMost(path, maxFile)
	if errors.Is(err, file.ErrTooLong) {
		return nil, &FormatError{File: path, Detail: fmt.Sprintf("has more than the %d bytes that ONNX allows: keep the weights in a file beside it (external data)", maxFile)}
	}
	return data, err
}

// Write writes a graph as an ONNX file. It is written beside the path and then
// renamed, so that the path never holds half a model.
func Write(path string, g *nn.Graph) error { return WriteIn(nil, path, g) }

// WriteIn is Write by files.
func WriteIn(files *file.Dir, path string, g *nn.Graph) error {
	data, err := Encode(g)
	if err != nil {
		return err
	}
	return files.WriteBytes(path, data)
}

// Same returns an error if a graph that was read from a file is not the one that writing and
// reading another gives.
func Same(read, other *nn.Graph) error {
	text, err := Encode(other)
	if err == nil {
		other, err = Decode("written again", text)
	}
	if err != nil {
		return err
	}
	a, err1 := Encode(read)
	b, err2 := Encode(other)
	if err1 == nil && err2 == nil && !bytes.Equal(a, b) {
		return fmt.Errorf("SHA-256 of the graph is %x, expected %x", sha256.Sum256(a), sha256.Sum256(b))
	}
	return cmp.Or(err1, err2)
}
