package onnx

import "slices"

// steps returns how far apart neighbours along each dimension lie, row-major.
func steps(shape []int) []int {
	s := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = n
		n *= shape[i]
	}
	return s
}

// walk calls f for each entry of the shape in row-major order, with where it lies
// in several layouts, each given by its steps.
func walk(shape []int, layouts [][]int, f func(i int, at []int)) {
	if slices.Contains(shape, 0) {
		return
	}
	at, index := make([]int, len(layouts)), make([]int, len(shape))
	for i := 0; ; i++ {
		f(i, at)
		d := len(shape) - 1
		for ; d >= 0; d-- {
			index[d]++
			for k, l := range layouts {
				at[k] += l[d]
			}
			if index[d] < shape[d] {
				break
			}
			for k, l := range layouts {
				at[k] -= l[d] * shape[d]
			}
			index[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// stretch returns the steps of a tensor seen as one of the larger shape that it
// broadcasts to: 0 along repeated dimensions.
func stretch(from, to []int) []int {
	s, own := make([]int, len(to)), steps(from)
	lead := len(to) - len(from)
	for i, n := range from {
		if n != 1 {
			s[lead+i] = own[i]
		}
	}
	return s
}

// copyFrom sets v[i] to from[j].
func (v *value) copyFrom(i int, from *value, j int) {
	if v.kind == isFloat {
		v.floats[i] = from.floats[j]
	} else {
		v.ints[i] = from.ints[j]
	}
}

// strided returns the constant whose entries lie in v, from start on, the given
// steps apart.
func (c *calculation) strided(v *value, shape, by []int, start int) (*value, error) {
	out, err := c.blank(v.element, shape)
	if err != nil {
		return nil, err
	}
	walk(shape, [][]int{by}, func(i int, at []int) { out.copyFrom(i, v, start+at[0]) })
	return out, nil
}

// axesIn returns axes as axesOf, ascending.
func axesIn(axes []int64, rank int) ([]int, error) {
	out, err := axesOf(axes, rank)
	slices.Sort(out)
	return out, err
}

// ints returns an input of integers; ok is false where it is absent.
func (c *calculation) ints(i int) (x []int64, ok bool, err error) {
	if !c.has(i) {
		return nil, false, nil
	}
	if c.in[i].kind == isFloat {
		return nil, false, malformed("input %d is of %s, not of integers", i+1, typeName(c.in[i].element))
	}
	return c.in[i].ints, true, nil
}

// list returns integers that newer opsets have as an input and older ones as an
// attribute.
func (c *calculation) list(i int, attribute string) (x []int64, ok bool, err error) {
	if x, ok, err = c.ints(i); ok || err != nil {
		return x, ok, err
	}
	a, ok, err := c.typed(attribute, kindInts)
	return a.ints, ok, err
}

// dims returns sizes that a constant holds.
func dims(x []int64) ([]int, error) {
	if len(x) > maxDims {
		return nil, malformed("has more than %d dimensions", maxDims)
	}
	shape := make([]int, len(x))
	for i, s := range x {
		if s < 0 {
			return nil, malformed("has the impossible shape %v", x)
		}
		shape[i] = int(s)
	}
	return shape, nil
}
