package nn

// affine is what Conv2D, ConvTranspose and Dense have in common: sums of products with a
// weight, and a bias for each channel of the output.
type affine struct {
	weight, bias *Param // bias may be nil
	channels     int    // of the output
	depth        int    // the most products in a sum
	behind       int    // dimensions of the output behind its channels

	of   func(i int) int      // the channel of entry i of the weight
	with func(w, b *Param) Op // the operator with other parameters
}

// affineOp is one of these operators.
type affineOp interface{ affine() affine }

func (c *Conv2D) affine() affine {
	depth := Size(c.Weight.Shape[1:])
	return affine{
		weight: c.Weight, bias: c.Bias, channels: c.OutChannels, depth: depth, behind: 2,
		of:   func(i int) int { return i / depth },
		with: func(w, b *Param) Op { o := *c; o.Weight, o.Bias = w, b; return &o },
	}
}

func (o *Dense) affine() affine {
	return affine{
		weight: o.Weight, bias: o.Bias, channels: o.Out, depth: o.In,
		of:   func(i int) int { return i / o.In },
		with: func(w, b *Param) Op { c := *o; c.Weight, c.Bias = w, b; return &c },
	}
}

func (c *ConvTranspose) affine() affine {
	g := max(c.Groups, 1)
	taps, inG, outG := Size(c.Weight.Shape[2:]), c.InChannels/g, c.OutChannels/g
	return affine{
		weight: c.Weight, bias: c.Bias, channels: c.OutChannels, depth: inG * taps, behind: 2,
		of:   func(i int) int { return i/(taps*outG*inG)*outG + i/taps%outG },
		with: func(w, b *Param) Op { o := *c; o.Weight, o.Bias = w, b; return &o },
	}
}

// checkAffine returns an error if the parameters of an affine operator do not fit.
func checkAffine(bias *Param, channels int, weight *Param, shape ...int) error {
	if err := weight.check("weight", shape...); err != nil || bias == nil {
		return err
	}
	return bias.check("bias", channels)
}
