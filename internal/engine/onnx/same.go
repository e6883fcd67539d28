package onnx

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"

	"tattle/internal/engine/nn"
)

// Same returns an error if a graph that was read from a file is not the one that writing and
// reading another gives.
func Same(read, other *nn.Graph) error {
	text, err := Encode(other)
	if err == nil {
		other, err = Decode("written again", text)
	}
	if err != nil {
		return err
	}
	a, err1 := Encode(read)
	b, err2 := Encode(other)
	if err1 == nil && err2 == nil && !bytes.Equal(a, b) {
		return fmt.Errorf("SHA-256 of the graph is %x, expected %x", sha256.Sum256(a), sha256.Sum256(b))
	}
	return cmp.Or(err1, err2)
}
