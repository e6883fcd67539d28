package nn

import "fmt"

// Conv2D is a two-dimensional convolution (a cross-correlation, as every deep
// learning library has it) of NCHW activations:
//
//	y[o,i,j] = b[o] + Σ_{c,r,s} W[o,c,r,s] · x[c, i·Stride+r·Dilation−Pad, j·Stride+s·Dilation−Pad]
//
// where x is zero outside its bounds and c runs over the input channels of o's
// group. Dimensions before the last three, [..., InChannels, height, width], count
// further images of one example. Zero in Stride, Dilation or Groups means 1.
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
	return present(c.Weight, c.Bias)
}

// Shape returns [..., OutChannels, height, width] of one example's output. It returns an error
// if the input, the settings or the parameters' shapes do not fit.
func (c *Conv2D) Shape(inputs ...[]int) ([]int, error) {
	g := max(c.Groups, 1)
	if c.InChannels <= 0 || c.OutChannels <= 0 || c.InChannels%g != 0 || c.OutChannels%g != 0 {
		return nil, fmt.Errorf("%d input and %d output channels do not divide into %d groups", c.InChannels, c.OutChannels, g)
	}
	if err := checkAffine(c.Bias, c.OutChannels, c.Weight, c.OutChannels, c.InChannels/g, c.Kernel[0], c.Kernel[1]); err != nil {
		return nil, err
	}
	w, err := newWindow(c.Kernel, c.Stride, c.Dilation, c.Pad, inputs)
	if err != nil {
		return nil, err
	}
	if w.channels != c.InChannels {
		return nil, fmt.Errorf("input has %d channels, want %d", w.channels, c.InChannels)
	}
	if patch := Size(c.Weight.Shape[1:]); w.outW > patchLimit/patch {
		return nil, fmt.Errorf("a row of %d outputs sees patches of %d inputs each: absurd, more than %d in all", w.outW, patch, patchLimit)
	}
	lead, _ := leading(inputs[0])
	return append(lead, c.OutChannels, w.outH, w.outW), nil
}

// patchLimit bounds the inputs, each counted as often as it is seen, to one row of
// outputs, for which a convolution has a buffer.
const patchLimit = 1 << 28

func (c *Conv2D) kernel32(inputs ...[]int) kernel[float32] { return newConv[float32](c, inputs) }
func (c *Conv2D) kernel64(inputs ...[]int) kernel[float64] { return newConv[float64](c, inputs) }

// newConv picks the way to compute: a kernel that covers its whole input is a
// dense layer; one input channel per group leaves a matrix product nothing to
// do; everything else multiplies columns of patches, or goes in inference by Winograd's
// transforms where these are faster.
func newConv[T Float](c *Conv2D, inputs [][]int) kernel[T] {
	w := mustFit(newWindow(c.Kernel, c.Stride, c.Dilation, c.Pad, inputs))
	p := newConvPlan(c, w)
	if p.groups == 1 && p.images == 1 && p.coversInput() {
		return newDense[T](&Dense{In: p.depth, Out: c.OutChannels, Weight: c.Weight, Bias: c.Bias}, []int{p.depth})
	}
	k := &conv[T]{convPlan: p, products: newConvProducts[T](p)}
	if w := newConvWinograd(p); w != nil {
		k.quick, _ = any(w).(convLinear[T]) // of float32
	}
	return k
}

// newConvProducts picks the products of a convolution that is not a dense layer.
func newConvProducts[T Float](p convPlan) convProducts[T] {
	if p.inG == 1 && p.groups > 1 {
		if k := newConvDepthwise[T](p); k != nil {
			return k
		}
	}
	return newConvColumns[T](p)
}

func newConvPlan(c *Conv2D, w window) convPlan {
	p := convPlan{op: c, window: w, groups: max(c.Groups, 1)}
	p.inG, p.outG = c.InChannels/p.groups, c.OutChannels/p.groups
	p.depth = p.inG * w.kH * w.kW
	p.inHW, p.outHW = w.inH*w.inW, w.outH*w.outW
	return p
}

// convPlan is a convolution with its sizes worked out.
type convPlan struct {
	op *Conv2D
	window
	groups, inG, outG int // groups, and channels in and out of each
	depth             int // inputs to one output: inG·kH·kW
	inHW, outHW       int // sizes of a plane
}

// coversInput reports whether there is one output per channel, which uses every input exactly
// once and in order.
func (p *convPlan) coversInput() bool {
	return p.outHW == 1 && p.kH == p.inH && p.kW == p.inW && p.top == 0 && p.left == 0 &&
		(p.dilH == 1 || p.kH == 1) && (p.dilW == 1 || p.kW == 1)
}

// convLinear is one way of computing a convolution on n images, and its adjoint.
type convLinear[T Float] interface {
	// apply overwrites y with W∗x + b and what end says; a nil b is zero.
	apply(y, x []T, w *Param, b []T, n int, end ending[T])
	// adjoint overwrites dx with Wᵀ∗dy.
	adjoint(dx, dy []T, w *Param, n int)
}

// convProducts is one way of computing a convolution and the gradients of its weight.
type convProducts[T Float] interface {
	convLinear[T]
	// gradient sets dw to keep·dw + ∂(dy·(W∗x))/∂W, and adds to db[o] the sum of
	// dy over channel o.
	gradient(dw []T, db []float64, x, dy []T, n int, keep T)
}

// conv is the kernel of a Conv2D. It is affine: its tangents are the convolution without bias. In inference it may do what follows it too.
type conv[T Float] struct {
	convPlan
	epilogue
	products convProducts[T]
	quick    convLinear[T] // for inference, or nil

	// Scratch of vjp (the sum's cotangent) and of the bias gradient.
	masked []T
	sums   []float64
}

// way returns how to compute: in training by the products that have the gradient too.
func (k *conv[T]) way(train bool) convLinear[T] {
	if k.quick != nil && !train {
		return k.quick
	}
	return k.products
}

func (k *conv[T]) forward(f *frame[T]) {
	k.way(f.train).apply(f.y, f.x[0], k.op.Weight, values[T](k.op.Bias), f.batch*k.images, k.ending(f, f.x, nil, 1))
}

func (k *conv[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.way(f.train).apply(dy, dx[0], k.op.Weight, nil, f.batch*n*k.images, k.ending(f, dx, f.y, n))
}

func (k *conv[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	dy = k.beforeEnding(f, dx, dy, n)
	if dx[0] != nil {
		k.way(f.train).adjoint(dx[0], dy, k.op.Weight, f.batch*n*k.images)
	}
}

func (k *conv[T]) grad(f *frame[float32], dy []float32, keep float32) {
	p := any(k.products).(convProducts[float32])
	k.sums = sized(k.sums, k.op.OutChannels)
	clear(k.sums)
	p.gradient(k.op.Weight.Grad, k.sums, f.x[0], dy, f.batch*k.images, keep)
	if k.op.Bias == nil {
		return
	}
	for o, s := range k.sums {
		addTo(&k.op.Bias.Grad[o], keep, s)
	}
}
