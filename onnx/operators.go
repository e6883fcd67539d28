package onnx

import "maps"

// operator is how one ONNX operator is read where an input is an activation:
// attributes it knows, and a reader that adds nodes of package nn.
type operator struct {
	read       func(*decoder, *node) error
	attributes []string
}

// operators are the operators that are read, by name.
var operators map[string]operator

func init() {
	operators = map[string]operator{}
	for _, group := range []func() map[string]operator{
		affineOperators, arithmeticOperators, convolutionOperators, gatherOperators, normOperators, poolOperators,
		reduceOperators, resizeOperators, shapeOperators, sliceOperators, softmaxOperators, unaryOperators,
	} {
		maps.Copy(operators, group())
	}
}
