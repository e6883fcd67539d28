package measure

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/npy"
	"tattle/internal/protect/bound"
)

// The coordinates that need no file.
const (
	CoordinatesDCT    = "dct"    // cosine modes
	CoordinatesPixels = "pixels" // the entries of the input

	CoordinatesColumns = "columns" // the entries of the input, by the columns of a table
)

// Columns returns the columns of a table of inputs; nil if the data are no table with named columns.
func Columns(set *dataset.Set) []bound.Column {
	var of []bound.Column
	for _, c := range set.Columns {
		if c.Name == "" {
			return nil
		}
		keep := c.Width
		if c.Unit > 0 {
			keep = 1
		}
		if n := len(of) - 1; n >= 0 && of[n].Name == c.Name && of[n].Keep == 1 && c.Unit == 0 { // says whether the number is missing
			of[n].Width += c.Width
			continue
		}
		of = append(of, bound.Column{Name: c.Name, Width: c.Width, Keep: keep, Unit: c.Unit})
	}
	return of
}

// OpenCoordinates returns what is to be reconstructed of inputs of that shape, and of the columns of a
// table: CoordinatesDCT, CoordinatesPixels, CoordinatesColumns, or the vectors of a file.
func OpenCoordinates(spec string, shape []int, columns []bound.Column) (bound.Coordinates, error) {
	switch spec {
	case CoordinatesColumns:
		if len(columns) == 0 {
			return nil, &OptionError{"Coordinates", errors.New("columns: the inputs are no table with named columns"), "choose --coordinates pixels"}
		}
		return bound.Columns(columns, nn.Size(shape))
	case CoordinatesDCT:
		if len(shape) == 0 || len(shape) > 3 {
			return nil, &OptionError{"Coordinates", fmt.Errorf("dct: cosine modes are of one to three dimensions, inputs here of shape %v", shape), "choose --coordinates pixels"}
		}
		return bound.DCT(shape), nil
	case CoordinatesPixels:
		return bound.Pixels(nn.Size(shape)), nil
	}
	return OpenVectors(spec, filepath.Base(spec), nn.Size(shape))
}

// OpenVectors reads [m, p] vectors from an .npy file, or from the only array of an .npz
// archive, as coordinates of that name.
func OpenVectors(path, name string, p int) (bound.Coordinates, error) {
	if !strings.HasSuffix(path, ".npz") && !strings.HasSuffix(path, ".npy") {
		return nil, WrongOption("Coordinates", "%q: not dct, pixels, columns, or an .npz or .npy file", path)
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
		return nil, WrongOption("Coordinates", "%s: shape %v, expected [m, %d]: vectors of as many entries as the model has inputs", path, a.Shape, p)
	}
	c, err := bound.Vectors(name, w, p)
	if err != nil {
		return nil, &OptionError{Option: "Coordinates", Err: err}
	}
	return c, nil
}

// readArray reads the only array of a file.
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
