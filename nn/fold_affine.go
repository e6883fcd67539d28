package nn

import (
	"math"
	"slices"
)

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
	switch op := op.(type) {
	case *Conv2D:
		if c.axis != len(shape)-3 && c.axis != -1 {
			return nil
		}
		folded := *op
		depth := Size(op.Weight.Shape[1:])
		folded.Weight = c.weight(op.Weight, func(i int) int { return i / depth })
		folded.Bias = c.bias(op.Weight, op.Bias, op.OutChannels)
		return finiteLayer(&folded, folded.Weight, folded.Bias)
	case *ConvTranspose:
		if c.axis != len(shape)-3 && c.axis != -1 {
			return nil
		}
		folded := *op
		g := max(op.Groups, 1)
		taps, outG, inG := Size(op.Weight.Shape[2:]), op.OutChannels/g, op.InChannels/g
		folded.Weight = c.weight(op.Weight, func(i int) int { return i/(taps*outG)/inG*outG + i/taps%outG })
		folded.Bias = c.bias(op.Weight, op.Bias, op.OutChannels)
		return finiteLayer(&folded, folded.Weight, folded.Bias)
	case *Dense:
		if c.axis != len(shape)-1 && c.axis != -1 {
			return nil
		}
		folded := *op
		folded.Weight = c.weight(op.Weight, func(i int) int { return i / op.In })
		folded.Bias = c.bias(op.Weight, op.Bias, op.Out)
		return finiteLayer(&folded, folded.Weight, folded.Bias)
	}
	return nil
}

func finiteLayer(op Op, ps ...*Param) Op {
	for _, p := range ps {
		for _, v := range p.Data {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return nil
			}
		}
	}
	return op
}

// weight returns a·W, entry i being of that channel.
func (c channelwise) weight(w *Param, channel func(i int) int) *Param {
	if c.keeps {
		return w
	}
	return derive(w.Name, w.Shape, append([]*Param{w}, c.sources...), func(dst []float32) {
		for i, v := range w.Data {
			a, _ := c.at(channel(i))
			dst[i] = float32(a * float64(v))
		}
	})
}

// bias returns a·b + c, b being zero if it is missing.
func (c channelwise) bias(w, b *Param, n int) *Param {
	name, sources := w.Name+".bias", c.sources
	if b != nil {
		name, sources = b.Name, append([]*Param{b}, sources...)
	}
	return derive(name, []int{n}, sources, func(dst []float32) {
		for i := range dst {
			a, shift := c.at(i)
			if b != nil {
				shift += a * float64(b.Data[i])
			}
			dst[i] = float32(shift)
		}
	})
}
