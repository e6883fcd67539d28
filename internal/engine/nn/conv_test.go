package nn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

// convCase is a convolution and its input's height and width.
type convCase struct {
	in, out, groups int
	kernel, stride  [2]int
	dilation        [2]int
	pad             [4]int
	height, width   int
	noBias          bool
}

func (c convCase) String() string {
	return fmt.Sprintf("%dto%d/g%d/k%v/s%v/d%v/p%v/%dx%d", c.in, c.out, c.groups, c.kernel, c.stride, c.dilation, c.pad, c.height, c.width)
}

func (c convCase) op() *Conv2D {
	r := rand.New(rand.NewPCG(uint64(c.in), uint64(c.out)))
	op := &Conv2D{
		InChannels: c.in, OutChannels: c.out, Groups: c.groups,
		Kernel: c.kernel, Stride: c.stride, Dilation: c.dilation, Pad: c.pad,
		Weight: testParam(r, "weight", c.out, c.in/max(c.groups, 1), c.kernel[0], c.kernel[1]),
	}
	if !c.noBias {
		op.Bias = testParam(r, "bias", c.out)
	}
	return op
}

func (c convCase) shape() []int { return []int{c.in, c.height, c.width} }

// convCases has a case for each implementation, and even kernels with strides below, equal to
// and above their size.
var convCases = []convCase{
	{in: 3, out: 5, kernel: [2]int{3, 3}, height: 7, width: 6},
	{in: 3, out: 4, kernel: [2]int{3, 3}, stride: [2]int{2, 2}, pad: [4]int{1, 1, 1, 1}, height: 8, width: 9},
	{in: 2, out: 3, kernel: [2]int{2, 2}, stride: [2]int{1, 1}, height: 5, width: 6},
	{in: 2, out: 3, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 6, width: 8},
	{in: 2, out: 3, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 7, width: 5},
	{in: 2, out: 3, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, pad: [4]int{1, 0, 0, 1}, height: 6, width: 7},
	{in: 2, out: 3, kernel: [2]int{2, 2}, stride: [2]int{3, 3}, height: 8, width: 10},
	{in: 2, out: 3, kernel: [2]int{4, 4}, stride: [2]int{4, 4}, height: 9, width: 11},
	{in: 2, out: 3, kernel: [2]int{4, 2}, stride: [2]int{2, 1}, pad: [4]int{2, 1, 0, 3}, height: 7, width: 6},
	{in: 3, out: 2, kernel: [2]int{1, 4}, stride: [2]int{1, 2}, pad: [4]int{0, 2, 0, 1}, height: 5, width: 7},
	{in: 3, out: 2, kernel: [2]int{3, 1}, pad: [4]int{0, 0, 2, 0}, height: 5, width: 7},
	{in: 4, out: 6, kernel: [2]int{1, 1}, height: 5, width: 5, noBias: true},
	{in: 4, out: 6, kernel: [2]int{1, 1}, stride: [2]int{2, 3}, height: 5, width: 8},
	{in: 2, out: 3, kernel: [2]int{1, 1}, pad: [4]int{1, 1, 1, 1}, height: 5, width: 5},   // padded beyond the kernel's reach
	{in: 2, out: 3, kernel: [2]int{3, 3}, pad: [4]int{3, 3, 3, 3}, height: 28, width: 28}, // the same, one example at a time
	{in: 2, out: 3, kernel: [2]int{5, 5}, pad: [4]int{2, 2, 2, 2}, height: 300, width: 1}, // rows shorter than the padding
	{in: 4, out: 6, groups: 2, kernel: [2]int{1, 1}, height: 18, width: 17},
	{in: 2, out: 4, kernel: [2]int{3, 3}, dilation: [2]int{2, 3}, pad: [4]int{2, 3, 1, 2}, height: 8, width: 9},
	{in: 3, out: 2, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 4, width: 5},
	{in: 3, out: 2, kernel: [2]int{2, 4}, pad: [4]int{0, 2, 3, 1}, height: 3, width: 4},
	{in: 2, out: 2, kernel: [2]int{3, 5}, dilation: [2]int{2, 3}, pad: [4]int{3, 10, 2, 2}, height: 3, width: 4},
	{in: 2, out: 4, kernel: [2]int{5, 5}, pad: [4]int{4, 4, 4, 4}, height: 3, width: 2},
	{in: 4, out: 6, groups: 2, kernel: [2]int{3, 3}, stride: [2]int{2, 1}, pad: [4]int{1, 0, 1, 1}, height: 6, width: 7},
	{in: 4, out: 4, groups: 2, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 4, width: 6},
	{in: 4, out: 4, groups: 4, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 6, width: 5},
	{in: 3, out: 6, groups: 3, kernel: [2]int{2, 3}, stride: [2]int{2, 2}, dilation: [2]int{1, 2}, pad: [4]int{0, 1, 1, 2}, height: 7, width: 8},
	{in: 2, out: 2, groups: 2, kernel: [2]int{5, 5}, pad: [4]int{2, 2, 2, 2}, height: 4, width: 9},
	{in: 2, out: 6, groups: 2, kernel: [2]int{7, 7}, stride: [2]int{2, 2}, pad: [4]int{3, 3, 3, 3}, height: 7, width: 6},
	{in: 3, out: 3, groups: 3, kernel: [2]int{2, 1}, stride: [2]int{3, 2}, pad: [4]int{1, 0, 1, 0}, height: 7, width: 6}, // inputs that no output uses
	{in: 2, out: 4, groups: 2, kernel: [2]int{3, 3}, stride: [2]int{2, 3}, dilation: [2]int{3, 2}, pad: [4]int{3, 2, 3, 3}, height: 8, width: 7},
	{in: 19, out: 19, groups: 19, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 4, width: 5},                            // two lines of channels
	{in: 2, out: 2, groups: 2, kernel: [2]int{1, 1}, stride: [2]int{1 << 20, 1 << 20}, height: 3, width: 2},                      // by columns
	{in: 2, out: 2, groups: 2, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 70, width: 90},                             // by bands
	{in: 2, out: 4, groups: 2, kernel: [2]int{3, 2}, stride: [2]int{2, 1}, pad: [4]int{1, 1, 1, 1}, height: 99, width: 90},       // by bands
	{in: 2, out: 2, groups: 2, kernel: [2]int{3, 3}, dilation: [2]int{40, 40}, pad: [4]int{40, 40, 40, 40}, height: 3, width: 3}, // by columns
	{in: 6, out: 7, kernel: [2]int{3, 4}, height: 3, width: 4},                                                                   // covers its input
	{in: 3, out: 2, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 40, width: 37},
	{in: 2, out: 3, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 67, width: 50},
}

