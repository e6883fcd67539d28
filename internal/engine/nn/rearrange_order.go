package nn

import (
	"fmt"
	"slices"
)

// Reshape lays an example out in another shape of as many entries: ONNX Reshape-13, where To follows
// the batch, or ONNX Flatten-13.
type Reshape struct {
	To []int // [−1] is one vector of all entries; else a 0 is an empty dimension
}

// Flatten returns the Reshape that lays an example of any shape out as one vector.
func Flatten() *Reshape { return &Reshape{To: []int{-1}} }

func (o *Reshape) flat() bool { return slices.Equal(o.To, []int{-1}) }

// Kind returns "Reshape", or "Flatten" for that to one vector.
func (o *Reshape) Kind() string {
	if o.flat() {
		return "Flatten"
	}
	return "Reshape"
}

// Shape returns the new shape; it returns an error if its size is not the input's.
func (o *Reshape) Shape(inputs ...[]int) ([]int, error) {
	in, err := oneInput(inputs)
	if err != nil {
		return nil, err
	}
	switch {
	case o.flat():
		return []int{Size(in)}, nil
	case len(o.To) > 0 && slices.Min(o.To) < 0:
		return nil, fmt.Errorf("shape %v has a negative dimension", o.To)
	case Size(o.To) != Size(in):
		return nil, fmt.Errorf("cannot view shape %v as %v: %d entries are not %d", in, o.To, Size(in), Size(o.To))
	}
	return o.To, nil
}

func (*Reshape) kernel32(...[]int) kernel[float32] { return through[float32]{} }
func (*Reshape) kernel64(...[]int) kernel[float64] { return through[float64]{} }

// Transpose permutes the dimensions of an example: dimension d of the output is
// dimension Perm[d] of the input. ONNX Transpose-13, whose perm counts the batch too.
type Transpose struct{ Perm []int }

// Kind returns "Transpose".
func (*Transpose) Kind() string { return "Transpose" }

// Shape returns the permuted shape; it returns an error if Perm is no permutation of the
// input's dimensions.
func (o *Transpose) Shape(inputs ...[]int) ([]int, error) {
	return rearranged(inputs, o.views)
}

func (o *Transpose) views(in []int) ([]axisView, error) {
	if len(o.Perm) != len(in) {
		return nil, rankError(fmt.Sprintf("permutation %v", o.Perm), in)
	}
	seen := make([]bool, len(in))
	views := make([]axisView, len(in))
	for d, a := range o.Perm {
		if a < 0 || a >= len(in) || seen[a] {
			return nil, fmt.Errorf("%v is no permutation of %d dimensions", o.Perm, len(in))
		}
		seen[a] = true
		views[d] = whole(a, in[a])
	}
	return views, nil
}

func (o *Transpose) kernel32(in ...[]int) kernel[float32] {
	return compileViews[float32](in, o.views, 0)
}

func (o *Transpose) kernel64(in ...[]int) kernel[float64] {
	return compileViews[float64](in, o.views, 0)
}

// Slice takes, along each dimension d, the Counts[d] entries Starts[d], Starts[d] +
// Steps[d], …; steps may be negative. ONNX Slice-13 with its ends turned into counts.
type Slice struct {
	Starts, Steps, Counts []int // one of each dimension; nil Steps are ones
}

// Kind returns "Slice".
func (*Slice) Kind() string { return "Slice" }

// Shape returns Counts; it returns an error if an entry would lie outside the input.
func (o *Slice) Shape(inputs ...[]int) ([]int, error) { return rearranged(inputs, o.views) }

func (o *Slice) views(in []int) ([]axisView, error) {
	if len(o.Starts) != len(in) || len(o.Counts) != len(in) || o.Steps != nil && len(o.Steps) != len(in) {
		return nil, rankError(fmt.Sprintf("starts %v, steps %v and counts %v", o.Starts, o.Steps, o.Counts), in)
	}
	views := make([]axisView, len(in))
	for d, n := range in {
		start, step, many := o.Starts[d], 1, o.Counts[d]
		if o.Steps != nil {
			step = o.Steps[d]
		}
		if many < 0 || many > 0 && !sliceFits(n, start, step, many) {
			return nil, fmt.Errorf("%d entries from %d in steps of %d do not lie in dimension %d of shape %v", many, start, step, d, in)
		}
		views[d] = axisView{d, many, func(i int) int { return start + i*step }}
	}
	return views, nil
}

// sliceFits reports whether many > 0 entries lie in a dimension of n, without
// overflow.
func sliceFits(n, start, step, many int) bool {
	switch {
	case start < 0 || start >= n:
		return false
	case step > 0:
		return many-1 <= (n-1-start)/step
	case step < 0:
		return step >= -n && many-1 <= start/-step || many == 1
	}
	return many == 1
}

func (o *Slice) kernel32(in ...[]int) kernel[float32] { return compileViews[float32](in, o.views, 0) }
func (o *Slice) kernel64(in ...[]int) kernel[float64] { return compileViews[float64](in, o.views, 0) }

// rearranged returns the shape that the views of a rearrangement of one input have.
func rearranged(inputs [][]int, views func([]int) ([]axisView, error)) ([]int, error) {
	in, err := oneInput(inputs)
	if err != nil {
		return nil, err
	}
	v, err := views(in)
	if err != nil {
		return nil, err
	}
	return viewShape(v), nil
}

// compileViews makes the kernel of a rearrangement whose Shape has looked at its
// settings.
func compileViews[T Float](in [][]int, views func([]int) ([]axisView, error), value float64) kernel[T] {
	v := mustFit(views(in[0]))
	return newRearrange[T](in[0], v, value)
}
