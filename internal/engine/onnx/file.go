package onnx

import (
	"fmt"
	"io"
	"path/filepath"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
)

// maxFile is the most bytes that a protobuf message, and so an ONNX file, has.
const maxFile = 1<<31 - 1

// Read reads an ONNX file, and the data that it keeps in files of the same folder
// or below.
func Read(path string) (*nn.Graph, error) { return ReadWith(path, ReadOptions{}) }

// ReadWith is Read with options.
func ReadWith(path string, o ReadOptions) (*nn.Graph, error) {
	data, err := whole(path)
	if err != nil {
		return nil, err
	}
	beside, err := openFolder(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer beside.close()
	return decode(path, data, o, beside, maxFolded)
}

// whole reads a file's bytes.
func whole(path string) ([]byte, error) {
	f, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, &FormatError{File: path, Detail: fmt.Sprintf("has %d bytes, more than the %d that ONNX allows: keep the weights in a file beside it (external data)", info.Size(), maxFile)}
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// Write writes a graph as an ONNX file. It is written beside the path and then
// renamed, so that the path never holds half a model.
func Write(path string, g *nn.Graph) error { return WriteIn(nil, path, g) }

// WriteIn is Write by files.
func WriteIn(files *file.Dir, path string, g *nn.Graph) error {
	data, err := Encode(g)
	if err != nil {
		return err
	}
	return files.WriteBytes(path, data)
}
