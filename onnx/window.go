package onnx

import (
	"slices"

	"tattle/nn"
)

// extent says which of a node's spatial dimensions a window is over.
type extent struct {
	rank  int // how many the node has
	first int // the first of them
	dims  int // how many: 1 or 2
	at    int // where the first is kept
}

// extents covers the spatial dimensions of a shape [N, C, …] by windows of two
// dimensions: those of a volume by one over height and width and one over depth.
func extents(shape []int) ([]extent, error) {
	switch rank := len(shape) - 2; rank {
	case 1:
		return []extent{{1, 0, 1, 1}}, nil
	case 2:
		return []extent{{2, 0, 2, 0}}, nil
	case 3:
		return []extent{{3, 1, 2, 0}, {3, 0, 1, 0}}, nil
	default:
		return nil, beyond("of %d dimensions: only one to three are computed", max(rank, 0))
	}
}

// window is what convolutions and pools have in common, over images of two dimensions:
// of one alone the height is 1, and of a volume's depth the width is all that is behind.
type window struct {
	extent
	in                       [2]int
	kernel, stride, dilation [2]int
	pad                      [4]int // top, left, bottom, right
	auto                     string
}

// list is what holds a setting of each of the dimensions there are.
func (p extent) list(x *[2]int) []int { return x[p.at : p.at+p.dims] }

// windows reads the attributes; kernel is what the weight says, empty for a pool.
// shape is the input's, [N, C, …].
func (n *node) windows(shape, kernel []int, p extent) (w window, err error) {
	w = window{extent: p, kernel: [2]int{1, 1}, stride: [2]int{1, 1}, dilation: [2]int{1, 1}}
	behind := nn.Size(shape[2+p.first+p.dims:])
	w.in = [2]int{behind, behind}
	copy(w.list(&w.in), shape[2+p.first:])
	if kernel != nil {
		kernel = kernel[p.first : p.first+p.dims]
		copy(w.list(&w.kernel), kernel)
	}
	given, err := n.along(p, "kernel_shape", 1, &w.kernel)
	switch {
	case err != nil:
		return w, err
	case given && kernel != nil && !slices.Equal(w.list(&w.kernel), kernel):
		return w, malformed("kernel_shape %v, but the weight has %v", w.list(&w.kernel), kernel)
	case !given && kernel == nil:
		return w, malformed("has no kernel_shape")
	}
	if _, err := n.along(p, "strides", 1, &w.stride); err != nil {
		return w, err
	}
	if _, err := n.along(p, "dilations", 1, &w.dilation); err != nil {
		return w, err
	}
	return w, n.padding(&w)
}

// along reads what an attribute says of the extent's dimensions into x.
func (n *node) along(p extent, name string, low int64, x *[2]int) (present bool, err error) {
	all := make([]int, p.rank)
	present, err = n.window(name, low, all)
	if present && err == nil {
		copy(p.list(x), all[p.first:])
	}
	return present, err
}

// padding reads the explicit paddings and how to make them up.
func (n *node) padding(w *window) (err error) {
	pads := make([]int, 2*w.rank)
	if _, err := n.window("pads", 0, pads); err != nil {
		return err
	}
	for i := range w.dims {
		w.pad[w.at+i], w.pad[2+w.at+i] = pads[w.first+i], pads[w.rank+w.first+i]
	}
	if w.auto, err = n.text("auto_pad", "NOTSET"); err != nil {
		return err
	}
	switch w.auto {
	case "NOTSET", "":
	case "VALID":
		w.pad = [4]int{}
	case "SAME_UPPER", "SAME_LOWER":
		if slices.Max(pads) > 0 {
			return malformed("has both pads and auto_pad %s", w.auto)
		}
	default:
		return malformed("auto_pad is %q", w.auto)
	}
	return nil
}

// isSame reports whether the paddings follow from the sizes.
func (w *window) isSame() bool { return w.auto == "SAME_UPPER" || w.auto == "SAME_LOWER" }

// same pads so that the output is the input's size divided by the stride,
// rounded up.
func (w *window) same() {
	for i := range 2 {
		out := (w.in[i] + w.stride[i] - 1) / w.stride[i]
		w.halve(i, max(0, (out-1)*w.stride[i]+w.reach(i)-w.in[i]), w.auto == "SAME_LOWER")
	}
}

// reach is how many inputs a window spans.
func (w *window) reach(i int) int { return (w.kernel[i]-1)*w.dilation[i] + 1 }

// halve pads dimension i by total on both sides together: what cannot be halved
// goes below and right, or above and left.
func (w *window) halve(i, total int, lower bool) {
	w.pad[i], w.pad[i+2] = total/2, total-total/2
	if lower {
		w.pad[i], w.pad[i+2] = w.pad[i+2], w.pad[i]
	}
}
