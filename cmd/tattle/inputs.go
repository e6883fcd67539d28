package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"tattle/dataset"
	"tattle/nn"
	"tattle/npy"
	"tattle/onnx"
	"tattle/run"
)

// absolute makes a path good from any folder; the generated data have none.
func absolute(path string) string {
	if path == glyphsName {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// openModel reads a model and its digest.
func openModel(path string) (*nn.Graph, string, error) {
	g, err := onnx.Read(path)
	if err != nil {
		return nil, "", fmt.Errorf("--model: %w", err)
	}
	hash, err := run.Digest(path)
	return g, hash, err
}

// openData opens a data set by its folder, or generates the glyphs.
func openData(path, split string, seed uint64) (*dataset.Set, error) {
	if path == glyphsName {
		train, test := glyphs(0, seed)
		if split == "train" {
			return train, nil
		}
		return test, nil
	}
	set, err := dataset.Open(path, dataset.Split(split))
	if err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	return set, nil
}

// chooseExamples returns sorted indices: a number drawn by the seed without
// replacement, all, or those of an .npy file in their order.
func chooseExamples(spec string, n int, seed uint64) ([]int, error) {
	if spec == "all" {
		return firstIndices(n), nil
	}
	k, err := strconv.Atoi(spec)
	if err != nil {
		return indicesFrom(spec, n)
	}
	if k < 1 {
		return nil, usage(fmt.Errorf("--examples: %d is not a number of examples", k), "")
	}
	if k >= n {
		return firstIndices(n), nil
	}
	idx := rand.New(rand.NewPCG(seed, 1)).Perm(n)[:k]
	slices.Sort(idx)
	return idx, nil
}

func indicesFrom(path string, n int) ([]int, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, usage(fmt.Errorf("--examples: neither a number nor a file: %w", err), "give a number, all, or an .npy file of indices")
	}
	a, err := npy.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--examples: %w", err)
	}
	if _, flags := a.Data.([]bool); flags || len(a.Shape) != 1 {
		return nil, usage(fmt.Errorf("--examples %s: an array of shape %v and type %T, expected one list of indices", path, a.Shape, a.Data), "numpy.flatnonzero makes indices of a mask")
	}
	idx, err := a.Ints()
	if err != nil {
		return nil, usage(fmt.Errorf("--examples %s: %w", path, err), "give a list of whole numbers")
	}
	if len(idx) == 0 {
		return nil, usage(fmt.Errorf("--examples %s: no indices", path), "")
	}
	for _, i := range idx {
		if i < 0 || i >= n {
			return nil, usage(fmt.Errorf("--examples %s: index %d, but the data set has %d examples", path, i, n), "")
		}
	}
	return idx, nil
}
