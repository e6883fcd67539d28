package nn

import (
	"cmp"
	"fmt"
	"slices"
)

// window is the geometry of a kernel sliding over the planes of one example:
// output (i, j) depends on the inputs (i·strideH+r·dilH−top, j·strideW+s·dilW−left).
type window struct {
	images             int // of one example: the product of the leading dimensions
	channels, inH, inW int
	kH, kW             int
	strideH, strideW   int
	dilH, dilW         int
	top, left          int
	outH, outW         int
}

// windowLimit bounds the settings, so that no arithmetic on them overflows.
const windowLimit = 1 << 20

// newWindow checks the settings of a convolution or a pool against its one
// input, [..., channels, height, width]. Zero strides and dilations mean 1.
func newWindow(kernel, stride, dilation [2]int, pad [4]int, inputs [][]int) (window, error) {
	images, in, err := oneImage(inputs)
	if err != nil {
		return window{}, err
	}
	for i := range 2 {
		stride[i], dilation[i] = cmp.Or(stride[i], 1), cmp.Or(dilation[i], 1)
		if kernel[i] <= 0 || stride[i] < 0 || dilation[i] < 0 {
			return window{}, fmt.Errorf("kernel %v, stride %v and dilation %v must be positive", kernel, stride, dilation)
		}
		if max(kernel[i], stride[i], dilation[i], pad[i], pad[i+2]) > windowLimit {
			return window{}, fmt.Errorf("kernel %v, stride %v, dilation %v or padding %v is absurd: more than %d", kernel, stride, dilation, pad, windowLimit)
		}
	}
	if slices.Min(pad[:]) < 0 {
		return window{}, fmt.Errorf("padding %v is negative", pad)
	}
	w := window{
		images:   images,
		channels: in[0], inH: in[1], inW: in[2],
		kH: kernel[0], kW: kernel[1],
		strideH: stride[0], strideW: stride[1],
		dilH: dilation[0], dilW: dilation[1],
		top: pad[0], left: pad[1],
	}
	freeH := in[1] + pad[0] + pad[2] - (kernel[0]-1)*dilation[0] - 1
	freeW := in[2] + pad[1] + pad[3] - (kernel[1]-1)*dilation[1] - 1
	if freeH < 0 || freeW < 0 {
		return window{}, fmt.Errorf("kernel %v with dilation %v does not fit in an input of %d×%d padded by %v", kernel, dilation, in[1], in[2], pad)
	}
	w.outH, w.outW = freeH/stride[0]+1, freeW/stride[1]+1
	return w, nil
}

// oneImage returns the number of images in an operator's one input, [..., channels,
// height, width], and the shape of one.
func oneImage(inputs [][]int) (images int, shape []int, err error) {
	if len(inputs) != 1 || len(inputs[0]) < 3 {
		return 0, nil, fmt.Errorf("want one input of shape [channels height width], have %v", inputs)
	}
	lead, shape := leading(inputs[0])
	if Size(lead) < 1 || slices.Min(shape) < 1 {
		return 0, nil, fmt.Errorf("input %v is empty", inputs[0])
	}
	return Size(lead), shape, nil
}

// leading cuts a shape before its last three dimensions.
func leading(shape []int) (lead, image []int) {
	n := len(shape) - 3
	return shape[:n:n], shape[n:]
}

// span returns the outputs lo ≤ i < hi whose tap t falls inside an input of
// length in: 0 ≤ i·stride+t−pad < in.
func span(out, in, stride, t, pad int) (lo, hi int) {
	if t < pad {
		lo = (pad - t + stride - 1) / stride
	}
	if last := in - 1 + pad - t; last >= 0 {
		hi = min(out, last/stride+1)
	}
	return min(lo, hi), hi
}
