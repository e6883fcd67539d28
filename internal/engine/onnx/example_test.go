package onnx_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/engine/onnx"
)

// Open an ONNX model and compute its outputs for one input.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "onnx")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "digits.onnx")
	if err := onnx.Write(path, zoo.MNIST(1)); err != nil {
		fmt.Println(err)
		return
	}
	graph, err := onnx.Read(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	net, err := nn.NewNet(graph)
	if err != nil {
		fmt.Println(err)
		return
	}
	inputs, outputs := net.Dims()
	x, y := make([]float32, inputs), make([]float32, outputs)
	net.Forward(y, x)
	fmt.Printf("%d nodes, %d inputs, %d outputs\n", len(graph.Nodes), inputs, outputs)
	// Output: 6 nodes, 784 inputs, 10 outputs
}

// A damaged file is a FormatError.
func ExampleDecode() {
	_, err := onnx.Decode("model.onnx", []byte("not a model"))
	var damaged *onnx.FormatError
	fmt.Println(errors.As(err, &damaged), err)
	// Output: true model.onnx: cut off, or not an ONNX file (field 13): export the model again
}
