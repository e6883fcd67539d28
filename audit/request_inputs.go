package audit

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"tattle/curious/training"
	"tattle/dataset"
	"tattle/measure"
	"tattle/nn"
)

// readForeign reads the examples as inputs of another program's model: pictures are
// preprocessed as it was trained with. Each attribute is read on its own, because the reader
// takes one label.
func (q *Request) readForeign(ctx context.Context, m *measure.Model, shape []int) (*Examples, error) {
	switch {
	case q.Data == "" || q.Data == dataset.KindGlyphs:
		return nil, wrong("Preprocess", "", "requires --data with pictures")
	case q.Size != 0 || q.Part == PartAll:
		return nil, wrong("Preprocess", "settings such as resize=224 set the size; --part names one part", "cannot be used with --size or --part all")
	case len(q.Sensitive) == 0:
		return nil, wrong("Preprocess", "", "requires --sensitive, the columns of the sensitive attributes")
	}
	src := &training.Source{Path: dataPath(q.Data), Seed: q.Seed}
	q.settle(src)
	x := &Examples{Source: src, Part: q.Part, notes: m.Notes()}
	if x.Part == "" {
		x.Part = string(dataset.Test)
	}
	asked, err := splitSensitive(q.Sensitive, nil)
	if err != nil {
		return nil, &measure.OptionError{Option: "Sensitive", Err: err}
	}
	for i, rule := range append([]string{q.Target}, asked.read...) {
		set, notes, err := q.readInputs(ctx, x, m, shape, rule)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			x.Set, x.notes = set, append(x.notes, notes...)
			x.Set.Sensitive = nil
			continue
		}
		if !set.Labelled() || !sameInputs(x.Set, set) {
			return nil, wrong("Sensitive", "give labels in which no example lacks either, or a rule with a class for all others, as \"race: White; *\"", "%s leaves out other examples than the target does", rule)
		}
		a := dataset.Attribute{Name: set.YName, Values: set.YNames, Labels: set.Y}
		if strings.HasSuffix(rule, dataset.NumberSuffix) {
			a = set.Sensitive[0]
		}
		x.Set.Sensitive = append(x.Set.Sensitive, a)
	}
	if err := asked.makeIn(x.Set); err != nil {
		return nil, &measure.OptionError{Option: "Sensitive", Err: err}
	}
	x.Set.SHA256 = x.Set.Sum()
	return x, nil
}

// readColumns reads the rows of a table as the columns that a model takes.
func (q *Request) readColumns(ctx context.Context, g *nn.Graph) (*Examples, error) {
	switch {
	case len(q.Sensitive) == 0 || q.Target == "":
		return nil, wrong("Sensitive", "", "a model of ai.onnx.ml requires --target and --sensitive, columns of the table")
	case q.Part == PartAll:
		return nil, wrong("Part", "leave it out: a table without parts is read whole", "one part is read of a table")
	}
	src := &training.Source{Path: dataPath(q.Data), Seed: q.Seed}
	q.settle(src)
	x := &Examples{Source: src, Part: q.Part}
	asked, err := splitSensitive(q.Sensitive, nil)
	if err != nil {
		return nil, &measure.OptionError{Option: "Sensitive", Err: err}
	}
	o := dataset.InputOptions{Split: dataset.Split(q.Part), Kind: src.Kind, Target: q.Target, Sensitive: asked.read, Numbers: true, Seed: src.Seed,
		Columns: g.Columns, Words: g.Words, Missing: true, Shape: g.InputShape, Progress: q.progress("reading the data")}
	if q.Examples != "" {
		o.Choose = q.choose
	}
	if x.Set, x.notes, err = dataset.OpenInputs(ctx, src.Path, o); err != nil {
		return nil, wrongData(ctx, "Data", err)
	}
	if err := asked.makeIn(x.Set); err != nil {
		return nil, &measure.OptionError{Option: "Sensitive", Err: err}
	}
	x.Set.SHA256 = x.Set.Sum()
	if x.Part == "" {
		x.Part = string(dataset.Test)
	}
	return x, nil
}

// readInputs reads the pictures with one of their labels, or with the target and the numbers of a
// column.
func (q *Request) readInputs(ctx context.Context, x *Examples, m *measure.Model, shape []int, rule string) (*dataset.Set, []string, error) {
	o := dataset.InputOptions{
		Split: dataset.Split(x.Part), Kind: x.Source.Kind, Preprocess: m.DataPreprocess(), Labels: x.Source.Labels, FileColumn: x.Source.FileColumn, SkipMissing: x.Source.SkipMissing,
		Target: rule, Seed: x.Source.Seed, Shape: shape, Cache: x.Source.Cache, Progress: q.progress("reading the data"),
	}
	if strings.HasSuffix(rule, dataset.NumberSuffix) {
		o.Target, o.Sensitive, o.Numbers = q.Target, []string{rule}, true
	}
	if q.Examples != "" {
		o.Choose = q.choose
	}
	set, notes, err := dataset.OpenInputs(ctx, x.Source.Path, o)
	return set, notes, wrongData(ctx, "Data", err)
}

// sameInputs reports whether two sets have the same examples in the same order.
func sameInputs(a, b *dataset.Set) bool {
	return a.Len() == b.Len() && bytes.Equal(a.Pixels, b.Pixels) && slices.Equal(a.Values, b.Values)
}

// withColumns gives the rows of a table the inputs that a model of that shape takes. A
// sensitive column that is read as a label is not an input. A model that takes it as an
// input gets it from a second reading.
func (q *Request) withColumns(ctx context.Context, src *training.Source, parts *dataset.Parts, shape []int) (*dataset.Parts, error) {
	if parts.Train.Values == nil || len(shape) == 0 || nn.Size(shape) == nn.Size(parts.Train.Shape) {
		return parts, nil
	}
	readings := [][]string{nil}
	if own := q.OwnData(); own != nil {
		readings = append(readings, own.Sensitive)
	}
	for _, sensitive := range readings {
		other := *src
		other.Sensitive = sensitive
		inputs, err := q.openParts(ctx, "Data", &other)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && nn.Size(inputs.Train.Shape) == nn.Size(shape) {
			if p := withInputs(parts, inputs); p != nil {
				return p, nil
			}
		}
	}
	return parts, nil // which then does not fit
}

// withInputs returns data with the inputs of another reading of the same rows, nil if the
// rows are not the same.
func withInputs(labels, inputs *dataset.Parts) *dataset.Parts {
	one := func(a, b *dataset.Set) *dataset.Set {
		if a == nil || b == nil || a.Len() != b.Len() || !slices.Equal(a.Y, b.Y) || !slices.Equal(a.YNames, b.YNames) {
			return nil
		}
		both := *a
		both.Values, both.Shape = b.Values, b.Shape
		both.SHA256 = both.Sum()
		return &both
	}
	p := &dataset.Parts{Train: one(labels.Train, inputs.Train), Validation: one(labels.Validation, inputs.Validation), Test: one(labels.Test, inputs.Test), Notes: labels.Notes}
	if p.Train == nil || p.Validation == nil || p.Test == nil {
		return nil
	}
	p.Notes = append(slices.Clone(p.Notes), "The model takes sensitive columns among its inputs, or others than these labels leave to it: it was given them.")
	return p
}
