package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

// pools applies the pool that op makes of its settings. One of volumes pools their images first
// and then along the depth, which is the same for largest entries and for means.
func (r *nodeReader) pools(op func(w *window) nn.Op) {
	x := r.operand(0)
	c, shape := r.chain(x), slices.Clone(x.shape)
	for _, at := range extents(x.shape) {
		w := r.windows(shape, nil, at)
		w.padSame()
		pool, images := op(&w), []int{nn.Size(shape[:2+at.first]), w.in[0], w.in[1]}
		if _, err := pool.Shape(images); err != nil {
			panic(unsupportedf("%v", err))
		}
		c = c.view(images).then(pool)
		copy(shape[2+at.first:], at.list((*[2]int)(c.shape[1:])))
	}
	c.end(0, shape)
}

// fit pads behind as far as the last windows need, and no further.
func (r *nodeReader) fit(w *window) {
	ceil := r.flag("ceil_mode", false)
	for i, stride := range w.stride {
		padded := w.in[i] + w.pad[i]
		free := padded + w.pad[i+2] - w.reach(i)
		malformedIf(free < 0, "a kernel of %v does not fit in %v padded by %v", w.kernel, w.in, w.pad)
		last := free / stride // window
		if ceil && free%stride != 0 && (last+1)*stride < padded {
			last++ // it begins before the padding behind
		}
		r.claim(last)
		w.pad[i+2] = max(0, last*stride+w.reach(i)-padded)
	}
}

func (r *nodeReader) maxPool() {
	r.pools(func(w *window) nn.Op {
		r.fit(w)
		return &nn.MaxPool{Kernel: w.kernel, Stride: w.stride, Pad: w.pad, Dilation: w.dilation}
	})
}

func (r *nodeReader) averagePool() {
	include := r.flag("count_include_pad", false)
	r.pools(func(w *window) nn.Op {
		given := w.pad
		r.fit(w)
		unsupportedIf(include && (w.pad[2] > given[2] || w.pad[3] > given[3]),
			"count_include_pad where a window in ceil_mode reaches beyond the padding: versions of ONNX differ in what is counted")
		return &nn.AveragePool{Kernel: w.kernel, Stride: w.stride, Pad: w.pad, CountIncludePad: include, Dilation: w.dilation}
	})
}

// globalPool reduces each channel of [N, C, …] by a function.
func globalPool(function string) func(*nodeReader) {
	return func(r *nodeReader) {
		x := r.operand(0)
		malformedIf(len(x.shape) < 3, "an input of %d dimensions: it must have at least 3", len(x.shape))
		r.reduceOver(x, function, nn.Indices(len(x.shape))[2:], true)
	}
}
