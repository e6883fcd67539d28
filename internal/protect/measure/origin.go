package measure

import (
	"cmp"

	"tattle/internal/data/dataset"
	"tattle/internal/report"
)

// Reading holds the flags by which model and data were read.
type Reading struct {
	ModelOptions
	Beside bool `json:"preprocessing_beside_model,omitempty"` // the preprocessing is that of the file beside the model
	Inputs      // without path, part and seed
}

// An Origin says where the model and the data of a measurement came from, and how they were read.
type Origin struct {
	Model   report.Model
	Data    report.Data
	Notes   []string // of how the data were read
	Reading Reading
	Learned report.File  // the training data
	Vectors *report.File // the file of the coordinates; nil for built-in ones
	Values  DataSetup    // of the data, where they are absent
}

// ReadingOf returns how model and data were read. m may be nil: read with no options.
func ReadingOf(m *Model, in Inputs) Reading {
	in.Path, in.Part, in.Seed = "", "", 0
	l := Reading{Inputs: in}
	if m == nil {
		return l
	}
	if l.ModelOptions, l.Beside = m.Options, m.Beside; m.Preprocess.IsZero() {
		l.Preprocess = ""
	}
	return l
}

// OfModel returns the options with which the model was read.
func (l Reading) OfModel() ModelOptions {
	o := l.ModelOptions
	o.Preprocess = cmp.Or(o.Preprocess, "none") // whatever is beside the model now
	return o
}

// OfInputs returns what was read of data at the path.
func (l Reading) OfInputs(path, split string, seed uint64) Inputs {
	in := l.Inputs
	in.Path, in.Part, in.Seed = path, split, seed
	return in
}

// DataOf describes a data set, read from a path, for a report.
func DataOf(s *dataset.Set, path, part string) report.Data {
	return report.Data{Name: s.Name, Path: path, Part: part, Shape: s.Shape, SHA256: s.SHA256, Examples: s.Len()}
}
