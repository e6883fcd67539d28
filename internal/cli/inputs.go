package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"tattle/dataset"
	"tattle/internal/progress"
	"tattle/nn"
	"tattle/npy"
	"tattle/report"
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
	m, err := readFlags{Preprocess: "none"}.open(path)
	if err != nil {
		return nil, "", err
	}
	return m.graph, m.hash, nil
}

// inputFlags say what of the data is read, and how its labels are found.
type inputFlags struct {
	Labels string `help:"CSV file with the labels of pictures or a table (default: labels.csv among the pictures, or the folders' names)." placeholder:"FILE" input:"file"`
	Target string `help:"Column of the labels that the model answers (default: the only column)." placeholder:"COLUMN"`
	Limit  string `help:"Read this many examples only, drawn by the seed, or those of an .npy file of indices (default: all)." placeholder:"N|FILE" input:"file"`
}

// inputs is what is asked for of a data set: all that decides what is read.
type inputs struct {
	inputFlags
	path  string
	split string
	seed  uint64
}

// openInputs opens what --data names as the inputs of a model, which then notes what a
// reader wants to know of how they were read.
func openInputs(ctx context.Context, e *env, in inputs, m *model) (*dataset.Set, error) {
	set, notes, err := readNoted(ctx, e, in, m)
	m.notes = append(m.said(), notes...)
	var s *statusError
	if err == nil || errors.As(err, &s) {
		return set, err
	}
	return nil, fmt.Errorf("--data: %w", err)
}

// readInputs is openInputs for data that any flag names.
func readInputs(ctx context.Context, e *env, in inputs, m *model) (*dataset.Set, error) {
	set, _, err := readNoted(ctx, e, in, m)
	return set, err
}

func readNoted(ctx context.Context, e *env, in inputs, m *model) (*dataset.Set, []string, error) {
	if in.path == glyphsName {
		set, err := openData(in.path, in.split, in.seed)
		if err == nil && !m.forData().IsZero() {
			err = usage(errors.New("--preprocess: the generated glyphs are drawn as inputs already"), "leave --preprocess out, or name pictures with --data")
		}
		return set, nil, err
	}
	bar := progress.New(e.stderr, "reading pictures", -1)
	o := dataset.InputOptions{
		Split: dataset.Split(in.split), Preprocess: m.forData(), Labels: in.Labels, Target: in.Target, Seed: in.seed,
		Shape: m.pictures(), Progress: bar.Set,
	}
	if in.Limit != "" {
		o.Choose = func(n int) ([]int, error) { return choose("--limit", in.Limit, n, in.seed) }
	}
	set, notes, err := dataset.OpenInputs(ctx, in.path, o)
	bar.Close()
	return set, notes, err
}

// record writes into the report what of the data was read.
func (f inputFlags) record(r *report.Report) {
	r.Reading.Labels, r.Reading.Target, r.Reading.Limit = f.Labels, f.Target, f.Limit
}

// recordedInputs reads back what record wrote.
func recordedInputs(r *report.Report) inputFlags {
	return inputFlags{Labels: r.Reading.Labels, Target: r.Reading.Target, Limit: r.Reading.Limit}
}

// settled makes the paths among the flags good from any folder.
func (f inputFlags) settled() inputFlags {
	if f.Labels != "" {
		f.Labels = absolute(f.Labels)
	}
	if _, err := strconv.Atoi(f.Limit); err != nil && f.Limit != "" && f.Limit != "all" {
		f.Limit = absolute(f.Limit)
	}
	return f
}

// The generated data, in place of a folder.
const (
	glyphsName  = "glyphs"
	glyphsTrain = 10000 // learned to above 90 % in seconds
	glyphsTest  = 2000
)

// glyphs generates training and test data of n examples (0: glyphsTrain).
func glyphs(n int, seed uint64) (train, test *dataset.Set) {
	if n == 0 {
		n = glyphsTrain
	}
	train = dataset.Glyphs(dataset.GlyphOptions{N: n, Size: 28, Seed: seed})
	test = dataset.Glyphs(dataset.GlyphOptions{N: glyphsTest, Size: 28, Seed: seed, Split: dataset.Test})
	return train, test
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
	return choose("--examples", spec, n, seed)
}

// choose is chooseExamples for a flag of any name.
func choose(flag, spec string, n int, seed uint64) ([]int, error) {
	if spec == "all" {
		return firstIndices(n), nil
	}
	k, err := strconv.Atoi(spec)
	if err != nil {
		return indicesFrom(flag, spec, n)
	}
	if k < 1 {
		return nil, usage(fmt.Errorf("%s: %d is not a number of examples", flag, k), "")
	}
	if k >= n {
		return firstIndices(n), nil
	}
	idx := rand.New(rand.NewPCG(seed, 1)).Perm(n)[:k]
	slices.Sort(idx)
	return idx, nil
}

// firstIndices returns 0 to n−1.
func firstIndices(n int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = i
	}
	return idx
}

func indicesFrom(flag, path string, n int) ([]int, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, usage(fmt.Errorf("%s: neither a number nor a file: %w", flag, err), "give a number, all, or an .npy file of indices")
	}
	a, err := npy.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	if _, flags := a.Data.([]bool); flags || len(a.Shape) != 1 {
		return nil, usage(fmt.Errorf("%s %s: an array of shape %v and type %T, expected one list of indices", flag, path, a.Shape, a.Data), "numpy.flatnonzero makes indices of a mask")
	}
	idx, err := a.Ints()
	if err != nil {
		return nil, usage(fmt.Errorf("%s %s: %w", flag, path, err), "give a list of whole numbers")
	}
	if len(idx) == 0 {
		return nil, usage(fmt.Errorf("%s %s: no indices", flag, path), "")
	}
	for _, i := range idx {
		if i < 0 || i >= n {
			return nil, usage(fmt.Errorf("%s %s: index %d, but the data set has %d examples", flag, path, i, n), "")
		}
	}
	return idx, nil
}
