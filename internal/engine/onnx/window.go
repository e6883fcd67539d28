package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

// extent says which of a node's spatial dimensions a window has.
type extent struct {
	rank  int // how many the node has
	first int // the first that the window has
	dims  int // how many the window has: 1 or 2
	at    int // index of the first in settings of two dimensions
}

// extents covers the spatial dimensions of a shape [N, C, …] by windows of two
// dimensions: those of a volume by one over height and width and one over depth.
func extents(shape []int) []extent {
	switch rank := len(shape) - 2; rank {
	case 1:
		return []extent{{1, 0, 1, 1}}
	case 2:
		return []extent{{2, 0, 2, 0}}
	case 3:
		return []extent{{3, 1, 2, 0}, {3, 0, 1, 0}}
	default:
		panic(unsupportedf("%d spatial dimensions: only one to three are supported", max(rank, 0)))
	}
}

// window has the settings that convolutions and pools share, in two dimensions: a single
// dimension has height 1, and beside a volume's depth the width is all that follows.
type window struct {
	extent
	in                       [2]int
	kernel, stride, dilation [2]int
	pad                      [4]int // top, left, bottom, right
	auto                     string
}

// list returns the part of a setting that is for the window's dimensions.
func (p extent) list(x *[2]int) []int { return x[p.at : p.at+p.dims] }

// windows reads the attributes. shape is the input's, [N, C, …], and kernel the weight's,
// nil for a pool.
func (n *node) windows(shape, kernel []int, p extent) (w window) {
	w = window{extent: p, kernel: [2]int{1, 1}, stride: [2]int{1, 1}, dilation: [2]int{1, 1}}
	behind := nn.Size(shape[2+p.first+p.dims:])
	w.in = [2]int{behind, behind}
	copy(w.list(&w.in), shape[2+p.first:])
	if kernel != nil {
		kernel = kernel[p.first : p.first+p.dims]
		copy(w.list(&w.kernel), kernel)
	}
	given := n.setting(p, "kernel_shape", 1, &w.kernel)
	switch {
	case given && kernel != nil && !slices.Equal(w.list(&w.kernel), kernel):
		panic(malformedf("attribute \"kernel_shape\" is %v, but the weight has %v", w.list(&w.kernel), kernel))
	case !given && kernel == nil:
		panic(malformedf("attribute \"kernel_shape\" is missing"))
	}
	n.setting(p, "strides", 1, &w.stride)
	n.setting(p, "dilations", 1, &w.dilation)
	n.paddings(&w)
	return w
}

// setting reads the part of an attribute that is for the extent's dimensions into x.
func (n *node) setting(p extent, name string, low int64, x *[2]int) (present bool) {
	all := make([]int, p.rank)
	if present = n.window(name, low, all); present {
		copy(p.list(x), all[p.first:])
	}
	return present
}

// paddings reads the explicit paddings, and how to work out others.
func (n *node) paddings(w *window) {
	pads := make([]int, 2*w.rank)
	n.window("pads", 0, pads)
	for i := range w.dims {
		w.pad[w.at+i], w.pad[2+w.at+i] = pads[w.first+i], pads[w.rank+w.first+i]
	}
	switch w.auto = n.text("auto_pad", "NOTSET"); w.auto {
	case "NOTSET", "":
	case "VALID":
		w.pad = [4]int{}
	case "SAME_UPPER", "SAME_LOWER":
		malformedIf(slices.Max(pads) > 0, "both pads and auto_pad %s are given", w.auto)
	default:
		panic(malformedf("attribute \"auto_pad\" is %q", w.auto))
	}
}

// isSame reports whether the paddings follow from the sizes.
func (w *window) isSame() bool { return w.auto == "SAME_UPPER" || w.auto == "SAME_LOWER" }

// padSame pads, where the paddings follow from the sizes, so that the output is the input's
// size divided by the stride, rounded up.
func (w *window) padSame() {
	if !w.isSame() {
		return
	}
	for i := range 2 {
		out := (w.in[i] + w.stride[i] - 1) / w.stride[i]
		w.halve(i, max(0, (out-1)*w.stride[i]+w.reach(i)-w.in[i]), w.auto == "SAME_LOWER")
	}
}

// reach is how many inputs a window spans.
func (w *window) reach(i int) int { return (w.kernel[i]-1)*w.dilation[i] + 1 }

// halve pads dimension i by total on both sides together. An odd entry
// goes below and right, or if lower is set above and left.
func (w *window) halve(i, total int, lower bool) {
	w.pad[i], w.pad[i+2] = total/2, total-total/2
	if lower {
		w.pad[i], w.pad[i+2] = w.pad[i+2], w.pad[i]
	}
}
