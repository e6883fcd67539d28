package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/curious/training"
)

// PartAll is the part of the data that has all examples.
const PartAll = "all"

// Examples are the labelled examples that a model or an endpoint is applied to.
type Examples struct {
	Set    *dataset.Set
	Source *training.Source
	Part   string

	parts *dataset.Parts // the data that Set is a part of; nil if the data were read as another program's inputs
	notes []string
}

// examples reads the examples for a model, or for a server that takes inputs of that shape; a shape that
// is not known is nil. m says how another program's model takes its inputs.
func (q *Request) examples(ctx context.Context, m *measure.Model, shape []int) (x *Examples, err error) {
	columns := m.Graph != nil && m.Graph.Columns != nil && dataset.IsTable(q.Data, q.Kind)
	if !m.Preprocess.IsZero() || columns {
		if m.Graph != nil && !columns {
			shape = m.Pictures()
		}
		x, err = q.readForeign(ctx, m, shape)
	} else {
		x, err = q.read(ctx, shape)
	}
	switch {
	case err != nil:
	case q.untargeted():
		bare := *x.Set
		bare.Y, bare.YNumbers, bare.YName, bare.YNames = nil, nil, "", nil
		x.Set = &bare
	case !x.Set.Labelled():
		err = wrong("Target", "", "the data has no labels: name the column of the target")
	}
	return x, err
}

// source says how the examples are read: as in the run of the audited model, if its data
// are asked for.
func (q *Request) source() *training.Source {
	own := q.OwnData()
	src := q.sourceAt(q.Data)
	if own != nil && (q.Data == "" || src.Path == own.Path) {
		*src = *own
		src.HoldOut = false
		q.settle(src)
	}
	if q.untargeted() && (src.Target == "" || !dataset.IsTable(src.Path, src.Kind)) {
		src.Target = dataset.NoTarget // of a table, a target of the model's own run is not an input
	}
	return src
}

// untargeted reports whether the audit is to have no target: vectors have none unasked.
func (q *Request) untargeted() bool {
	return q.Target == dataset.NoTarget || q.At != "" && q.Target == ""
}

// sourceAt returns the source of data at a path.
func (q *Request) sourceAt(path string) *training.Source {
	src := &training.Source{Path: dataPath(path), Options: dataset.Options{Kind: q.Kind, Seed: q.Seed}}
	if path == dataset.KindGlyphs {
		src.Kind = dataset.KindGlyphs
	}
	q.settle(src)
	return src
}

// dataPath returns the absolute path of data; the generated ones have none.
func dataPath(path string) string {
	if path == "" || path == dataset.KindGlyphs {
		return ""
	}
	return measure.Absolute(path)
}

// settle overrides a source by the options that are given.
func (q *Request) settle(src *training.Source) {
	src.Kind, src.FileColumn, src.Target = cmp.Or(q.Kind, src.Kind), cmp.Or(q.FileColumn, src.FileColumn), cmp.Or(q.Target, src.Target)
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
}

// openParts reads labelled data that an option names.
func (q *Request) openParts(ctx context.Context, option string, src *training.Source) (*dataset.Parts, error) {
	read := *src
	read.Numbers = true
	_, parts, err := read.Open(ctx, q.progress("reading the data"))
	if err != nil {
		return nil, wrongFile(ctx, option, err)
	}
	return parts, nil
}

// read reads the examples, pictures of the given shape if that is known.
func (q *Request) read(ctx context.Context, shape []int) (*Examples, error) {
	src := q.source()
	if src.Side == 0 && len(shape) == 3 && shape[1] == shape[2] && src.Kind != dataset.KindAdult && src.Kind != dataset.KindTable {
		src.Side = shape[1]
	}
	if len(shape) > 0 {
		src.ModelInputs = nn.Size(shape)
	}
	parts, err := q.partsFor(ctx, src, shape)
	if err != nil {
		return nil, err
	}
	x := &Examples{parts: parts, Source: src, Part: q.part(src), notes: slices.Clone(parts.Notes)}
	if x.Set, err = partOf(parts, x.Part); err != nil {
		return nil, err
	}
	if x.Set.Columns != nil {
		x.notes = append(x.notes, dataset.Standardised(parts.Train.Len()))
	}
	if q.Part == "" && x.Part != PartAll {
		x.notes = append(x.notes, "The test part is audited: models learned from the others.")
	}
	if q.Examples == "" {
		return x, nil
	}
	rows, err := measure.ChooseExamples("Examples", q.Examples, x.Set.Len(), q.Seed)
	if err != nil {
		return nil, err
	}
	if len(rows) < x.Set.Len() {
		x.notes = append(x.notes, fmt.Sprintf("%d of %d examples are audited.", len(rows), x.Set.Len()))
	}
	x.Set = x.Set.Subset(rows)
	return x, nil
}

