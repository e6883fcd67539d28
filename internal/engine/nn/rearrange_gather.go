package nn

import (
	"fmt"
	"slices"
)

// Gather takes entries along a dimension by their indices, which stand in place of
// that dimension: ONNX Gather-13 with constant indices.
type Gather struct {
	Axis    int
	Indices []int // row-major, from 0 on
	Dims    []int // the shape of the indices; none means a single one, whose dimension disappears
}

// Kind returns "Gather".
func (*Gather) Kind() string { return "Gather" }

// Shape returns the input's shape with Dims in place of dimension Axis. It returns an error
// if there is no such dimension, Dims is not the size of the list, or an index is
// outside.
func (o *Gather) Shape(inputs ...[]int) ([]int, error) {
	in, err := oneInput(inputs)
	if err != nil {
		return nil, err
	}
	if _, err := o.views(in); err != nil {
		return nil, err
	}
	return slices.Concat(in[:o.Axis], o.Dims, in[o.Axis+1:]), nil
}

// views has the list of indices as one axis.
func (o *Gather) views(in []int) ([]axisView, error) {
	if o.Axis < 0 || o.Axis >= len(in) {
		return nil, fmt.Errorf("no dimension %d in shape %v", o.Axis, in)
	}
	if len(o.Dims) > 0 && slices.Min(o.Dims) < 0 || Size(o.Dims) != len(o.Indices) {
		return nil, fmt.Errorf("%d indices do not have the shape %v", len(o.Indices), o.Dims)
	}
	for _, i := range o.Indices {
		if i < 0 || i >= in[o.Axis] {
			return nil, fmt.Errorf("index %d is outside dimension %d of shape %v", i, o.Axis, in)
		}
	}
	views := viewed(in)
	views[o.Axis] = axisView{o.Axis, len(o.Indices), func(i int) int { return o.Indices[i] }}
	return views, nil
}

func (o *Gather) kernel32(in ...[]int) kernel[float32] { return compileViews[float32](in, o.views, 0) }
func (o *Gather) kernel64(in ...[]int) kernel[float64] { return compileViews[float64](in, o.views, 0) }
