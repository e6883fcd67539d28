package onnx

import (
	"tattle/nn"
)

// picked follows an operator that takes entries of dimension k, which holds the batch: entry i
// of the output is the input's entry from(i) along it.
func (s step) picked(k, run, n int, from func(int) int) (batched, error) {
	if run, ok := sampled(n, run, s.batch, from); ok {
		return batched{stride: run * strideOf(s.out, k)}, nil
	}
	return batched{}, mixing("takes, leaves out or reorders examples")
}

// sampled returns how many neighbours belong to one example in the list of entries
// from(0), from(1) … of a dimension in which run do. ok is false unless the list takes
// the same of each example, in the order of the batch.
func sampled(n, run, batch int, from func(int) int) (each int, ok bool) {
	example := func(i int) int { return from(i) / run % batch }
	for each = 1; each < n && example(each) == 0; each++ {
	}
	if n == 0 || n%(each*batch) != 0 {
		return 0, false
	}
	for i := range n {
		b := i / each % batch
		if from(i) != from(i-b*each)+b*run || example(i) != b {
			return 0, false
		}
	}
	return each, true
}

// gather follows a Gather along any dimension.
func (s step) gather(op *nn.Gather, k, run int) (batched, error) {
	x, n := s.in[0], len(op.Indices)
	switch {
	case k > op.Axis:
		return batched{stride: s.in[0].stride}, nil
	case k < op.Axis:
		return batched{stride: run * strideOf(x.shape, k) / x.shape[op.Axis] * n}, nil
	}
	each, ok := sampled(n, run, s.batch, func(i int) int { return op.Indices[i] })
	if !ok {
		return batched{}, mixing("takes, leaves out or reorders examples")
	}
	return batched{stride: each * strideOf(x.shape, op.Axis)}, nil
}

// concat follows tensors joined along a dimension.
func (s step) concat(axis int) (batched, error) {
	out := batched{shape: s.out}
	length := 0 // of runs along the axis, where that holds the batch
	for _, b := range s.in {
		if !b.depends() || nn.Size(b.shape) == 0 {
			continue
		}
		k, run, err := b.axis(s.batch)
		if err != nil {
			return batched{}, err
		}
		if k == axis {
			if length != 0 && length != run {
				return batched{}, undecided("it joins what has different numbers of entries of each example")
			}
			length = run
		}
		if at := run * strideOf(s.out, k); out.stride == 0 || out.stride == at {
			out.stride = at
		} else {
			return batched{}, mixing("combines different examples")
		}
	}
	for _, b := range s.in {
		if b.depends() || nn.Size(b.shape) == 0 {
			continue
		}
		if length != 0 {
			return batched{}, mixing("joins other rows to the batch")
		}
		if err := s.sameForAll(out, b); err != nil {
			return batched{}, err
		}
	}
	return out, nil
}