// partsFor reads labelled data for a model of that shape. Of a table, its inputs are those that it was trained with, if
// its run says which; otherwise, all columns but the target and the sensitive ones, or with these if there are as many then.
func (q *Request) partsFor(ctx context.Context, src *training.Source, shape []int) (*dataset.Parts, error) {
	own, as := q.OwnData(), src.Options
	if q.trainedOn(src) {
		as = own.Options
	} else if own != nil {
		as.Target, as.Sensitive = own.Target, own.Sensitive
	}
	if as.Numbers = true; own != nil {
		src.InputsOf = &as
	}
	parts, err := q.openParts(ctx, "Data", src)
	if err != nil && own != nil && ctx.Err() == nil { // the columns of its training may not be there
		as, src.InputsOf = src.Options, nil
		parts, err = q.openParts(ctx, "Data", src)
	}
	if err != nil || parts.Train.Columns == nil || len(shape) == 0 || nn.Size(shape) == nn.Size(parts.Train.Shape) {
		return parts, err
	}
	as.Sensitive, as.Numbers, src.InputsOf = nil, true, &as
	all, err := q.openParts(ctx, "Data", src)
	if err != nil || nn.Size(shape) != nn.Size(all.Train.Shape) {
		return parts, ctx.Err() // which do not fit
	}
	all.Notes = append(all.Notes, fmt.Sprintf("The model takes %d inputs, and there are %d without the sensitive columns: it was given sensitive columns too. If it was not trained on them, its answers mean nothing: give a file with exactly the columns that it takes, the target and the sensitive ones.", nn.Size(shape), nn.Size(parts.Train.Shape)))
	return all, nil
}

// readForeign reads the examples as inputs of another program's model: preprocessed as it was
// trained with, or the columns that a model of ai.onnx.ml takes, as they are.
func (q *Request) readForeign(ctx context.Context, m *measure.Model, shape []int) (*Examples, error) {
	columns := m.Preprocess.IsZero()
	switch {
	case q.Data == "" || q.Data == dataset.KindGlyphs:
		return nil, wrong("Preprocess", "", "requires --data with pictures or numbers")
	case q.Size != 0 || q.Part == PartAll:
		return nil, wrong("Part", "settings such as resize=224 set the size; a table without parts is read whole", "data that are read as another program's inputs have one --part, and no --size")
	}
	src := &training.Source{Path: dataPath(q.Data), Options: dataset.Options{Seed: q.Seed}}
	q.settle(src)
	x := &Examples{Source: src, Part: cmp.Or(q.Part, string(dataset.Test))}
	o := dataset.Options{
		Split: dataset.Split(q.Part), Kind: src.Kind, Preprocess: m.DataPreprocess(), Labels: src.Labels, FileColumn: src.FileColumn, SkipMissing: src.SkipMissing,
		Target: q.Target, Sensitive: q.Sensitive, Numbers: true, Seed: src.Seed, Shape: shape, Progress: q.progress("reading the data"),
	}
	if q.untargeted() {
		o.Target = dataset.NoTarget
	}
	if len(shape) > 0 {
		o.ModelInputs = nn.Size(shape)
	}
	if columns {
		o.Columns, o.Words, o.Missing = m.Graph.Columns, m.Graph.Words, true
	} else {
		x.notes = m.Notes()
	}
	if q.Examples != "" {
		o.Choose = func(n int) ([]int, error) { return measure.ChooseExamples("Examples", q.Examples, n, q.Seed) }
	}
	set, notes, err := dataset.OpenInputs(ctx, src.Path, o)
	if err != nil {
		return nil, wrongFile(ctx, "Data", err)
	}
	x.Set, x.notes = set, append(x.notes, notes...)
	return x, nil
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
	case of == 0 && q.trainedOn(x.Source) && x.Part != string(dataset.Test):
		note = "The model was trained on examples of this part."
	default:
		return
	}
	s.Notes = append(s.Notes, note+" What it remembers of them counts, too. An audit of the test part (--part test) is about new examples.")
}

// part returns the part of the data that is audited: the test part if a model was trained
// on these data.
func (q *Request) part(src *training.Source) string {
	switch {
	case q.Part != "":
		return q.Part
	case q.trainedOn(src), q.Reference != "" && q.sameData(src):
		return string(dataset.Test)
	}
	return PartAll
}

// sameData reports whether references are trained on the audited data.
func (q *Request) sameData(src *training.Source) bool {
	return dataPath(q.Reference) == src.Path && (q.Reference == dataset.KindGlyphs) == (src.Kind == dataset.KindGlyphs)
}

// partOf returns one part of the data, or all of them one after the other.
func partOf(p *dataset.Parts, part string) (*dataset.Set, error) {
	var all []*dataset.Set
	for _, x := range []struct {
		name dataset.Split
		set  *dataset.Set
	}{{dataset.Train, p.Train}, {dataset.Validation, p.Validation}, {dataset.Test, p.Test}} {
		if x.set != nil && x.set.Len() > 0 && (part == PartAll || part == string(x.name)) {
			all = append(all, x.set)
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
		var sensitive []string
		for _, a := range x.Set.Sensitive {
			sensitive = append(sensitive, a.Name)
		}
		hint = fmt.Sprintf("the inputs of a table are all columns except the target (%s) and the sensitive ones (%s): name those that the model was trained with by --target and --sensitive; if its columns were prepared by another program, audit its outputs with --outputs", x.Set.YName, strings.Join(sensitive, ", "))
	}
	return wrong("Model", hint, "it takes inputs of shape %v, but the data have inputs of shape %v", shape, is)
}
