package onnx

import (
	"slices"
)

// foldCumSum is ONNX CumSum-14.
func foldCumSum(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	list, _, err := c.ints(1)
	if err != nil || len(list) != 1 {
		return nil, malformed("axis has %d elements", len(list))
	}
	axis, err := axisOf(list[0], len(v.shape))
	if err != nil {
		return nil, err
	}
	exclusive, err := c.flag("exclusive", false)
	if err != nil {
		return nil, err
	}
	reverse, err := c.flag("reverse", false)
	if err != nil {
		return nil, err
	}
	out, err := c.blank(v.element, v.shape)
	if err != nil {
		return nil, err
	}
	n, by := v.shape[axis], steps(v.shape)[axis]
	lines(v.shape, axis, func(_, start int) {
		var whole int64
		var sum float64
		for i := range n {
			if reverse {
				i = n - 1 - i
			}
			at := start + i*by
			if v.kind == isFloat {
				next := sum + float64(v.floats[at])
				if out.floats[at] = float32(next); exclusive {
					out.floats[at] = float32(sum)
				}
				sum = next
				continue
			}
			next := whole + v.ints[at]
			if out.ints[at] = wrap(next, v.element); exclusive {
				out.ints[at] = wrap(whole, v.element)
			}
			whole = next
		}
	})
	return one(out, nil)
}

// lines calls f for each line along an axis with where it starts.
func lines(shape []int, axis int, f func(i, start int)) {
	rest, layout := slices.Clone(shape), steps(shape)
	rest[axis] = 1
	walk(rest, [][]int{layout}, func(i int, at []int) { f(i, at[0]) })
}

// foldArg is ONNX ArgMax-13 and ArgMin-13.
func foldArg(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	axis, err := c.axisOf(v, 0)
	if err != nil {
		return nil, err
	}
	keep, err := c.flag("keepdims", true)
	if err != nil {
		return nil, err
	}
	last, err := c.flag("select_last_index", false)
	if err != nil {
		return nil, err
	}
	n, by := v.shape[axis], steps(v.shape)[axis]
	if n == 0 {
		return nil, malformed("over an axis of size 0")
	}
	shape := slices.Clone(v.shape)
	shape[axis] = 1
	out, err := c.blank(typeInt64, shape)
	if err != nil {
		return nil, err
	}
	better := 1
	if c.op == "ArgMin" {
		better = -1
	}
	lines(v.shape, axis, func(i, start int) {
		best := 0
		for j := 1; j < n; j++ {
			s, ok := v.compare(start+j*by, v, start+best*by)
			if ok && (s == better || s == 0 && last) {
				best = j
			}
		}
		out.ints[i] = int64(best)
	})
	if !keep {
		out = out.reshaped(slices.Delete(shape, axis, axis+1))
	}
	return one(out, nil)
}
