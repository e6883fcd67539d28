package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/npy"
)

// Inputs say which examples a model is measured on, and what is read of them.
type Inputs struct {
	Path      string   `json:"-"`                   // as dataset.OpenInputs reads it
	Part      string   `json:"-"`                   // dataset.Train or dataset.Test
	Labels    string   `json:"labels,omitempty"`    // CSV file with the labels; empty: found beside the data
	Target    string   `json:"target,omitempty"`    // column of the labels that the model answers; empty: the only one
	Sensitive []string `json:"sensitive,omitempty"` // rules of the sensitive attributes; none: those of the data's own files
	Group     string   `json:"group,omitempty"`     // column that says who each example is about; empty: that of an .npz
	Seed      uint64   `json:"-"`

	Limit       dataset.Limit `json:"limit,omitzero"`         // of the examples that are read
	SkipMissing bool          `json:"skip_missing,omitempty"` // rows without a picture and pictures without a row are left out

	Vectors bool         `json:"vectors,omitempty"` // the inputs are vectors, as they are
	Columns []string     `json:"columns,omitempty"` // of the vectors; none: found by their names
	viewsOf *dataset.Set // the rows of this set, without their labels
	apart   bool         // not the file of the examples that are measured: if it has no parts, all its rows are read
}

// Open reads the examples as inputs of a model. The notes say what a reader of the figures
// should know of how they were read. progress may be nil.
func (in Inputs) Open(ctx context.Context, m *Model, progress func(done, total int)) (set *dataset.Set, notes []string, err error) {
	drawn := in.Path == dataset.KindGlyphs
	if drawn && !m.DataPreprocess().IsZero() {
		return nil, nil, wrongPreprocess(errors.New("the generated glyphs are drawn as inputs already"), "leave --preprocess out, or name pictures with --data")
	}
	if drawn && in.Labels != "" {
		return nil, nil, &OptionError{"Labels", errors.New("the generated glyphs have labels of their own"), "leave --labels out, or name pictures with --data"}
	}
	o := dataset.Options{
		Part: dataset.Split(in.Part), Limit: in.Limit, Preprocess: m.DataPreprocess(), Labels: in.Labels, SkipMissing: in.SkipMissing, Target: in.Target, Sensitive: in.Sensitive, Group: in.Group, Seed: in.Seed,
		Undivided: in.apart, Progress: progress,
	}
	if m.Graph != nil {
		o.Shape, o.Columns, o.Words = m.Pictures(), m.Graph.Columns, m.Graph.Words
	}
	if in.Vectors {
		o.Kind, o.VectorColumns = dataset.KindVectors, in.Columns
		if m.Vectors() && in.Target == "" {
			o.Target = dataset.NoTarget
		}
	}
	if in.viewsOf != nil {
		o.ViewsOf, o.Target, o.Group, o.Sensitive, o.Limit = in.viewsOf, dataset.NoTarget, dataset.NoGroup, nil, dataset.Limit{}
	}
	if set, notes, err = dataset.OpenInputs(ctx, in.Path, o); err == nil {
		if m.Graph == nil {
			m.Graph = zoo.Vectors(nn.Size(set.Shape))
		}
		err = m.takes(set, in, notes)
	}
	if err != nil {
		option := "Data"
		if in.Vectors {
			option = "Vectors"
		}
		return nil, nil, WrongData(ctx, option, err)
	}
	if words := set.Scaling(); words != "" && !o.Preprocess.Normalises() {
		notes = append(notes, "no preprocessing says how pixels x are scaled: inputs are "+words+", as is usual for these data")
	}
	return set, notes, nil
}

// WrongData returns the error of data that an option names: an InputError if a file is damaged or cannot be read, and an OptionError
// if the data are not what the options say. An error of their limit names that option.
func WrongData(ctx context.Context, option string, err error) error {
	var known *OptionError
	var unread *InputError
	var choice *dataset.ChoiceError
	switch {
	case err == nil || ctx.Err() != nil || errors.As(err, &unread):
		return err
	case errors.As(err, &known): // its error lacks the name of the file
		return &OptionError{known.Option, err, known.Hint}
	case errors.As(err, &choice):
		return wrong(OptionError{"Limit", choice, ""})
	}
	return wrong(OptionError{Option: option, Err: err})
}

