package nn

// affine is a map y = W·x + b, each entry divided by a number in the end where by is set: a
// convolution, a Dense, a sum or a mean.
type affine struct {
	weight, bias *Param // bias may be nil
	channels     int    // of the output
	depth        int    // the most products in a sum
	roundings    int    // that a term of an output passes at most
	behind       int    // dimensions of the output behind its channels

	of   func(i int) int      // the channel of entry i of the weight
	with func(w, b *Param) Op // the operator with other parameters, before the division
	by   func(o int) float64  // what output o of an example is divided by; nil for 1
}

// affineOp is an affine operator with a weight of its own.
type affineOp interface{ affine() affine }

// sumOp is an operator of sums, or of means, with some settings.
type sumOp interface {
	// sums returns the map for an input of that shape; ok is false if it is not affine.
	sums(in []int) (a affine, ok bool)
}

func (c *Conv2D) affine() affine {
	depth := Size(c.Weight.Shape[1:])
	return affine{
		weight: c.Weight, bias: c.Bias, channels: c.OutChannels, depth: depth, roundings: depth + 1, behind: 2,
		of:   func(i int) int { return i / depth },
		with: func(w, b *Param) Op { o := *c; o.Weight, o.Bias = w, b; return &o },
	}
}

func (o *Dense) affine() affine {
	return affine{
		weight: o.Weight, bias: o.Bias, channels: o.Out, depth: o.In, roundings: o.In + 1,
		of:   func(i int) int { return i / o.In },
		with: func(w, b *Param) Op { c := *o; c.Weight, c.Bias = w, b; return &c },
	}
}

// affine: products are added for each tap, and then the taps and the bias.
func (c *ConvTranspose) affine() affine {
	g := max(c.Groups, 1)
	taps, inG, outG := Size(c.Weight.Shape[2:]), c.InChannels/g, c.OutChannels/g
	return affine{
		weight: c.Weight, bias: c.Bias, channels: c.OutChannels, depth: inG * taps, roundings: inG + taps + 1, behind: 2,
		of:   func(i int) int { return i/(taps*outG*inG)*outG + i/taps%outG },
		with: func(w, b *Param) Op { o := *c; o.Weight, o.Bias = w, b; return &o },
	}
}

// sums: those over windows are a convolution of each channel with ones.
func (p *AveragePool) sums(in []int) (affine, bool) {
	k, channels := newAveragePool[float64](p, [][]int{in}), in[len(in)-3]
	conv := &Conv2D{InChannels: channels, OutChannels: channels, Groups: channels, Kernel: p.Kernel, Stride: p.Stride, Dilation: p.Dilation, Pad: p.Pad}
	conv.Weight = ones(channels, 1, p.Kernel[0], p.Kernel[1])
	a := conv.affine()
	a.roundings = a.depth // products with 1 are exact, and so is the first addition, to zero; but not the division
	a.by = func(o int) float64 { return k.count(o%k.outHW/k.outW, o%k.outW) }
	return a, true
}

func (o *Reduce) sums(in []int) (a affine, ok bool) {
	gone, err := o.reduced(in)
	if err != nil || o.Function != "Mean" && o.Function != "Sum" {
		return a, false
	}
	n := newReducePlan(in, gone).entries()
	a = affine{
		weight: ones(n), channels: 1, depth: n, roundings: n,
		of:   func(int) int { return 0 },
		with: func(_, _ *Param) Op { return &Reduce{Function: "Sum", Axes: o.Axes, Keep: o.Keep} },
	}
	if o.Function == "Mean" {
		a.by = func(int) float64 { return float64(n) }
	}
	return a, true
}

// ones returns a parameter of ones. A proof in pairs cuts it into one slice: 1 takes two bits of a
// slice, and two slices would be dearer.
func ones(shape ...int) *Param {
	p := &Param{Shape: shape, Data: make([]float32, Size(shape))}
	fill(p.Data, 1)
	return p
}

// checkAffine returns an error if the parameters of an affine operator do not fit.
func checkAffine(bias *Param, channels int, weight *Param, shape ...int) error {
	if err := weight.check("weight", shape...); err != nil || bias == nil {
		return err
	}
	return bias.check("bias", channels)
}
