package cli

import (
	"fmt"

	"tattle/internal/data/dataset"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/run"
)

// searchFlags choose the search for near witnesses, and the coordinates.
type searchFlags struct {
	Method       string   `help:"How to search for near witnesses: auto, direct, cholesky or algorithm1." enum:"auto,direct,cholesky,algorithm1" default:"auto"`
	AsPublished  bool     `help:"Search as paper A's authors do: one LSQR for many examples, with its stopping rule."`
	Size         []string `help:"Sizes of the perturbations as fractions of sigma (default: 1/200; 1/2 with --noise lattice)."`
	Repeats      int      `help:"Iterations of Algorithm 1." default:"10" range:"[1,1000]"`
	Restarts     *int     `help:"Random starts per example; the largest bound is kept (default: 25; large models: 2)." placeholder:"N" range:"[1,32767]"`
	Iteration    string   `help:"paper (Algorithm 1) or inverse (toward the smallest singular value)." enum:"paper,inverse" default:"paper"`
	Coordinates  string   `help:"Coordinates: dct (cosine modes), pixels, columns (of a table), or an .npz or .npy file of vectors [m, inputs] (default: columns for tables, else dct)." placeholder:"dct|pixels|columns|FILE" input:"file"`
	Domain       string   `help:"Where estimators must be unbiased: free (any reals), legal (in the data's range) or stored (8-bit pixels)." enum:"free,legal,stored" default:"free"`
	RuntimeError *float64 `help:"Largest float32 error of a released feature; 0: exact (default: derived, else measured)." placeholder:"X" range:"[0,3.4e38]"`
	CramerRao    bool     `help:"Also estimate Cramér-Rao bounds." default:"true" negatable:""`
}

// experiment turns the flags into what is bounded.
func (f searchFlags) experiment(set *dataset.Set, seed uint64) (bound.Experiment, *report.File, error) {
	x := bound.Experiment{Settings: bound.Settings{SkipCramerRao: !f.CramerRao, Band: measure.LowBand(set.Shape)}}
	x.Search = bound.SearchOptions{
		Search: f.Method, Repeats: f.Repeats, Restarts: *f.Restarts,
		Iteration: f.Iteration, Seed: seed,
	}
	if f.AsPublished {
		x.Search.Search = bound.Published
	}
	var err error
	if x.Sizes, err = bound.ParseSizes(f.Size); err != nil {
		return x, nil, usage(fmt.Errorf("--size: %w", err), "write it as 1/200 or 0.005")
	}
	if x.Domain, err = measure.DomainOf(set, f.Domain); err != nil {
		return x, nil, err
	}
	if f.RuntimeError != nil {
		x.Runtime = bound.Runtime{Error: *f.RuntimeError, From: bound.RuntimeGiven}
	}
	c, vectors, err := coordinates(f.Coordinates, set)
	x.Coordinates = c
	return x, vectors, err
}

// coordinates returns what is to be reconstructed, with the file that it was read from, nil
// for none.
func coordinates(spec string, set *dataset.Set) (bound.Coordinates, *report.File, error) {
	columns := measure.Columns(set)
	if spec == "" {
		spec = measure.CoordinatesDCT
		if columns != nil {
			spec = measure.CoordinatesColumns
		}
	}
	c, err := measure.OpenCoordinates(spec, set.Shape, columns)
	if err != nil || spec == measure.CoordinatesDCT || spec == measure.CoordinatesPixels || spec == measure.CoordinatesColumns {
		return c, nil, err
	}
	hash, err := run.Digest(spec)
	return c, &report.File{Name: absolute(spec), SHA256: hash}, err
}
