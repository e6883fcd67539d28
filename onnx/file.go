package onnx

import (
	"errors"
	"os"
	"path/filepath"

	"tattle/nn"
)

// Read reads an ONNX file.
func Read(path string) (*nn.Graph, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Decode(path, data)
}

// Write writes a graph as an ONNX file. It is written beside the path and then
// renamed, so that the path never holds half a model.
func Write(path string, g *nn.Graph) error {
	data, err := Encode(g)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
