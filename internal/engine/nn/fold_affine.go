package nn

import "slices"

// foldAffine makes each BatchNorm, and each multiplication by or addition of a
// constant per channel, part of the Conv2D, ConvTranspose or Dense whose output it
// alone reads: with y = W·x + b and z = a·y + c,
//
//	z = (a·W)·x + (a·b + c),
//
// a and c being of the output's channel. The products are formed in float64.
func foldAffine(r *rewrite) {
	for _, n := range slices.Clone(r.Nodes) {
		if len(n.Inputs) != 1 {
			continue
		}
		layer := r.alone(n.Inputs[0])
		if layer == nil {
			continue
		}
		c, ok := r.channelwise(n)
		if !ok {
			continue
		}
		if op := foldedLayer(layer.Op, c, r.shapes[n.Output]); op != nil {
			layer.Op, layer.Output = op, n.Output
			r.Nodes = slices.DeleteFunc(r.Nodes, func(m *Node) bool { return m == n })
			r.producer[n.Output] = layer
		}
	}
}

// channelwise is an operator z = a·y + c with an a and a c for each entry along one
// axis of y, or the same for all where axis is −1.
type channelwise struct {
	axis    int
	sources []*Param
	keeps   bool // a = 1
	at      func(i int) (a, c float64)
}

// channelwise returns what n does, if it is of that kind.
func (r *rewrite) channelwise(n *Node) (channelwise, bool) {
	switch op := n.Op.(type) {
	case *BatchNorm:
		k := newBatchNorm[float64](op, r.shapes[n.Inputs[0]])
		return channelwise{0, operands(op), false, k.affine}, true
	case *Binary:
		return arithmeticChannels(op, r.shapes[n.Inputs[0]], r.shapes[n.Output])
	}
	return channelwise{}, false
}

// foldedLayer returns the layer with what follows it, nil if that is not per
// channel of its output or the new parameters are not finite.
func foldedLayer(op Op, c channelwise, shape []int) Op {
	a, ok := op.(affineOp)
	if !ok {
		return nil
	}
	layer := a.affine()
	if c.axis != -1 && c.axis != len(shape)-1-layer.behind {
		return nil
	}
	w, b := c.weight(layer), c.bias(layer)
	if !Finite(w.Data) || !Finite(b.Data) {
		return nil
	}
	return layer.with(w, b)
}

// weight returns a·W.
func (c channelwise) weight(layer affine) *Param {
	w := layer.weight
	if c.keeps {
		return w
	}
	return derive(w.Name, w.Shape, append([]*Param{w}, c.sources...), func(dst []float32) {
		for i, v := range w.Data {
			a, _ := c.at(layer.of(i))
			dst[i] = float32(a * float64(v))
		}
	})
}

// bias returns a·b + c, b being zero if it is missing.
func (c channelwise) bias(layer affine) *Param {
	b := layer.bias
	name, sources := layer.weight.Name+".bias", c.sources
	if b != nil {
		name, sources = b.Name, append([]*Param{b}, sources...)
	}
	return derive(name, []int{layer.channels}, sources, func(dst []float32) {
		for i := range dst {
			a, shift := c.at(i)
			if b != nil {
				shift += a * float64(b.Data[i])
			}
			dst[i] = float32(shift)
		}
	})
}
