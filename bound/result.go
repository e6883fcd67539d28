package bound

import (
	"fmt"
	"math"

	"tattle/npy"
	"tattle/run"
)

// Result is what a run found, without its witnesses, which stay in the arrays.
type Result struct {
	Experiment Experiment // resolved: every default filled in
	Reason     string     // why this search, and what was left out
	Warnings   []string   // what the search could not do
	Damaged    string     // what a resumed run found unfit and computed again: of no consequence for the rest
	Path       string     // of the arrays
	SHA256     string     // of that file
	Indices    []int      // of the examples in their data set
	Labels     []int
	Sizes      []SizeResult
	Far        *RungResult // each nil if left out
	Barankin   *RungResult
	Twins      *RungResult
	CramerRao  *CramerRao  // of all examples, [examples, m] each; nil if left out
	Rank       []int       // of each example's Jacobian; nil if left out
	Spectra    [][]float64 // its singular values, descending
	Estimated  []Spectrum  // what is known of them where they were not computed; nil if left out
	Summaries  []Summary

	effort effort
}

// SizeResult holds the bounds for one size of perturbation.
type SizeResult struct {
	Size       float64
	Std        []float64 // [examples, m]: lower bounds on standard deviations, +Inf for unbounded
	MeanSquare []float64 // [examples]: A eq. (6)
}

// Load reads the arrays of a run of a resolved experiment, and summarises them.
func Load(path string, e Experiment) (*Result, error) {
	r, err := load(path, e)
	if err != nil {
		return nil, err
	}
	r.SHA256, err = run.Digest(path)
	return r, err
}

// load is Load without the digest.
func load(path string, e Experiment) (*Result, error) {
	r := &Result{Experiment: e, Path: path}
	f, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := r.read(f, e); err != nil {
		return nil, err
	}
	r.Summaries = e.summaries(r)
	return r, nil
}

func (r *Result) read(f *npy.File, e Experiment) (err error) {
	if r.Indices, _, err = f.Ints("index"); err != nil {
		return err
	}
	if r.Labels, _, err = f.Ints("label"); err != nil {
		return err
	}
	n, m := len(r.Indices), e.Coordinates.Len()
	if len(r.Labels) != n {
		return fmt.Errorf("%s: %d labels for %d examples", r.Path, len(r.Labels), n)
	}
	for _, size := range e.Sizes {
		s := SizeResult{Size: size}
		if s.Std, err = floats(f, r.Path, SizeName(size)+"_std", n, m); err != nil {
			return err
		}
		if s.MeanSquare, err = floats(f, r.Path, SizeName(size)+"_mean_square", n, 1); err != nil {
			return err
		}
		r.Sizes = append(r.Sizes, s)
	}
	if r.effort, err = readEffort(f); err != nil {
		return fmt.Errorf("%s: %w", r.Path, err)
	}
	if err := r.readRungs(f, e); err != nil {
		return err
	}
	if e.Spectrum.Probes > 0 {
		if err := r.readSpectra(f, e.Spectrum); err != nil {
			return err
		}
	}
	if e.SkipCramerRao {
		return nil
	}
	return r.readCramerRao(f, n, m)
}

func (r *Result) readCramerRao(f *npy.File, n, m int) (err error) {
	c := &CramerRao{}
	for _, a := range []struct {
		name string
		to   *[]float64
	}{{"cramer_rao_axis", &c.Axis}, {"cramer_rao", &c.Full}, {"seen", &c.Seen}} {
		if *a.to, err = floats(f, r.Path, a.name, n, m); err != nil {
			return err
		}
	}
	r.CramerRao = c
	if r.Rank, _, err = f.Ints("rank"); err != nil {
		return err
	}
	spectra, shape, err := f.Float64s(spectrumName)
	if err != nil {
		return err
	}
	if len(shape) != 2 || shape[0] != n || len(r.Rank) != n {
		return fmt.Errorf("%s: array %q has shape %v and there are %d ranks for %d examples", r.Path, spectrumName, shape, len(r.Rank), n)
	}
	for i, rank := range r.Rank {
		if rank < 0 || rank > shape[1] {
			return fmt.Errorf("%s: rank %d of example %d: there are %d singular values", r.Path, rank, i, shape[1])
		}
		r.Spectra = append(r.Spectra, spectra[i*shape[1]:i*shape[1]+rank])
	}
	return nil
}

// floats reads an array of n·m numbers, none of them NaN.
func floats(f *npy.File, path, name string, n, m int) ([]float64, error) {
	x, shape, err := f.Float64s(name)
	if err != nil {
		return nil, err
	}
	if len(x) != n*m || len(shape) == 0 || shape[0] != n {
		return nil, fmt.Errorf("%s: array %q has shape %v, expected %d values for each of %d examples", path, name, shape, m, n)
	}
	for i, v := range x {
		if math.IsNaN(v) {
			return nil, fmt.Errorf("%s: array %q: value %d is not a number", path, name, i)
		}
	}
	return x, nil
}
