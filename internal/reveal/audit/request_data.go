package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/curious/training"
)

// Examples are the labelled examples that a model or an endpoint is applied to.
type Examples struct {
	Set    *dataset.Set
	Source *training.Source
	Part   dataset.Split

	parts *dataset.Parts // the data that Set is a part of; nil if the data were read as another program's inputs
	notes []string
}

// examples reads the examples for a model, or for a server that takes inputs of that shape; a shape that
// is not known is nil. m says how another program's model takes its inputs.
func (q *Request) examples(ctx context.Context, m *measure.Model, shape []int) (*Examples, error) {
	own := q.OwnData()
	src := q.source(q.Data, own)
	if q.untargeted() && (src.Target == "" || !dataset.IsTable(src.Path, src.Kind)) {
		src.Target = dataset.NoTarget // of a table, a target of the model's own run is not an input
	}
	x := &Examples{Source: src, Part: q.part(src)}
	read := func() error { return q.readPart(ctx, x, own, shape) }
	if columns := m.Graph != nil && m.Graph.Columns != nil && dataset.IsTable(q.Data, q.Kind); columns || !m.Preprocess.IsZero() {
		read = func() error { return q.readInputs(ctx, x, m, columns, shape) }
	}
	if err := read(); err != nil {
		return nil, err
	}
	switch {
	case q.untargeted():
		bare := *x.Set
		bare.Y, bare.YNumbers, bare.YName, bare.YNames = nil, nil, "", nil
		x.Set = &bare
	case !x.Set.Labelled():
		return nil, wrong("Target", "", "the data has no labels: name the column of the target")
	}
	return x, nil
}

// untargeted reports whether the audit is to have no target: vectors have none unasked.
func (q *Request) untargeted() bool {
	return q.Target == dataset.NoTarget || q.At != "" && q.Target == ""
}

// source says how data at a path are read: as in the run of the audited model, own, if they are its data or no path is given;
// otherwise, and beyond that, by the options.
func (q *Request) source(path string, own *training.Source) *training.Source {
	src := &training.Source{Path: dataPath(path), Options: dataset.Options{Seed: q.Seed}}
	if own != nil && (path == "" || src.Path == own.Path) {
		*src = *own
		src.HoldOut = false
	} else if path == dataset.KindGlyphs {
		src.Kind = dataset.KindGlyphs
	}
	src.Kind, src.FileColumn, src.Target = cmp.Or(q.Kind, src.Kind), cmp.Or(q.FileColumn, src.FileColumn), cmp.Or(q.Target, src.Target)
	src.Group = cmp.Or(q.Group, src.Group)
	src.Side, src.SkipMissing = cmp.Or(q.Size, src.Side), src.SkipMissing || q.SkipMissing
	if q.Labels != "" {
		src.Labels = measure.Absolute(q.Labels)
	}
	if len(q.Sensitive) > 0 {
		src.Sensitive = q.Sensitive
	}
	if q.DataSeed != nil {
		src.Seed = *q.DataSeed
	}
	return src
}

// dataPath returns the absolute path of data; the generated ones have none.
func dataPath(path string) string {
	if path == "" || path == dataset.KindGlyphs {
		return ""
	}
	return measure.Absolute(path)
}

// openParts reads labelled data that an option names.
func (q *Request) openParts(ctx context.Context, option string, src *training.Source) (*dataset.Parts, error) {
	read := *src
	read.Numbers = true
	_, parts, err := read.Open(ctx, q.progress("reading the data"))
	if err != nil {
		return nil, measure.WrongData(ctx, option, err)
	}
	return parts, nil
}

// readPart reads a part of the data, pictures of the given shape if that is known. The inputs of a table are those that the
// model was trained with, if its run says which.
func (q *Request) readPart(ctx context.Context, x *Examples, own *training.Source, shape []int) (err error) {
	src := x.Source
	if src.Side == 0 && len(shape) == 3 && shape[1] == shape[2] {
		src.Side = shape[1]
	}
	if own != nil {
		as := own.Options
		if !q.trainedOn(src) {
			as = src.Options
			as.Target, as.Sensitive = own.Target, own.Sensitive
		}
		as.Numbers, src.InputsOf = true, &as
	}
	read := *src
	read.Part, read.Limit, read.Others = x.Part, q.Limit, nil
	read.Alone = q.Reference == "" || !q.sameData(src) // else references learn from the others
	if q.trainedOn(src) {
		read.Others = &own.Limit // those that the model learned from
	}
	if x.parts, err = q.openParts(ctx, "Data", &read); err != nil {
		return err
	}
	x.notes = slices.Clone(x.parts.Notes)
	if x.Set, err = partOf(x.parts, x.Part); err != nil {
		return err
	}
	if q.Part == "" && x.Part != dataset.All {
		x.notes = append(x.notes, "The test part is audited: models learned from the others.")
	}
	return nil
}

