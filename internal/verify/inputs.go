package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/run"
)

// mostNumbers is more than a vector has.
const mostNumbers = 1 << 24

// A role is what an input is to a run.
type role struct {
	option string // of package measure, which names it
	is     string // the beginning of a sentence about it
	flag   string // what names it
}

var (
	theModel      = role{"Model", "the model is", "--model names it"}
	theData       = role{"Data", "the data are", "--data names them"}
	theTraining   = role{"TrainingData", "the training data are", "--training-data names them"}
	theCandidates = role{"TrainingData", "the candidates are", "--training-data names them"}
	theViews      = role{"Views", "the other views are", "put them where they were"}
	theOutputs    = role{"Data", "the outputs are", "the audit read them from a file"}
	theVectors    = role{"Coordinates", "the vectors are", "--coordinates names them"}
)

// missing warns that an input is not at a path, and says so in a few words.
func (v *recomputed) missing(what role, path string) string {
	if v.Warn != nil {
		where := "not at"
		if file.Exists(path) {
			where = "not to be read from"
		}
		v.Warn(fmt.Sprintf("%s %s %s: the values that the run recorded are taken as they are", what.is, where, file.Name(path)))
	}
	return what.gone()
}

// gone says that an input is absent.
func (what role) gone() string { return what.is + " absent: " + what.flag }

// unread is the error of an input that cannot be read.
func (what role) unread(err error) error {
	if wrong := (*measure.OptionError)(nil); errors.As(err, &wrong) {
		return err
	}
	return &measure.InputError{OptionError: measure.OptionError{Option: what.option, Err: err, Hint: what.flag}}
}

// same returns an error if an input at a path has another digest than the report says.
func (what role) same(path, is, was string) error {
	if is == was {
		return nil
	}
	return &MismatchError{fmt.Errorf("%s: sha256 %s, the report is about %s", path, is, was), what.flag}
}

// file compares a file at the path, or where it has moved, with its digest in the report, and returns where it is.
func (what role) file(path, moved, hash string) (string, error) {
	path = cmp.Or(moved, path)
	is, err := run.Digest(path)
	if err != nil {
		return path, what.unread(err)
	}
	return path, what.same(path, is, hash)
}

// model opens the model that the report names: nil if it is absent and the run kept the release.
func (v *recomputed) model(s *measure.Setup) (*measure.Model, error) {
	path := cmp.Or(v.Model, v.was.Model.Path)
	if path == "" && s.Reading.Vectors {
		if n := s.Inputs; n < 1 || n > mostNumbers {
			return nil, mismatch("request.inputs: vectors of %d numbers", n)
		}
		return measure.NoModel(s.Inputs), nil
	}
	if v.Model == "" && !filepath.IsAbs(path) {
		path = filepath.Join(v.dir, path)
	}
	if v.lists(measure.FrontFile) && v.Model == "" && !file.Exists(path) {
		v.absent = append(v.absent, v.missing(theModel, path))
		v.take("THE RELEASE: that "+measure.FrontFile+" and "+measure.HeadFile+" are what the report says of the model", theModel.gone())
		return nil, nil
	}
	m, err := measure.OpenModel(path, s.Reading.OfModel())
	if err != nil {
		return nil, theModel.unread(err)
	}
	return m, theModel.same(path, m.SHA256, v.was.Model.SHA256)
}

// data opens data as inputs of the model: nil if they are absent, and no option names them.
func (v *recomputed) data(ctx context.Context, what role, moved string, in measure.Inputs, m *measure.Model, hash string) (*dataset.Set, error) {
	in.Path, in.Labels = cmp.Or(moved, in.Path), cmp.Or(v.Labels, in.Labels)
	set, _, err := in.Open(ctx, m, v.Progress.Of("reading the data"))
	switch {
	case err != nil && moved == "" && ctx.Err() == nil && (what != theData || in.Path != dataset.KindGlyphs && !file.Exists(in.Path)):
		v.absent = append(v.absent, v.missing(what, in.Path))
		return nil, nil
	case err != nil:
		return nil, what.unread(err)
	}
	if what == theData && set.Name == stem(in.Path) { // a file that was renamed holds the same data
		set.Name = stem(v.was.Data.Path)
	}
	return set, what.same(in.Path, set.SHA256, hash)
}

// stem returns the name of a file, without what says its format.
func stem(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// learned returns where the training data or the candidates that were at the path are now, and how they are read.
func (v *recomputed) learned(s *measure.Setup, path string) measure.Inputs {
	in := s.Reading.OfInputs(v.was.Data.Path, "", v.was.Seed).Learned(path)
	if v.Data != "" && path == v.was.Data.Path { // another part of the data
		in.Path = v.Data
	}
	return in
}

// lists reports whether the report lists a file of the run.
func (v *recomputed) lists(name string) bool {
	return slices.ContainsFunc(v.was.Files, func(f report.File) bool { return f.Name == name })
}
