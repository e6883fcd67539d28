package onnx

import "tattle/nn"

// mix encodes the operators of its kind; ok is false for any other.
func (e *encoder) mix(n *nn.Node, in [][]int, out []int) (body []byte, ok bool, err error) {
	return nil, false, nil
}