// wrong returns the error of an option, as an InputError if a file is to blame.
func wrong(e OptionError) error {
	var format *dataset.FormatError
	var array *npy.FormatError
	var path *fs.PathError
	if errors.As(e.Err, &format) || errors.As(e.Err, &array) || errors.As(e.Err, &path) || errors.Is(e.Err, fs.ErrNotExist) {
		return &InputError{e}
	}
	return &e
}

// ChooseExamples returns the indices, of n examples, that the value of an option names, as dataset.Choose
// reads it.
func ChooseExamples(option, value string, n int, seed uint64) ([]int, error) {
	indices, err := dataset.Choose(value, n, seed)
	if err != nil {
		return nil, wrong(OptionError{option, err, ""})
	}
	return indices, nil
}

// takes checks that each of the examples has as many values as the model has inputs. Of a table it
// names the columns without which there would be as many, and those that are no inputs.
func (m *Model) takes(set *dataset.Set, in Inputs, notes []string) error {
	want, have := nn.Size(m.Graph.InputShape), nn.Size(set.Shape)
	if want == have {
		return nil
	}
	err := fmt.Errorf("%s: examples of %d values, and the model takes %d", in.Path, have, want)
	if set.Columns == nil {
		return err
	}
	var spare []string
	for _, c := range Columns(set) {
		if c.Width == have-want {
			spare = append(spare, c.Name)
		}
	}
	advice := "give exactly the columns that the model was trained on: name the target with --target, and other columns that are not inputs with --sensitive, or remove them from the file"
	if len(spare) > 0 {
		advice += "; the number is right without " + strings.Join(spare, ", or without ")
	}
	if len(in.Sensitive) > 0 {
		advice += "; sensitive columns are no inputs: " + strings.Join(in.Sensitive, ", ")
	}
	for _, note := range notes {
		if strings.Contains(note, "input") {
			advice += "; " + note
		}
	}
	return fmt.Errorf("%w: %s", err, advice)
}

// Learned returns what adversaries learn from, if it is at that path: the training part or, of other data without parts, all.
func (in Inputs) Learned(path string) Inputs {
	in.apart = Absolute(path) != Absolute(in.Path)
	in.Path, in.Part, in.Limit = path, string(dataset.Train), in.Limit.Others()
	return in
}

// errOnePart is the error of data without a part to learn from.
var errOnePart = errors.New("the data have only one part, and that is measured")

// Training opens what adversaries learn from: the data at path or, if path is empty, the
// training part of the data that in reads. It returns where they are, and an error if they are the
// examples that are measured. open reads data as inputs of the model.
func (in Inputs) Training(path string, measured *dataset.Set, open func(Inputs) (*dataset.Set, error)) (set *dataset.Set, from string, err error) {
	apart := path == "" && in.Part != string(dataset.Train)
	learned := in.Learned(cmp.Or(path, in.Path))
	in.Path, in.Part = learned.Path, learned.Part
	if apart && in.Limit != learned.Limit { // the same examples of both parts, to compare them
		var outside *dataset.ChoiceError // the other part has fewer examples, so it is another
		if set, err = open(in); err != nil && !errors.As(err, &outside) {
			return nil, "", err
		}
		if err == nil && set.SHA256 == measured.SHA256 {
			return nil, "", errOnePart
		}
	}
	if set, err = open(learned); err != nil {
		return nil, "", err
	}
	if apart && set.SHA256 == measured.SHA256 {
		return nil, "", errOnePart
	}
	if !slices.Equal(set.Shape, measured.Shape) {
		return set, in.Path, WrongOption("TrainingData", "training data of %s have shape %v, the inputs %v", in.Path, set.Shape, measured.Shape)
	}
	return set, Absolute(in.Path), nil
}

// Absolute returns a path that can be read from any folder; the generated data have none.
func Absolute(path string) string {
	if path == dataset.KindGlyphs {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
