package nn

import "fmt"

// Conv2D is a two-dimensional convolution (a cross-correlation, as every deep
// learning library has it) of NCHW activations:
//
//	y[o,i,j] = b[o] + Σ_{c,r,s} W[o,c,r,s] · x[c, i·Stride+r·Dilation−Pad, j·Stride+s·Dilation−Pad]
//
// where x is zero outside its bounds and c runs over the input channels of o's
// group. Zero in Stride, Dilation or Groups means 1.
type Conv2D struct {
	InChannels, OutChannels  int
	Kernel, Stride, Dilation [2]int // height, width
	Pad                      [4]int // top, left, bottom, right
	Groups                   int    // InChannels for a depthwise convolution
	Weight                   *Param // [OutChannels, InChannels/Groups, Kernel[0], Kernel[1]]
	Bias                     *Param // [OutChannels], or nil
}

// Kind returns "Conv".
func (c *Conv2D) Kind() string { return "Conv" }

// Params returns the weight, and the bias if there is one.
func (c *Conv2D) Params() []*Param {
	if c.Bias == nil {
		return []*Param{c.Weight}
	}
	return []*Param{c.Weight, c.Bias}
}

// Shape returns [OutChannels, height, width] of one example's output. It errs
// where the input, the settings or the parameters' shapes do not fit.
func (c *Conv2D) Shape(inputs ...[]int) ([]int, error) {
	g := max(c.Groups, 1)
	if c.InChannels <= 0 || c.OutChannels <= 0 || c.InChannels%g != 0 || c.OutChannels%g != 0 {
		return nil, fmt.Errorf("%d input and %d output channels do not divide into %d groups", c.InChannels, c.OutChannels, g)
	}
	if want := []int{c.OutChannels, c.InChannels / g, c.Kernel[0], c.Kernel[1]}; !sameShape(c.Weight, want) {
		return nil, fmt.Errorf("weight has shape %v, want %v", paramShape(c.Weight), want)
	}
	if c.Bias != nil && !sameShape(c.Bias, []int{c.OutChannels}) {
		return nil, fmt.Errorf("bias has shape %v, want [%d]", paramShape(c.Bias), c.OutChannels)
	}
	w, err := newWindow(c.Kernel, c.Stride, c.Dilation, c.Pad, inputs)
	if err != nil {
		return nil, err
	}
	if w.channels != c.InChannels {
		return nil, fmt.Errorf("input has %d channels, want %d", w.channels, c.InChannels)
	}
	return []int{c.OutChannels, w.outH, w.outW}, nil
}
