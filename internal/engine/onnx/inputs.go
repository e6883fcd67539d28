package onnx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
)

// maxActivation bounds the elements of one activation of one example: 256 MiB,
// sixteen times what the largest published image nets take.
const maxActivation = 1 << 26

// findWeights finds the initializers that are used.
func (d *decoder) findWeights() {
	for _, m := range d.source.initializers {
		if d.usage.readers[m.name] == 0 {
			continue
		}
		if _, dup := d.weights[m.name]; dup {
			panic(malformedf("tensor %q is given twice", m.name))
		}
		d.weights[m.name] = m.body
	}
}

// chooseOutput chooses the tensor that the graph computes: one of the model's outputs or,
// by name, the output of any node.
func (d *decoder) chooseOutput() {
	var names []string
	for _, m := range d.source.outputs {
		names = append(names, m.name)
	}
	malformedIf(len(names) == 0, "has no outputs")
	d.graph.Output = names[0]
	switch scores := d.scoresAmong(); {
	case d.options.Output != "" && !slices.Contains(names, d.options.Output) && !d.source.computes(d.options.Output):
		panic(malformedf("has no output %q: its outputs are %s", d.options.Output, quoted(names)))
	case d.options.Output != "":
		d.graph.Output = d.options.Output
	case len(names) > 1 && scores != "":
		d.graph.Output = scores
	case len(names) > 1:
		d.refuse("", "", fmt.Sprintf("%d outputs at once: choose one of %s (--model-output)", len(names), quoted(names)))
	}
}

// scoresAmong returns the output of a classifier of classical machine learning that has the
// scores: the only one that is not a label; labels are integers or text. It returns "" if there is
// no such output.
func (d *decoder) scoresAmong() (scores string) {
	if d.classical == 0 {
		return ""
	}
	for _, m := range d.source.outputs {
		v := (&wire{}).declared(m.body)
		if v.other == "" && (v.element == typeInt64 || v.element == typeString) {
			continue
		}
		if scores != "" {
			return ""
		}
		scores = m.name
	}
	return scores
}

// computes reports whether a node has that output.
func (g *graph) computes(tensor string) bool {
	return slices.ContainsFunc(g.nodes, func(n node) bool { return slices.Contains(n.outputs, tensor) })
}

// quoted lists names in quotes.
func quoted(names []string) string {
	q := make([]string, len(names))
	for i, name := range names {
		q[i] = fmt.Sprintf("%q", name)
	}
	return listed(q, ", ", maxListed)
}

// findInput finds the one input that the output depends on and that is not an
// initializer.
func (d *decoder) findInput() {
	constant := make(map[string]bool, len(d.source.initializers))
	for _, m := range d.source.initializers {
		constant[m.name] = true
	}
	var real []declared
	for _, m := range d.source.inputs {
		if constant[m.name] || d.usage.readers[m.name] == 0 {
			continue
		}
		w := &wire{}
		v := w.declared(m.body)
		if w.err != nil {
			panic(malformedf("input %q: %v", m.name, w.err.(*FormatError).Detail))
		}
		if _, dup := d.shapes[m.name]; dup {
			panic(malformedf("input %q is given twice", m.name))
		}
		d.shapes[m.name] = nil
		real = append(real, v)
	}
	if len(real) == 0 {
		return // the first node that needs one errs, or the output does
	}
	d.graph.Input = real[0].name
	switch err := attempt(func() { d.setInputs(real) }).(type) {
	case nil:
	case unsupported:
		d.refuse("", "", string(err))
	default:
		panic(err)
	}
}

func (d *decoder) setInputs(real []declared) {
	switch {
	case d.classical > 0 && d.options.Shape == nil:
		d.setColumns(real)
	case len(real) == 1:
		d.setInput(real[0], d.inputShape(real[0]))
	default:
		texts := make([]string, len(real))
		for i, v := range real {
			texts[i] = v.String()
		}
		panic(unsupportedf("%d inputs: %s", len(real), listed(texts, ", ", maxListed)))
	}
}

// setInput makes an input of that shape the graph's.
func (d *decoder) setInput(v declared, shape []int) {
	d.noteInput(v, shape)
	d.graph.InputShape = inner(d.shapes[v.name])
	d.inner[v.name] = d.graph.InputShape
	d.roundInput(v)
}

// noteInput notes the names, the shape and the type of an input.
func (d *decoder) noteInput(v declared, shape []int) {
	d.tensors[v.name] = true
	d.shapes[v.name] = slices.Concat([]int{d.batch}, shape)
	d.open = d.open || !v.ranked || !v.dims[0].known
	if d.classical == 0 {
		return
	}
	kind := cmp.Or(columnTypes[v.element], nn.ColumnNumber)
	d.graph.Columns = append(d.graph.Columns, nn.Column{Name: v.name, Width: nn.Size(shape), Type: kind})
	if kind == nn.ColumnText {
		d.elements[v.name] = typeString
	} else if kind == nn.ColumnInteger {
		d.elements[v.name] = typeInt64
	}
}

