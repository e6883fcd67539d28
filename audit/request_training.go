package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tattle/curious/training"
	"tattle/dataset"
	"tattle/measure"
	"tattle/nn"
	"tattle/nn/zoo"
	"tattle/run"
)

// Prepare trains what the figures of the audit are compared with and checked by, as a
// Preparation does. Trainings of an interrupted audit in the folder are not repeated with
// Resume. The folder is nil if there was nothing to train.
func (q *Request) Prepare(ctx context.Context, dir string, s *Subject, pool run.Pool) (*run.Folder, error) {
	if !s.Sample.varied() {
		return nil, nil
	}
	if err := q.openTraining(ctx, s); err != nil {
		return nil, err
	}
	o, err := q.preparation(s)
	if err != nil {
		return nil, err
	}
	s.Epochs = o.ReferenceEpochs()
	p, err := prepare(&s.Record, o)
	if err != nil {
		return nil, err
	}
	settings, hashes := p.Settings()
	settings.Inputs, settings.Widths = s.inputs, q.widths()
	if s.Model != nil {
		hashes["model"] = s.Model.SHA256
	}
	what := "training a classifier, percent done"
	if n := len(p.Trainings()); n != 1 {
		what = fmt.Sprintf("training %d classifiers, percent done", n)
	}
	trained := q.progress(what)
	return p.Train(ctx, dir, TrainOptions{
		Settings: settings, Hashes: hashes, Pool: pool, Resume: q.Resume,
		Progress: func(done, total int) { trained(100*done/max(total, 1), 100) },
	})
}

// preparation returns the options of the trainings.
func (q *Request) preparation(s *Subject) (o prepareOptions, err error) {
	o = prepareOptions{
		Training: s.Training, Seed: q.Seed, References: q.References, Epochs: q.Epochs, MaxEpochs: q.MaxEpochs, PlantedGlyphs: q.PlantedGlyphs, Settled: q.Settled,
		Recipe: func(shortened bool) (Recipe, string, error) { return q.recipe(s, shortened) },
	}
	if s.Model != nil {
		o.Model = s.Model.Graph
	}
	if s.Examples != nil {
		o.Examples = s.Examples.Set
	}
	o.Net, err = q.net(s)
	return o, err
}

// openTraining reads the training data of the references.
func (q *Request) openTraining(ctx context.Context, s *Subject) error {
	if q.Reference == "" {
		return nil
	}
	x := s.Examples
	if x != nil && x.parts != nil && q.sameData(x.Source) {
		s.Training = x.parts
		if x.Part == PartAll || x.Part == string(dataset.Train) {
			s.Notes = append(s.Notes, "The references learned from some of the audited examples: --part test keeps them apart.")
		}
		return nil
	}
	src := q.sourceAt(q.Reference)
	q.settle(src)
	if x != nil && q.Labels != "" && !q.sameData(x.Source) {
		src.Labels = "" // those are of the audited data
	}
	q.sameTask(src, s)
	parts, err := q.openParts(ctx, "Reference", src)
	if option := (*measure.OptionError)(nil); errors.As(err, &option) && option.Hint == "" && q.Outputs != "" {
		option.Hint = "--reference-target and --reference-sensitive name the columns of the training data if the outputs call them otherwise"
	}
	if err != nil {
		return err
	}
	s.Training = parts
	if x == nil || x.parts == nil {
		s.Unpaired = true
	} else if parts.Train.Values != nil {
		s.Notes = append(s.Notes, "Inputs of both tables are standardised by their own training parts: a reference gets the audited rows in the other table's scale.")
	}
	return nil
}

// sameTask completes how the training data are read by what is known of the audited
// examples.
func (q *Request) sameTask(src *training.Source, s *Subject) {
	if x := s.Examples; x != nil {
		src.Target = cmp.Or(src.Target, x.Source.Target)
		if len(src.Sensitive) == 0 {
			src.Sensitive = x.Source.Sensitive
		}
		if shape := x.Set.Shape; src.Side == 0 && x.parts != nil && len(shape) == 3 && shape[1] == shape[2] {
			src.Side = shape[1]
		}
		return
	}
	if q.ReferenceTarget != "" {
		src.Target = q.ReferenceTarget
	} else if src.Target == "" && !slices.Contains([]string{"y", "target", "label", "labels"}, s.Sample.Target) {
		src.Target = s.Sample.Target
	}
	if len(q.ReferenceSensitive) > 0 {
		src.Sensitive = q.ReferenceSensitive
	} else if len(src.Sensitive) == 0 {
		for _, a := range s.Sample.Sensitive {
			src.Sensitive = append(src.Sensitive, a.Name)
		}
	}
}

// widths returns the widths of the references' layers: those that are asked for, else those
// of the audited model, if its run says so. Zero leaves the choice to the inputs' shape.
func (q *Request) widths() [5]int {
	if q.Settled != nil {
		return q.Settled.Widths
	}
	own := q.ownResult()
	if q.Widths != [5]int{} || own == nil {
		return q.Widths
	}
	var w [5]int
	if n, _ := fmt.Sscanf(own.Settings["widths"], "%d-%d-%d-%d-%d", &w[0], &w[1], &w[2], &w[3], &w[4]); n < len(w) || slices.Min(w[:]) < 1 {
		return [5]int{}
	}
	return w
}

// net returns what makes references, nil to choose by the inputs' shape.
func (q *Request) net(s *Subject) (func(classes int, seed uint64) *nn.Graph, error) {
	widths := q.widths()
	if s.Training == nil || widths == [5]int{} {
		return nil, nil
	}
	shape := s.Training.Train.Shape
	if err := training.CheckWidths(widths, shape); err != nil {
		if q.Widths == [5]int{} {
			return nil, nil
		}
		return nil, &measure.OptionError{Option: "ReferenceWidths", Err: err, Hint: "leave them out"}
	}
	return zoo.CuriousOf(shape, widths), nil
}
