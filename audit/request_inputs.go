package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tattle/curious/training"
	"tattle/dataset"
	"tattle/measure"
	"tattle/nn"
)

// readForeign reads the examples as inputs of another program's model: preprocessed as it was
// trained with, or the columns that a model of ai.onnx.ml takes, as they are.
func (q *Request) readForeign(ctx context.Context, m *measure.Model, shape []int) (*Examples, error) {
	columns := m.Preprocess.IsZero()
	switch {
	case columns && (len(q.Sensitive) == 0 || q.Target == "" && q.At == ""):
		return nil, wrong("Sensitive", "", "a model of ai.onnx.ml requires --target (a column of the table, or none) and --sensitive")
	case columns && q.Part == PartAll:
		return nil, wrong("Part", "leave it out: a table without parts is read whole", "one part is read of a table")
	case q.Data == "" || q.Data == dataset.KindGlyphs:
		return nil, wrong("Preprocess", "", "requires --data with pictures or numbers")
	case q.Size != 0 || q.Part == PartAll:
		return nil, wrong("Preprocess", "settings such as resize=224 set the size; --part names one part", "cannot be used with --size or --part all")
	case len(q.Sensitive) == 0:
		return nil, wrong("Preprocess", "", "requires --sensitive, the columns of the sensitive attributes")
	}
	src := &training.Source{Path: dataPath(q.Data), Seed: q.Seed}
	q.settle(src)
	target := q.Target
	if q.untargeted() {
		target = dataset.NoTarget
	}
	x := &Examples{Source: src, Part: cmp.Or(q.Part, string(dataset.Test))}
	asked, err := splitSensitive(q.Sensitive, nil)
	if err != nil {
		return nil, &measure.OptionError{Option: "Sensitive", Err: err}
	}
	o := dataset.InputOptions{
		Split: dataset.Split(q.Part), Kind: src.Kind, Preprocess: m.DataPreprocess(), Labels: src.Labels, FileColumn: src.FileColumn, SkipMissing: src.SkipMissing,
		Target: target, Sensitive: asked.read, Numbers: true, Seed: src.Seed, Shape: shape, Progress: q.progress("reading the data"),
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
		o.Choose = q.choose
	}
	set, notes, err := dataset.OpenInputs(ctx, src.Path, o)
	if err != nil {
		return nil, wrongFile(ctx, "Data", err)
	}
	x.Set, x.notes = set, append(x.notes, notes...)
	if err := asked.makeIn(x.Set); err != nil {
		return nil, &measure.OptionError{Option: "Sensitive", Err: err}
	}
	x.Set.SHA256 = x.Set.Sum()
	if q.untargeted() {
		x.Set = withoutTarget(x.Set)
	}
	return x, nil
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
	p.Notes = append(slices.Clone(p.Notes), fmt.Sprintf("The model takes %d inputs, and there are %d without the sensitive columns: it was given sensitive columns too. If it was not trained on them, its answers mean nothing: give a file with exactly the columns that it takes, the target and the sensitive ones.", nn.Size(inputs.Train.Shape), nn.Size(labels.Train.Shape)))
	return p
}
