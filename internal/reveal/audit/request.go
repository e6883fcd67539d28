package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/curious/training"
	"tattle/internal/run"
)

// A Request says what is audited, one of Model, Endpoint, Outputs and Vectors, and what it is
// compared with. Fields named after a flag of tattle audit have its meaning.
type Request struct {
	Model    string // path of an ONNX file
	Endpoint string // URL of a server
	Outputs  string // path of a file of outputs
	Vectors  string // path of a file of vectors

	ModelOptions   measure.ModelOptions              // how Model is read, or how pictures are prepared for Endpoint
	Connect        func(shape []int) (Server, error) // to Endpoint, for examples of that shape, nil if it is not known yet
	Batch          int                               // examples in a request; 0: defaultBatch
	OutputsOptions OpenOptions                       // how Outputs or Vectors is read

	Data        string // path of the examples, or "glyphs"; empty: the data of the model's own run
	Kind        string // of the data, as in dataset; empty: detected
	Labels      string
	FileColumn  string
	SkipMissing bool
	Target      string
	Sensitive   []string
	Group       string // column that says who each example is about
	Size        int
	Part        dataset.Split // that is audited; empty: chosen
	Limit       dataset.Limit
	DataSeed    *uint64

	Reference          string // path of training data for honest classifiers; empty: none
	References         int    // 0 is DefaultReferences
	Epochs             int    // of each training; 0: of references those that the model's file records, else DefaultReferenceEpochs; of others their default
	MaxEpochs          int    // upper limit on the epochs that the model's file asks for; 0 is no limit
	PlantedGlyphs      int    // drawn digits that a planted model learns from; 0 is defaultPlantedGlyphs
	Widths             [5]int // of the layers of honest classifiers; zero: chosen
	At                 string // node of Model whose output is audited as a vector; empty: the model's output
	SameRecipe         bool   // the user states that the references have the model's recipe
	ReferenceTarget    string
	ReferenceSensitive []string

	Defences bool
	Seed     uint64
	Resume   bool // go on with what is in the folder

	Pool run.Pool // asks a server, and trains; nil is run.Leader

	// Progress, unless nil, is called as files are read and a server is asked.
	Progress func(what string, done, total int)
}

// A Subject is what is audited, and where it is from.
type Subject struct {
	Record
	Model    *measure.Model // nil unless it is a file
	URL      string         // of an endpoint
	Examples *Examples      // that the model or the endpoint was applied to; nil of a file of outputs
	Training *dataset.Parts // that references learn from; nil for none
	Epochs   int            // of each reference
	File     string         // of outputs; absolute
	SHA256   string         // of File

	inputs []int // shape of an endpoint's pictures, if it says which
}

// wrong returns the error of an option that cannot be used.
func wrong(option, hint, format string, a ...any) error {
	return &measure.OptionError{Option: option, Err: fmt.Errorf(format, a...), Hint: hint}
}

// door returns the name of the option that says what is audited.
func (q *Request) door() string {
	switch {
	case q.Model != "":
		return "Model"
	case q.Endpoint != "":
		return "Endpoint"
	case q.Vectors != "":
		return "Vectors"
	}
	return "Outputs"
}

// progress returns what reports the progress of one kind of work.
func (q *Request) progress(what string) func(done, total int) {
	return func(done, total int) {
		if q.Progress != nil {
			q.Progress(what, done, total)
		}
	}
}

// Open reads what is audited. A server is asked, and its answers are kept in the folder
// answers until the audit is done. Errors are OptionErrors, InputErrors or those of the server.
func (q *Request) Open(ctx context.Context, answers string) (*Subject, error) {
	s := &Subject{Record: Record{Defences: q.Defences}}
	open := q.openOutputs
	switch q.door() {
	case "Model":
		open = q.openModel
	case "Endpoint":
		open = func(ctx context.Context, s *Subject) error { return q.openEndpoint(ctx, answers, s) }
	}
	if err := open(ctx, s); err != nil {
		return nil, err
	}
	if err := s.Sample.Check(); err != nil {
		return nil, &measure.OptionError{Option: q.door(), Err: err}
	}
	if name := s.Sample.coincides(); name != "" {
		return nil, bothRoles(name)
	}
	if q.Group == dataset.NoGroup { // every example is about another person
		s.Sample.Group = &Attribute{Name: "row", Labels: span(0, s.Sample.Len())}
	}
	if s.Examples != nil {
		s.Sample.Notes = slices.Concat(s.Examples.notes, s.Sample.Notes)
	}
	if s.Sample.Kind == Vector {
		if q.Reference != "" || len(q.OutputsOptions.References) > 0 {
			return nil, wrong("Reference", "leave it out", "honest classifiers have no vectors to compare these with")
		}
		s.Defences = false
		s.Sample.Notes = append(s.Sample.Notes, "vectors have no accuracy that a defence could keep: none is tried")
	}
	return s, nil
}

