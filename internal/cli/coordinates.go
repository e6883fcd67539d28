package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"tattle/bound"
	"tattle/nn"
	"tattle/npy"
	"tattle/report"
	"tattle/run"
)

// coordinates makes what is to be reconstructed.
func coordinates(spec string, shape []int) (bound.Coordinates, *report.Arrays, error) {
	p := nn.Size(shape)
	switch spec {
	case "dct":
		if len(shape) == 0 || len(shape) > 3 {
			return nil, nil, usage(fmt.Errorf("--coordinates dct: cosine modes are of one to three dimensions, inputs here of shape %v", shape), "choose --coordinates pixels")
		}
		return bound.DCT(shape), nil, nil
	case "pixels":
		return bound.Pixels(p), nil, nil
	}
	c, err := ownVectors(spec, filepath.Base(spec), p)
	if err != nil {
		return nil, nil, err
	}
	hash, err := run.Digest(spec)
	return c, &report.Arrays{File: absolute(spec), SHA256: hash}, err
}

// ownVectors reads the user's vectors, to go by that name.
func ownVectors(path, name string, p int) (bound.Coordinates, error) {
	w, err := readVectors(path, p)
	if err != nil {
		return nil, err
	}
	c, err := bound.Vectors(name, w, p)
	if err != nil {
		return nil, usage(fmt.Errorf("--coordinates: %w", err), "")
	}
	return c, nil
}

// readVectors reads [m, p] vectors from an .npy file, or from the only array of
// an .npz archive.
func readVectors(path string, p int) ([]float64, error) {
	if !strings.HasSuffix(path, ".npz") && !strings.HasSuffix(path, ".npy") {
		return nil, usage(fmt.Errorf("--coordinates %q: not dct, pixels, or an .npz or .npy file", path), "")
	}
	a, err := readArray(path)
	if err != nil {
		return nil, fmt.Errorf("--coordinates: %w", err)
	}
	w, err := a.Float64s()
	if err != nil {
		return nil, fmt.Errorf("--coordinates %s: %w", path, err)
	}
	if len(a.Shape) != 2 || a.Shape[1] != p {
		return nil, usage(fmt.Errorf("--coordinates %s: shape %v, expected [m, %d]: vectors of as many entries as the model has inputs", path, a.Shape, p), "")
	}
	return w, nil
}

func readArray(path string) (npy.Array, error) {
	if strings.HasSuffix(path, ".npy") {
		return npy.ReadFile(path)
	}
	f, err := npy.Open(path)
	if err != nil {
		return npy.Array{}, err
	}
	defer f.Close()
	names := f.Names()
	if len(names) != 1 {
		return npy.Array{}, fmt.Errorf("%s holds %d arrays %q, expected one", path, len(names), names)
	}
	return f.Array(names[0])
}
