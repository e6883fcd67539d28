package onnx

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tattle/nn"
)

// maxFile is the most bytes that a protobuf message, and so an ONNX file, has.
const maxFile = 1<<31 - 1

// Read reads an ONNX file.
func Read(path string) (*nn.Graph, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &FormatError{File: path, Detail: "is not a file: name an ONNX model"}
	}
	if info.Size() > maxFile {
		return nil, &FormatError{File: path, Detail: fmt.Sprintf("has %d bytes, more than the %d that ONNX allows", info.Size(), maxFile)}
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
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
	if err := replace(path, data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// replace gives a file new contents. Its errors do not name the hidden file.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return cause(err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return cause(err)
}

func cause(err error) error {
	switch e := err.(type) {
	case *os.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