// readInputs reads the examples as inputs of another program's model: preprocessed as it was
// trained with, or the columns that a model of ai.onnx.ml takes, as they are.
func (q *Request) readInputs(ctx context.Context, x *Examples, m *measure.Model, columns bool, shape []int) (err error) {
	switch {
	case q.Data == "" || q.Data == dataset.KindGlyphs:
		return wrong("Preprocess", "", "requires --data with pictures or numbers")
	case q.Size != 0 || q.Part == dataset.All:
		return wrong("Part", "settings such as resize=224 set the size; a table without parts is read whole", "data that are read as another program's inputs have one --part, and no --size")
	}
	x.Part = cmp.Or(q.Part, dataset.Test)
	o := x.Source.Options
	o.Part, o.Limit, o.Preprocess, o.Shape, o.Numbers, o.Progress = q.Part, q.Limit, m.DataPreprocess(), shape, true, q.progress("reading the data")
	if columns {
		o.Columns, o.Words, o.Missing = m.Graph.Columns, m.Graph.Words, true
	} else if x.notes = m.Notes(); m.Graph != nil {
		o.Shape = m.Pictures()
	}
	set, notes, err := dataset.OpenInputs(ctx, x.Source.Path, o)
	if err != nil {
		return measure.WrongData(ctx, "Data", err)
	}
	x.Set, x.notes = set, append(x.notes, notes...)
	return nil
}

// trainedOn reports whether the model was trained on these data.
func (q *Request) trainedOn(src *training.Source) bool {
	own := q.OwnData()
	return own != nil && own.Path == src.Path && own.Kind == src.Kind
}

// warnTrainedOn notes that the model learned from audited examples: by the record in its file or, of
// a file without one, by its run.
func (q *Request) warnTrainedOn(s *Subject) {
	x := s.Examples
	found, of := x.Set.FoundIn(s.Model.Graph.Metadata)
	note := ""
	switch {
	case found > 0:
		note = fmt.Sprintf("The model was trained on audited examples: %d of the %d training inputs that its file records are among them.", found, of)
	case of == 0 && q.trainedOn(x.Source) && x.Part != dataset.Test:
		note = "The model was trained on examples of this part."
	default:
		return
	}
	s.Notes = append(s.Notes, note+" What it remembers of them counts, too. An audit of the test part (--part test) is about new examples.")
}

// part returns the part of the data that is audited: the test part if a model was trained
// on these data.
func (q *Request) part(src *training.Source) dataset.Split {
	if q.Part == "" && (q.trainedOn(src) || q.Reference != "" && q.sameData(src)) {
		return dataset.Test
	}
	return cmp.Or(q.Part, dataset.All)
}

// sameData reports whether references are trained on the audited data.
func (q *Request) sameData(src *training.Source) bool {
	return dataPath(q.Reference) == src.Path && (q.Reference == dataset.KindGlyphs) == (src.Kind == dataset.KindGlyphs)
}

// partOf returns one part of the data, or all of them one after the other.
func partOf(p *dataset.Parts, part dataset.Split) (*dataset.Set, error) {
	var all []*dataset.Set
	for i, set := range []*dataset.Set{p.Train, p.Validation, p.Test} {
		name := []dataset.Split{dataset.Train, dataset.Validation, dataset.Test}[i]
		if set != nil && set.Len() > 0 && (part == dataset.All || part == name) {
			all = append(all, set)
		}
	}
	if len(all) == 0 {
		return nil, wrong("Part", "", "the data have no %s part", part)
	}
	return dataset.Join(all...), nil
}

// fit returns an error if a model of inputs of that shape cannot take the examples.
func (x *Examples) fit(shape []int) error {
	is := x.Set.Shape
	if nn.Size(is) == nn.Size(shape) && (len(is) != len(shape) || slices.Equal(is, shape)) {
		return nil
	}
	hint := "--size resizes pictures; --preprocess prepares them as another program does"
	if len(is) == 1 {
		hint = "the inputs of a table are all columns except the target, the sensitive ones and those that are constant: name those that the model was trained with by --target and --sensitive; if its columns were prepared by another program, audit its outputs with --outputs"
	}
	return wrong("Model", hint, "it takes inputs of shape %v, but the data have inputs of shape %v", shape, is)
}
