package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

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
	var shapes [][]int
	total := 0
	for _, v := range inputs {
		shape := d.columnShape(v)
		width := nn.Size(shape)
		shapes = append(shapes, shape)
		d.graph.Columns = append(d.graph.Columns, nn.Column{Name: v.name, Width: width, Type: columnTypes[v.element]})
		if total += width; !d.fits([]int{total}) {
			panic(malformedf("the inputs have more than %d numbers together", maxActivation))
		}
	}
	for _, v := range inputs {
		d.tensors[v.name] = true
		d.open = d.open || !v.ranked || !v.dims[0].known
	}
	alone := len(inputs) == 1 && len(shapes[0]) > 0
	row := inner([]int{d.batch, total})
	if alone {
		d.graph.Input = inputs[0].name
		row = inner(slices.Concat([]int{d.batch}, shapes[0]))
	} else {
		d.graph.Input = d.freshTensor("inputs")
	}
	d.graph.InputShape, d.inner[d.graph.Input] = row, row
	at := 0
	for i, v := range inputs {
		d.shapes[v.name] = slices.Concat([]int{d.batch}, shapes[i])
		if kind := columnTypes[v.element]; kind == nn.ColumnText {
			d.elements[v.name] = typeString
		} else if kind == nn.ColumnInteger {
			d.elements[v.name] = typeInt64
		}
		if !alone {
			d.cutColumn(v.name, at, d.graph.Columns[i].Width, row)
		}
		at += d.graph.Columns[i].Width
	}
}

// cutColumn makes the tensor of an input from the row.
func (d *decoder) cutColumn(name string, at, width int, row []int) {
	last := len(row) - 1
	op := &nn.Slice{Starts: make([]int, len(row)), Counts: slices.Clone(row), Steps: slices.Repeat([]int{1}, len(row))}
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
