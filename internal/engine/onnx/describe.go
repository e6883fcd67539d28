package onnx

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"tattle/internal/engine/nn"
)

// Description is what a file says of itself, whether or not all of it can be read.
type Description struct {
	Path     string
	Name     string   // of the graph
	Producer string   // program and version, empty if it does not say
	IR       int64    // version of the file format
	Opset    int64    // of the standard operators, 0 if it says none
	Domains  []string // other operator sets with their versions
	Metadata map[string]string

	Inputs    []Declared // those that are no weights
	Outputs   []Declared
	Operators []Count // most frequent first
	Nodes     int
	Weights   int      // tensors
	Elements  int64    // of them together
	Beside    []string // other files that hold their data

	Graph   *nn.Graph // the net, or nil if it cannot be read
	Refused error     // why not
}

// Declared is an input or output as the file declares it.
type Declared struct {
	Name string
	Type string   // of the elements, such as "float32"; or what it is where no tensor
	Dims []string // sizes, names of open dimensions, "?" for open ones without a name
	Any  bool     // no dimensions are declared
}

// Count is how many nodes have an operator, with its domain unless that is ONNX's own.
type Count struct {
	Operator string
	Nodes    int
}

// Describe returns what a file declares, and reads the net as [ReadWith] does; if that fails,
// Refused says why. Describe itself returns an error only if the file cannot be opened or is
// not an ONNX file.
func Describe(path string, o ReadOptions) (*Description, error) {
	data, err := whole(path)
	if err != nil {
		return nil, err
	}
	w := &wire{}
	m := w.model(data)
	if w.err != nil {
		return nil, inFile(w.err, path)
	}
	d := &Description{
		Path: path, Name: m.graph.name, Producer: m.producer, IR: m.ir, Opset: m.opset,
		Domains: m.domains, Metadata: m.metadata, Nodes: len(m.graph.nodes),
	}
	if m.version != "" {
		d.Producer += " " + m.version
	}
	if err := d.declare(m.graph); err != nil {
		return nil, inFile(err, path)
	}
	d.count(m.graph.nodes)
	beside, err := openFolder(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer beside.close()
	d.Graph, d.Refused = decode(path, data, o, beside, maxFolded)
	return d, nil
}

// declare lists inputs, outputs and weights.
func (d *Description) declare(g *graph) error {
	w := &wire{}
	weights, files := map[string]bool{}, map[string]bool{}
	for _, m := range g.initializers {
		t := w.tensor(m.body)
		n := 0
		if attempt(func() { _, n = t.shape() }) != nil {
			continue // an error follows where it is read
		}
		weights[m.name] = true
		d.Weights++
		d.Elements += int64(n)
		if t.external {
			files[t.place.location] = true
		}
	}
	d.Beside = slices.Sorted(maps.Keys(files))
	for _, m := range g.inputs {
		if !weights[m.name] {
			d.Inputs = append(d.Inputs, w.declared(m.body).export())
		}
	}
	for _, m := range g.outputs {
		d.Outputs = append(d.Outputs, w.declared(m.body).export())
	}
	return w.err
}

func (v declared) export() Declared {
	e := Declared{Name: v.name, Type: typeName(v.element), Any: !v.ranked}
	if v.other != "" {
		e.Type = v.other
	}
	for _, x := range v.dims {
		e.Dims = append(e.Dims, x.String())
	}
	return e
}

// count makes the histogram of operators.
func (d *Description) count(nodes []node) {
	counts := map[string]int{}
	for _, n := range nodes {
		name := n.op
		if !isStandard(n.domain) {
			name = n.domain + "." + n.op
		}
		counts[name]++
	}
	for op, n := range counts {
		d.Operators = append(d.Operators, Count{op, n})
	}
	slices.SortFunc(d.Operators, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Operator, b.Operator))
	})
}

// declared is the type of an input or output as the file declares it.
type declared struct {
	name    string
	other   string // what it is where no tensor
	element int64
	ranked  bool // the file says how many dimensions there are
	dims    []dim
}

// dim is a dimension: open unless known, and then perhaps with a name.
type dim struct {
	size  int64
	known bool
	name  string
}

func (w *wire) declared(b []byte) (v declared) {
	w.read(b, fields{valueName: &v.name, valueType: func(f field) {
		w.each(w.bytes(f), func(f field) { w.typeOf(f, &v) })
	}})
	return v
}

// otherTypes are what a value may be beside a tensor.
var otherTypes = map[protowire.Number]string{typeSequence: "a sequence", typeMap: "a map", typeSparse: "a sparse tensor", typeOptional: "an optional"}

func (w *wire) typeOf(f field, v *declared) {
	if v.other = otherTypes[f.number]; f.number != typeTensor {
		return
	}
	w.read(w.bytes(f), fields{typeElement: &v.element, typeShape: func(f field) {
		v.ranked = true
		w.read(w.bytes(f), fields{shapeDim: func(f field) {
			if v.dims = append(v.dims, w.dim(w.bytes(f))); len(v.dims) > maxDims {
				w.fail("has more than %d dimensions", maxDims)
			}
		}})
	}})
}

func (w *wire) dim(b []byte) (d dim) {
	w.read(b, fields{dimValue: &d.size, dimParam: &d.name})
	d.known = d.size > 0 // some exporters write -1 or 0 for an open one
	return d
}

// String returns name, type and dimensions, as in "x" float32 [batch, 3, height, width].
func (v declared) String() string {
	e := v.export()
	switch {
	case v.other != "":
		return fmt.Sprintf("%q %s", e.Name, e.Type)
	case e.Any:
		return fmt.Sprintf("%q %s of any shape", e.Name, e.Type)
	}
	return fmt.Sprintf("%q %s [%s]", e.Name, e.Type, strings.Join(e.Dims, ", "))
}

// String returns the size, or else the name of an open dimension, or ?.
func (x dim) String() string {
	switch {
	case x.known:
		return fmt.Sprint(x.size)
	case x.name != "":
		return fmt.Sprintf("%.40s", strings.Trim(fmt.Sprintf("%q", x.name), `"`))
	}
	return "?"
}
