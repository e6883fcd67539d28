package cli

import (
	"context"
	"fmt"
	"strconv"

	"tattle/internal/data/dataset"
	"tattle/internal/protect/measure"
)

// absolute makes a path good from any folder; the generated data have none.
func absolute(path string) string { return measure.Absolute(path) }

// inputFlags say what of the data is read, and how its labels are found.
type inputFlags struct {
	Labels        string   `help:"CSV with the labels; QMNIST's folder (default: found)." placeholder:"FILE" input:"file"`
	Target        string   `help:"Column of the labels that the model answers (default: the only column)." placeholder:"COLUMN"`
	Sensitive     []string `sep:"none" help:"Sensitive attributes: columns or rules, as 'age: <30; >=30' (default: the data's)." placeholder:"RULE"`
	Limit         string   `help:"Read at most this many examples of each part, drawn by the seed; or an .npy file with the indices of the examples to measure (default: all)." placeholder:"N|FILE" input:"file" more:""`
	TrainingLimit *uint32  `help:"Read at most this many training examples, drawn by the seed; 0: all (default: --limit if it is a number, else all)." placeholder:"N" more:""`
	groupFlag
	skipFlag
}

// groupFlag names the column that identifies the person of each row.
type groupFlag struct {
	Group string `help:"Column that identifies the person of each row." placeholder:"COLUMN"`
}

// skipFlag forgives lists and pictures that do not match.
type skipFlag struct {
	SkipMissing bool `help:"Leave out rows of the list without a picture and pictures without a row, and count them." more:""`
}

// of returns the examples of the data at the path that the flags name. Paths among the flags
// become good from any folder.
func (f inputFlags) of(path, split string, seed uint64) measure.Inputs {
	in := measure.Inputs{Path: path, Split: split, Labels: f.Labels, Target: f.Target, Sensitive: f.Sensitive, Group: f.Group, Limit: f.Limit, SkipMissing: f.SkipMissing, Seed: seed}
	if f.Labels != "" {
		in.Labels = absolute(f.Labels)
	}
	n, err := strconv.Atoi(f.Limit)
	if err != nil && f.Limit != "" && f.Limit != "all" {
		in.Limit = absolute(f.Limit)
	} else if err == nil {
		in.TrainingLimit = n
	}
	if f.TrainingLimit != nil {
		in.TrainingLimit = int(*f.TrainingLimit)
	}
	return in
}

// openInputs opens data as the inputs of a model. The notes say how model and data were read.
func openInputs(ctx context.Context, e *env, in measure.Inputs, m *measure.Model) (*dataset.Set, []string, error) {
	set, notes, err := in.Open(ctx, m, e.bars.Begin("reading the data"))
	return set, append(m.Notes(), notes...), err
}

// opener returns what opens data as the inputs of a model.
func (e *env) opener(ctx context.Context, m *measure.Model) opener {
	return func(in measure.Inputs) (*dataset.Set, error) {
		set, _, err := openInputs(ctx, e, in, m)
		return set, err
	}
}

// glyphsName is the generated data, in place of a folder.
const glyphsName = "glyphs"

// glyphs generates training and test data of n examples (0: dataset.GlyphsTrain).
func glyphs(n int, seed uint64) (train, test *dataset.Set) {
	train = dataset.Glyphs(dataset.GlyphOptions{N: n, Seed: seed})
	test = dataset.Glyphs(dataset.GlyphOptions{N: dataset.GlyphsTest, Seed: seed, Split: dataset.Test})
	return train, test
}

// openData opens one part of a data set of digits or the like by its folder, or draws the glyphs.
func openData(path, split string, seed uint64) (*dataset.Set, error) {
	o := dataset.Options{Kind: dataset.KindMNIST, Split: dataset.Split(split), Seed: seed}
	if path == glyphsName {
		o.Kind = dataset.KindGlyphs
	}
	set, _, err := dataset.OpenInputs(context.Background(), path, o)
	if err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	return set, nil
}
