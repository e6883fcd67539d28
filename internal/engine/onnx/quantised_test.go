package onnx

import (
	"strings"
	"testing"

	"tattle/internal/must"
)

// quantised adds a uint8 tensor and what dequantises it to "w".
func (f *modelFile) quantised(shape []int, x []float64, scales []float32, zeros []float64, attributes ...[]byte) *modelFile {
	of := dim1(len(scales))
	if len(scales) == 1 {
		of = nil
	}
	f.tensor(rawTensor("q", typeUint8, shape, x...)).floats("s", of, scales...)
	inputs := in("q", "s")
	if zeros != nil {
		inputs = append(inputs, "z")
		f.tensor(rawTensor("z", typeUint8, of, zeros...))
	}
	return f.node("DequantizeLinear", "w", inputs, attributes...)
}

// TestDequantisedWeights: weights that the file holds as integers are read as the floats that they
// stand for.
func TestDequantisedWeights(t *testing.T) {
	x := []float64{1, 2, 3, 250, 5, 6}
	for name, c := range map[string]struct {
		f    *modelFile
		want []float32 // [1, 10]·w
	}{
		"one scale":      {newFile(2).quantised([]int{2, 3}, x, []float32{.5}, []float64{3}), []float32{-1 + 1235, -.5 + 10, 15}},
		"no zero point":  {newFile(2).quantised([]int{2, 3}, x, []float32{.5}, nil), []float32{.5 + 1250, 1 + 25, 1.5 + 30}},
		"of each column": {newFile(2).quantised([]int{2, 3}, x, []float32{.5, 1, 2}, []float64{0, 2, 3}), []float32{.5 + 1250, 30, 60}},
		"of each row":    {newFile(2).quantised([]int{2, 3}, x, []float32{.5, 1}, []float64{1, 5}, number("axis", 0)), []float32{2450, .5, 1 + 10}},
	} {
		y := c.f.node("MatMul", "y", in("x", "w")).run(t, 1, 10)
		for i, want := range c.want {
			if y[i] != want {
				t.Errorf("%s: %v, want %v", name, y, c.want)
				break
			}
		}
	}
	for words, f := range map[string]*modelFile{
		"scales of shape [4]":       newFile(2).quantised([]int{2, 3}, x, []float32{1, 1, 1, 1}, nil),
		"3 zero points for 1 scale": newFile(2).tensor(rawTensor("q", typeUint8, []int{2, 3}, x...)).floats("s", nil, 1).tensor(rawTensor("z", typeUint8, []int{3}, 1, 2, 3)).node("DequantizeLinear", "w", in("q", "s", "z")),
		"must be integers":          newFile(2).floats("q", []int{2, 3}, 1, 2, 3, 4, 5, 6).floats("s", nil, 1).node("DequantizeLinear", "w", in("q", "s")),
	} {
		if _, err := f.node("MatMul", "y", in("x", "w")).decode(); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %s", err, words)
		}
	}
}

// TestNotSpatial: spatial = 0 changes nothing for rows, and is refused for maps.
func TestNotSpatial(t *testing.T) {
	norm := func(f *modelFile, from string, more ...[]byte) *modelFile {
		return f.floats("a", []int{2}, 2, 3).floats("b", []int{2}, 1, 0).floats("m", []int{2}, 0, 1).floats("v", []int{2}, 4, 1).
			node("BatchNormalization", "y", in(from, "a", "b", "m", "v"), more...)
	}
	old := func(more ...[]byte) *modelFile { return at(8, norm(newFile(2), "x", more...)) }
	if one, nought := old().run(t, 4, 5), old(number("spatial", 0)).run(t, 4, 5); one[0] != nought[0] || one[1] != nought[1] {
		t.Errorf("%v and %v", one, nought)
	}
	_, err := at(8, norm(newFile(8).ints("k", 1, 2, 2, 2).node("Reshape", "h", in("x", "k")), "h", number("spatial", 0))).decode()
	must.Fail(t, err, "spatial = 0 on maps [1 2 2 2], which has statistics for each pixel")
}
