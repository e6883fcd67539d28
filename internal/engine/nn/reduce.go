package nn

import (
	"fmt"
	"slices"
	"strings"
)

// reduceFunctions are the functions of a [Reduce], sorted.
var reduceFunctions = []string{"Max", "Mean", "Min", "Sum"}

// Reduce combines the entries along some dimensions into one (ONNX ReduceMean-18,
// ReduceSum-13, ReduceMax-20 and ReduceMin-20). Where several entries
// are the largest, or the smallest, the derivative is that of the first.
type Reduce struct {
	Function string // Mean, Sum, Max or Min
	Axes     []int  // of one example, in any order; nil means all
	Keep     bool   // the dimensions stay, with size 1
}

// Kind returns "Reduce" and the function's name.
func (o *Reduce) Kind() string { return "Reduce" + o.Function }

// Shape returns the input's shape without the axes. It returns an error if the function is
// unknown, an axis is none of the input's, or twice the same, or no entry has a mean,
// a largest or a smallest.
func (o *Reduce) Shape(inputs ...[]int) ([]int, error) {
	s, err := oneInput(inputs)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(reduceFunctions, o.Function) {
		return nil, fmt.Errorf("function %q is none of %s", o.Function, strings.Join(reduceFunctions, ", "))
	}
	gone, err := o.reduced(s)
	if err != nil {
		return nil, err
	}
	out, entries := []int{}, 1
	for i, d := range s {
		switch {
		case !gone[i]:
			out = append(out, d)
			continue
		case o.Keep:
			out = append(out, 1)
		}
		entries *= d
	}
	if entries == 0 && o.Function != "Sum" {
		return nil, fmt.Errorf("input has shape %v: there is no entry to take the %s of", s, o.Function)
	}
	return out, nil
}

// reduced marks the dimensions that are combined.
func (o *Reduce) reduced(shape []int) ([]bool, error) {
	gone, axes := make([]bool, len(shape)), o.Axes
	if axes == nil {
		axes = Indices(len(shape))
	}
	for _, a := range axes {
		if a < 0 || a >= len(shape) || gone[a] {
			return nil, fmt.Errorf("input has shape %v, axes are %v: each must be a dimension, and one only once", shape, o.Axes)
		}
		gone[a] = true
	}
	return gone, nil
}

func (o *Reduce) kernel32(in ...[]int) kernel[float32] { return newReduceKernel[float32](o, in[0]) }
func (o *Reduce) kernel64(in ...[]int) kernel[float64] { return newReduceKernel[float64](o, in[0]) }

func newReduceKernel[T Float](o *Reduce, in []int) kernel[T] {
	gone := mustFit(o.reduced(in))
	p := newReducePlan(in, gone)
	switch o.Function {
	case "Sum":
		return &average[T]{p, 1}
	case "Mean":
		return &average[T]{p, p.entries()}
	case "Min":
		return &extreme[T]{p, -1}
	}
	return &extreme[T]{p, 1}
}

// reducePlan says where the entries of one example's outputs lie. Output o·inner + i
// combines the entries bases[o] + offsets[r] + i + t, for all r and t < length: inner is
// what follows the last combined dimension, and length, which is 1 if there is an inner
// part, what the last combined dimensions have in a row.
type reducePlan struct {
	bases, offsets []int
	inner, length  int
	size           int // of the input
}

func newReducePlan(shape []int, gone []bool) *reducePlan {
	p := &reducePlan{bases: []int{0}, offsets: []int{0}, inner: 1, length: 1, size: Size(shape)}
	last := len(shape)
	for last > 0 && !gone[last-1] {
		last--
		p.inner *= shape[last]
	}
	if p.inner == 1 {
		for last > 0 && gone[last-1] {
			last--
			p.length *= shape[last]
		}
	}
	stride := p.size
	for i, d := range shape[:last] {
		if stride /= max(1, d); gone[i] {
			p.offsets = eachStep(p.offsets, d, stride)
		} else {
			p.bases = eachStep(p.bases, d, stride)
		}
	}
	return p
}

// entries returns how many entries an output combines, outputs how many there are.
func (p *reducePlan) entries() int { return len(p.offsets) * p.length }
func (p *reducePlan) outputs() int { return len(p.bases) * p.inner }