// inputShape returns the shape of one example: the declared one without the batch, with
// open dimensions from the options.
func (d *decoder) inputShape(v declared) []int {
	kind, ok := kindOf(v.element)
	unsupportedIf(v.other != "" || !ok || kind != isFloat, "input %v: only float inputs are supported; export the part of the net that starts with floats", v)
	if !v.ranked && d.options.Shape != nil {
		v.ranked, v.dims = true, make([]dim, 1+len(d.options.Shape))
	}
	switch {
	case !v.ranked:
		panic(unsupportedf("input %v: give the sizes of one example (--input-shape 3x224x224)", v))
	case len(v.dims) < 2:
		panic(unsupportedf("input %v: has %d dimensions; needed are a batch and at least one more", v, len(v.dims)))
	}
	return d.exampleShape(v)
}

// exampleShape returns the shape of one example of an input whose dimensions are declared.
func (d *decoder) exampleShape(v declared) []int {
	unsupportedIf(v.dims[0].known && v.dims[0].size > 1,
		"input %v: has a batch fixed to %d; export it with a dynamic batch or a batch of 1", v, v.dims[0].size)
	shape := v.sizes(d.options.Shape)
	malformedIf(!d.fits(shape), "input %v has the absurd shape %v", v, shape)
	return shape
}

// sizes returns the dimensions after the batch, with the given ones for those that are open.
func (v declared) sizes(given []int) []int {
	malformedIf(given != nil && len(given) != len(v.dims)-1,
		"input %v: %s gives %d sizes for %d dimensions after the batch", v, asFlag(given), len(given), len(v.dims)-1)
	shape := make([]int, len(v.dims)-1)
	for i, x := range v.dims[1:] {
		switch {
		case x.known && given != nil && int64(given[i]) != x.size:
			panic(malformedf("input %v: the file fixes dimension %d to %d, %s says %d", v, i+1, x.size, asFlag(given), given[i]))
		case x.known && x.size > maxActivation:
			panic(malformedf("input %q has dimension %d of size %d", v.name, i+1, x.size))
		case x.known:
			shape[i] = int(x.size)
		case given == nil:
			panic(unsupportedf("input %v: not all dimensions are fixed; give the sizes of one example (--input-shape %s)", v, v.example()))
		case given[i] <= 0:
			panic(malformedf("input %v: %s: sizes must be at least 1", v, asFlag(given)))
		default:
			shape[i] = given[i]
		}
	}
	return shape
}

// asFlag writes a shape as the command line takes it.
func asFlag(shape []int) string {
	return "--input-shape " + strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", "x")
}

// example returns a shape to suggest: 224 for the open sizes of images, else 16.
func (v declared) example() string {
	texts := make([]string, len(v.dims)-1)
	for i, x := range v.dims[1:] {
		switch {
		case x.known:
			texts[i] = fmt.Sprint(x.size)
		case len(v.dims) == 4 && i == 0:
			texts[i] = "3"
		case len(v.dims) == 4:
			texts[i] = "224"
		default:
			texts[i] = "16"
		}
	}
	return strings.Join(texts, "x")
}

// The inputs of a model of classical machine learning are columns of a table, of several
// types. The graph has one input, a row of all of them.

// columnTypes are the types of inputs that a row may have.
var columnTypes = map[int64]string{
	typeFloat: nn.ColumnNumber, typeDouble: nn.ColumnNumber, typeInt64: nn.ColumnInteger, typeInt32: nn.ColumnInteger,
	typeBool: nn.ColumnInteger, typeString: nn.ColumnText,
}

// maxColumns bounds the inputs of a model.
const maxColumns = 1 << 14

// setColumns makes the inputs parts of one row.
func (d *decoder) setColumns(inputs []declared) {
	malformedIf(len(inputs) > maxColumns, "has %d inputs, more than %d", len(inputs), maxColumns)
	if shape := d.columnShape(inputs[0]); len(inputs) == 1 && len(shape) > 0 {
		d.setInput(inputs[0], shape)
		return
	}
	total := 0
	for _, v := range inputs {
		shape := d.columnShape(v)
		if total += nn.Size(shape); !d.fits([]int{total}) {
			panic(malformedf("the inputs have more than %d numbers together", maxActivation))
		}
		d.noteInput(v, shape)
	}
	d.graph.Input = d.freshTensor("inputs")
	row := inner([]int{d.batch, total})
	d.graph.InputShape, d.inner[d.graph.Input] = row, row
	at := 0
	for _, c := range d.graph.Columns {
		d.cutColumn(c.Name, at, c.Width, row)
		at += c.Width
	}
}

// cutColumn makes the tensor of an input from the row.
func (d *decoder) cutColumn(name string, at, width int, row []int) {
	last := len(row) - 1
	op := allOf(row)
	op.Starts[last], op.Counts[last] = at, width
	part, shape := name, inner(d.shapes[name])
	if !slices.Equal(op.Counts, shape) {
		part = d.freshTensor(name + "_row")
	}
	d.put(d.fresh(name+"_column"), op, part, op.Counts, d.graph.Input)
	if part != name {
		d.put(d.fresh(name+"_column"), &nn.Reshape{To: shape}, name, shape, part)
	}
}

// columnShape returns the shape of an input without the batch.
func (d *decoder) columnShape(v declared) []int {
	unsupportedIf(columnTypes[v.element] == "" || v.other != "",
		"input %v: columns are float32, float64, int32, int64, bool or string", v)
	unsupportedIf(!v.ranked || len(v.dims) == 0, "input %v: its shape is not declared", v)
	return d.exampleShape(v)
}
