package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/curious/training"
)

// openTraining reads the training data of the references.
func (q *Request) openTraining(ctx context.Context, s *Subject) error {
	if q.Reference == "" {
		return nil
	}
	x := s.Examples
	if x != nil && x.parts != nil && q.sameData(x.Source) {
		s.Training = x.parts
		if x.Part == dataset.All || x.Part == dataset.Train {
			s.Notes = append(s.Notes, "The references learned from some of the audited examples: --part test keeps them apart.")
		}
		return nil
	}
	src := q.source(q.Reference, nil)
	src.Limit = q.Limit.Others()
	if q.Outputs != "" || x != nil && !q.sameData(x.Source) {
		src.Group = "" // that is of the audited data
	}
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
func (q *Request) net(s *Subject) (netMaker, error) {
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

// trainable returns the parts without numeric attributes, which classifiers are not trained with.
func trainable(p *dataset.Parts) *dataset.Parts {
	return &dataset.Parts{Train: classesOnly(p.Train), Validation: classesOnly(p.Validation), Test: classesOnly(p.Test), Notes: p.Notes}
}

// classesOnly returns the set, which may be nil, without its numeric attributes.
func classesOnly(set *dataset.Set) *dataset.Set {
	if set == nil || !slices.ContainsFunc(set.Sensitive, func(a dataset.Attribute) bool { return a.Numeric() }) {
		return set
	}
	s := *set
	s.Sensitive = slices.DeleteFunc(slices.Clone(s.Sensitive), func(a dataset.Attribute) bool { return a.Numeric() })
	s.SHA256 = s.Sum()
	return &s
}
