package inspect_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"tattle/internal/engine/nn/zoo"
	"tattle/internal/engine/onnx"
	"tattle/internal/inspect"
)

// The nodes of a net whose output alone could leave the device.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "table.onnx")
	if err := onnx.Write(path, zoo.Table(4, 2, 1)); err != nil {
		log.Fatal(err)
	}
	d, err := onnx.Describe(path, onnx.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := inspect.New(d)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range m.Candidates[:2] {
		fmt.Println(c.Node, c.Operator, c.Shape)
	}
	// Output:
	// fc1 Gemm [128]
	// leaky1 LeakyRelu [128]
}
