package onnx

import (
	"tattle/nn"
)

// convolutions encodes the operators on images that ONNX has no node for as they are:
// transposed convolutions, and those of several images to an example, which become
// images of the batch and examples again; ok is false for any other.
func (e *encoder) convolutions(n *nn.Node, in [][]int, out []int) (body []byte, ok bool, err error) {
	switch n.Op.(type) {
	case *nn.ConvTranspose:
	case *nn.Conv2D, *nn.MaxPool, *nn.AveragePool, *nn.GlobalAveragePool:
		if len(in[0]) == 3 {
			return nil, false, nil
		}
	default:
		return nil, false, nil
	}
	params, err := e.kernels(n)
	if err != nil {
		return nil, false, err
	}
	attributes, err := spatialSettings(n.Op)
	if err != nil {
		return nil, false, err
	}
	from, to := n.Inputs[0], n.Output
	if len(in[0]) > 3 {
		from, to = e.fresh(from+"_images"), e.fresh(to+"_images")
		body = append(body, e.asImages(n.Inputs[0], from, in[0][len(in[0])-3:])...)
	}
	body = append(body, e.nodeBytes(n.Op.Kind(), append([]string{from}, params...), []string{to}, n.Name, attributes)...)
	if to != n.Output {
		body = append(body, e.asImages(to, n.Output, out)...)
	}
	return body, true, nil
}

// asImages encodes a view of a tensor as a batch of that shape.
func (e *encoder) asImages(from, to string, shape []int) []byte {
	dims := []int64{-1}
	for _, d := range shape {
		dims = append(dims, int64(d))
	}
	return e.nodeBytes("Reshape", []string{from, e.ints(to+".shape", dims...)}, []string{to}, to, nil)
}

// kernels returns the names of a node's weight and bias.
func (e *encoder) kernels(n *nn.Node) ([]string, error) {
	op, ok := n.Op.(*nn.ConvTranspose)
	if !ok {
		return e.inputs(n)
	}
	var names []string
	for i, p := range op.Params() {
		name, err := e.param(p, n.Name+[]string{".weight", ".bias"}[i])
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// spatialSettings encodes the attributes.
func spatialSettings(op nn.Op) ([]byte, error) {
	c, ok := op.(*nn.ConvTranspose)
	if !ok {
		return settings(op)
	}
	dilation := orOne(c.Dilation)
	b := appendNumbers(nil, "dilations", dilation[:])
	b = appendNumber(b, "group", int64(max(c.Groups, 1)))
	b = appendNumbers(b, "output_padding", c.OutputPad[:])
	return appendWindow(b, c.Kernel, c.Stride, c.Pad), nil
}