// A convTerm adds the product of an input and a weight to an output, of one example.
type convTerm struct{ y, x, w int }

// convTerms is the definition of a convolution.
func convTerms(c *Conv2D, in, out []int) (terms []convTerm) {
	g, k := max(c.Groups, 1), c.Kernel[0]*c.Kernel[1]
	inG, outG := c.InChannels/g, c.OutChannels/g
	for y := range Size(out) {
		channel, i, j := y/(out[1]*out[2]), y/out[2]%out[1], y%out[2]
		for w := range inG * k {
			h := i*max(c.Stride[0], 1) + w%k/c.Kernel[1]*max(c.Dilation[0], 1) - c.Pad[0]
			v := j*max(c.Stride[1], 1) + w%c.Kernel[1]*max(c.Dilation[1], 1) - c.Pad[1]
			if h >= 0 && h < in[1] && v >= 0 && v < in[2] {
				terms = append(terms, convTerm{y, ((channel/outG*inG+w/k)*in[1]+h)*in[2] + v, channel*inG*k + w})
			}
		}
	}
	return terms
}

// widen3 makes the kernel large.
func widen3(c *Conv2D) {
	c.Kernel[1] = 1024
	c.Weight = &Param{Shape: []int{6, 2, 3, 1024}, Data: make([]float32, 6*2*3*1024)}
}

func TestConvShapeErrors(t *testing.T) {
	good := convCase{in: 4, out: 6, groups: 2, kernel: [2]int{3, 3}, height: 5, width: 5}
	for want, change := range map[string]func(c *Conv2D, in *[]int){
		"do not divide":     func(c *Conv2D, in *[]int) { c.Groups = 3 },
		"want one input":    func(c *Conv2D, in *[]int) { *in = []int{4} },
		"has 3 channels":    func(c *Conv2D, in *[]int) { *in = []int{3, 5, 5} },
		"does not fit":      func(c *Conv2D, in *[]int) { *in = []int{4, 2, 5} },
		"is negative":       func(c *Conv2D, in *[]int) { c.Pad[2] = -1 },
		"must be positive":  func(c *Conv2D, in *[]int) { c.Stride[0] = -1 },
		"weight is missing": func(c *Conv2D, in *[]int) { c.Weight = nil },
		"patches":           func(c *Conv2D, in *[]int) { c.Pad = [4]int{0, 1 << 20, 0, 1 << 20}; widen3(c) },
		`bias "bias" has`:   func(c *Conv2D, in *[]int) { c.Bias.Shape = []int{5} },
		`weight "weight"`:   func(c *Conv2D, in *[]int) { c.Kernel[0] = 2 },
	} {
		op, in := good.op(), good.shape()
		change(op, &in)
		must.Fail(t, must.Err(op.Shape(in)), want)
	}
}

// TestFarKernelEntriesNeedNoPlanes: a dilated kernel over padding needs no more room than its outputs.
func TestFarKernelEntriesNeedNoPlanes(t *testing.T) {
	const far = 1 << 19
	for _, stride := range []int{1, far} {
		c := &Conv2D{InChannels: 1, OutChannels: 1, Kernel: [2]int{2, 2}, Dilation: [2]int{far, far}, Stride: [2]int{stride, stride},
			Pad: [4]int{far, far, 0, 0}, Weight: &Param{Shape: []int{1, 1, 2, 2}, Data: []float32{1, 2, 3, 4}}}
		k := newConvColumns[float32](newConvPlan(c, mustFit(newWindow(c.Kernel, c.Stride, c.Dilation, c.Pad, [][]int{{1, 1, 1}}))))
		if n := k.planesSize(1); n > 100 {
			t.Errorf("stride %d: planes of %d entries", stride, n)
		}
	}
}
