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

// affineOf returns what an operator of the three is. ok is false for all others.
func affineOf(op Op) (a affine, ok bool) {
	switch op := op.(type) {
	case *Conv2D:
		a = affine{weight: op.Weight, bias: op.Bias, channels: op.OutChannels, depth: Size(op.Weight.Shape[1:]), behind: 2}
		a.with = func(w, b *Param) Op { c := *op; c.Weight, c.Bias = w, b; return &c }
	case *Dense:
		a = affine{weight: op.Weight, bias: op.Bias, channels: op.Out, depth: op.In}
		a.with = func(w, b *Param) Op { c := *op; c.Weight, c.Bias = w, b; return &c }
	case *ConvTranspose:
		g := max(op.Groups, 1)
		taps, inG, outG := Size(op.Weight.Shape[2:]), op.InChannels/g, op.OutChannels/g
		a = affine{weight: op.Weight, bias: op.Bias, channels: op.OutChannels, depth: inG * taps, behind: 2}
		a.with = func(w, b *Param) Op { c := *op; c.Weight, c.Bias = w, b; return &c }
		a.of = func(i int) int { return i/(taps*outG*inG)*outG + i/taps%outG }
		return a, true
	default:
		return a, false
	}
	a.of = func(i int) int { return i / a.depth }
	return a, true
}

// checkAffine returns an error if the parameters of an affine operator do not fit.
func checkAffine(bias *Param, channels int, weight *Param, shape ...int) error {
	if err := weight.check("weight", shape...); err != nil || bias == nil {
		return err
	}
	return bias.check("bias", channels)
}