// openOutputs reads a file of outputs, with those of honest classifiers if it has them, or of vectors.
func (q *Request) openOutputs(ctx context.Context, s *Subject) (err error) {
	o, path := q.OutputsOptions, cmp.Or(q.Outputs, q.Vectors)
	o.Vectors, o.scored = q.Vectors != "", q.Vectors == ""
	o.Target, o.Sensitive, o.Group = q.Target, q.Sensitive, q.Group
	if q.Progress != nil {
		o.Progress = func(done, total int64) { q.Progress("reading the outputs", int(done), int(total)) }
	}
	all, err := openOutputs(ctx, path, o)
	if err != nil {
		return measure.WrongData(ctx, q.door(), err)
	}
	s.Sample, s.References = all[0], all[1:]
	if len(s.References) > 0 && q.SameRecipe {
		s.Recipe = RecipeStated
	}
	s.File = measure.Absolute(path)
	s.SHA256, err = run.Digest(path)
	return err
}

// openModel applies a model in a file to the examples.
func (q *Request) openModel(ctx context.Context, s *Subject) (err error) {
	if s.Model, err = measure.OpenModel(q.Model, q.ModelOptions); err != nil {
		return err
	}
	if s.Examples, err = q.examples(ctx, s.Model, s.Model.Graph.InputShape); err != nil {
		return err
	}
	if err := s.Examples.fit(s.Model.Graph.InputShape); err != nil {
		return err
	}
	q.warnTrainedOn(s)
	of := "Model"
	if q.At != "" {
		of = "At"
	}
	s.Sample, err = fromModel(ctx, s.Model.Graph, q.At, s.Examples.Set)
	var named *measure.OptionError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &named):
		return err
	case err != nil:
		return &measure.OptionError{Option: of, Err: err}
	}
	if words := s.Examples.Set.Scaling(); words != "" && s.Sample.Kind == Vector && s.Examples.Source.Kind != dataset.KindGlyphs && !s.Model.DataPreprocess().Normalises() && q.ownResult() == nil {
		s.Sample.Notes = append(s.Sample.Notes, fmt.Sprintf("No preprocessing says how pixels x are scaled: inputs are %s, as is usual for these data. Vectors have no accuracy that shows a wrong scaling. If the model learned from another one, it gives other vectors, and these figures say nothing about them: give --preprocess.", words))
	}
	return nil
}

// openEndpoint asks a server. Its answers are kept in the folder, batch by batch.
func (q *Request) openEndpoint(ctx context.Context, folder string, s *Subject) (err error) {
	server, err := q.Connect(nil)
	if err != nil {
		return &measure.OptionError{Option: "Endpoint", Err: err}
	}
	if s.inputs, err = server.PictureShape(ctx); err != nil { // a server that is not there is found before anything is read
		return wrongEndpoint(ctx, err)
	}
	o := q.ModelOptions
	o.Preprocess = cmp.Or(o.Preprocess, "none")
	m, err := measure.ModelOf(nil, o)
	if err != nil {
		return err
	}
	if s.Examples, err = q.examples(ctx, m, s.inputs); err != nil {
		return err
	}
	if server, err = q.Connect(s.Examples.Set.Shape); err != nil {
		return &measure.OptionError{Option: "Endpoint", Err: err}
	}
	s.URL = server.URL()
	if s.Sample, err = q.ask(ctx, server, s.Examples.Set, folder); err != nil {
		return wrongEndpoint(ctx, err)
	}
	return nil
}

// wrongEndpoint names the option, unless another is named.
func wrongEndpoint(ctx context.Context, err error) error {
	var named *measure.OptionError
	if ctx.Err() != nil || errors.As(err, &named) {
		return err
	}
	return &measure.InputError{OptionError: measure.OptionError{Option: "Endpoint", Err: err}}
}

// ownResult returns the result.json beside the model, nil if there is none for it.
func (q *Request) ownResult() *training.Result {
	if q.Model == "" {
		return nil
	}
	r, err := training.ReadResult(filepath.Dir(q.Model))
	if err != nil || !slices.ContainsFunc(r.Files, func(f training.File) bool { return f.Name == filepath.Base(q.Model) }) {
		return nil
	}
	return r
}

// OwnData returns how the data were read that the model was trained on, nil if the folder
// of the model does not say so.
func (q *Request) OwnData() *training.Source {
	if r := q.ownResult(); r != nil {
		return r.Source
	}
	return nil
}
