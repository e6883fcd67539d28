package onnx

import "tattle/nn"

// elementwise encodes the operators of its kind; ok is false for any other.
func (e *encoder) elementwise(n *nn.Node, in [][]int, out []int) (body []byte, ok bool, err error) {
	return nil, false, nil
}
