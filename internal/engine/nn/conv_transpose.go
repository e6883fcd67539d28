package nn

import (
	"fmt"

	"tattle/internal/math/simd"
)

// ConvTranspose is the adjoint of a convolution of NCHW activations, and a bias:
// each input adds its multiple of the kernel to the outputs that it reaches,
//
//	y[o, i·Stride+r·Dilation−Pad, j·Stride+s·Dilation−Pad] += W[c,o,r,s] · x[c,i,j],
//
// what falls outside y being dropped (ONNX ConvTranspose-11 with explicit pads). The
// output has (height−1)·Stride + (Kernel−1)·Dilation + 1 − both Pads + OutputPad
// rows, and columns likewise. Dimensions before the last three count further images
// of one example. Zero in Stride, Dilation or Groups means 1.
type ConvTranspose struct {
	InChannels, OutChannels  int
	Kernel, Stride, Dilation [2]int // height, width
	Pad                      [4]int // top, left, bottom, right
	OutputPad                [2]int // rows at the bottom and columns at the right beside
	Groups                   int
	Weight                   *Param // [InChannels, OutChannels/Groups, Kernel[0], Kernel[1]]
	Bias                     *Param // [OutChannels], or nil
}

// Kind returns "ConvTranspose".
func (c *ConvTranspose) Kind() string { return "ConvTranspose" }

// Params returns the weight, and the bias if there is one.
func (c *ConvTranspose) Params() []*Param {
	return present(c.Weight, c.Bias)
}

// Shape returns [..., OutChannels, height, width] of one example's output. It returns an error
// if the input, the settings or the parameters' shapes do not fit.
func (c *ConvTranspose) Shape(inputs ...[]int) ([]int, error) {
	g := max(c.Groups, 1)
	if c.InChannels <= 0 || c.OutChannels <= 0 || c.InChannels%g != 0 || c.OutChannels%g != 0 {
		return nil, fmt.Errorf("%d input and %d output channels do not divide into %d groups", c.InChannels, c.OutChannels, g)
	}
	if err := checkAffine(c.Bias, c.OutChannels, c.Weight, c.InChannels, c.OutChannels/g, c.Kernel[0], c.Kernel[1]); err != nil {
		return nil, err
	}
	p, err := c.plan(inputs)
	if err != nil {
		return nil, err
	}
	if p.outW > patchLimit/p.depth {
		return nil, fmt.Errorf("a row of %d inputs reaches patches of %d outputs each: absurd, more than %d in all", p.outW, p.depth, patchLimit)
	}
	lead, _ := leading(inputs[0])
	return append(lead, c.OutChannels, p.inH, p.inW), nil
}

// plan returns the convolution of which this is the adjoint: its outputs are the
// inputs here.
func (c *ConvTranspose) plan(inputs [][]int) (convPlan, error) {
	images, in, err := oneImage(inputs)
	if err != nil {
		return convPlan{}, err
	}
	if in[0] != c.InChannels {
		return convPlan{}, fmt.Errorf("input has %d channels, want %d", in[0], c.InChannels)
	}
	size := [2]int{}
	for i := range 2 {
		s, d := max(c.Stride[i], 1), max(c.Dilation[i], 1)
		if extra := c.OutputPad[i]; extra < 0 || extra >= max(s, d) {
			return convPlan{}, fmt.Errorf("output padding %v is negative or not below stride %v and dilation %v", c.OutputPad, c.Stride, c.Dilation)
		}
		if max(c.Kernel[i], s, d, c.Pad[i], c.Pad[i+2], in[1+i]) > windowLimit {
			return convPlan{}, fmt.Errorf("input %v, kernel %v, stride %v, dilation %v or padding %v is absurd: more than %d", in, c.Kernel, c.Stride, c.Dilation, c.Pad, windowLimit)
		}
		size[i] = (in[1+i]-1)*s + (c.Kernel[i]-1)*d + 1 - c.Pad[i] - c.Pad[i+2] + c.OutputPad[i]
	}
	if size[0] < 1 || size[1] < 1 {
		return convPlan{}, fmt.Errorf("padding %v leaves nothing of the output, %d×%d", c.Pad, size[0], size[1])
	}
	op := &Conv2D{
		InChannels: c.OutChannels, OutChannels: c.InChannels, Groups: c.Groups,
		Kernel: c.Kernel, Stride: c.Stride, Dilation: c.Dilation, Pad: c.Pad,
		Weight: c.Weight,
	}
	w, err := newWindow(op.Kernel, op.Stride, op.Dilation, op.Pad, [][]int{{images, op.InChannels, size[0], size[1]}})
	if err != nil {
		return convPlan{}, err
	}
	w.outH, w.outW = in[1], in[2] // the output padding may have room for more
	return newConvPlan(op, w), nil
}

func (c *ConvTranspose) kernel32(in ...[]int) kernel[float32] {
	return newConvTranspose[float32](c, in)
}
func (c *ConvTranspose) kernel64(in ...[]int) kernel[float64] {
	return newConvTranspose[float64](c, in)
}

// convTranspose is the kernel of a ConvTranspose: a convolution with apply and
// adjoint exchanged. Its plan calls what is the input here the output.
type convTranspose[T Float] struct {
	convPlan
	op       *ConvTranspose
	products convProducts[T]
	sums     []float64 // scratch of the bias gradient
}

func newConvTranspose[T Float](c *ConvTranspose, in [][]int) *convTranspose[T] {
	p := mustFit(c.plan(in))
	return &convTranspose[T]{convPlan: p, op: c, products: newConvProducts[T](p)}
}

func (k *convTranspose[T]) forward(f *frame[T]) {
	n := f.batch * k.images
	k.products.adjoint(f.y, f.x[0], k.op.Weight, n)
	if k.op.Bias == nil {
		return
	}
	bias := values[T](k.op.Bias)
	simd.Parallel(n*k.op.OutChannels, 1+grain/k.inHW, func(lo, hi int) {
		for p := lo; p < hi; p++ {
			plane := f.y[p*k.inHW:][:k.inHW]
			simd.ScaleShift(plane, plane, 1, bias[p%k.op.OutChannels])
		}
	})
}

func (k *convTranspose[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.products.adjoint(dy, dx[0], k.op.Weight, f.batch*n*k.images)
}

func (k *convTranspose[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] != nil {
		k.products.apply(dx[0], dy, k.op.Weight, nil, f.batch*n*k.images, ending[T]{})
	}
}

// grad: ⟨dy, Wᵀ∗x⟩ = ⟨W∗dy, x⟩, the gradient of a convolution of dy.
func (k *convTranspose[T]) grad(f *frame[float32], dy []float32, keep float32) {
	n := f.batch * k.images
	k.sums = sized(k.sums, k.op.InChannels) // the sums of x, for which there is no use
	clear(k.sums)
	any(k.products).(convProducts[float32]).gradient(k.op.Weight.Grad, k.sums, dy, f.x[0], n, keep)
	if k.op.Bias == nil {
		return
	}
	for o := range k.op.OutChannels {
		var sum float64
		for e := range n {
			sum += float64(simd.Sum(dy[(e*k.op.OutChannels+o)*k.inHW:][:k.inHW]))
		}
		addTo(&k.op.Bias.Grad[o], keep, sum)
	}
}
