package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/curious"
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
	w, err := training.ParseWidths(own.Settings["widths"])
	if err != nil {
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

// recipe returns how it is known that the references have the recipe of the audited model:
// because the request says so, or by the record of the model's own run beside it. If the
// recipes differ the note says how. shortened reports that the references learned from less
// than all examples and epochs.
func (q *Request) recipe(s *Subject, shortened bool) (recipe Recipe, note string, err error) {
	if q.SameRecipe {
		return RecipeStated, "", nil
	}
	own := q.ownResult()
	if own == nil || s.Model == nil || s.Training == nil {
		return RecipeUnknown, "", nil // the report's reasons say so
	}
	other, err := q.otherRecipe(s, own)
	if err != nil {
		return RecipeUnknown, "", err
	}
	if shortened {
		other = append(other, "examples and epochs, to bound the time")
	}
	if len(other) == 0 {
		return RecipeCompared, "", nil
	}
	return RecipeUnknown, fmt.Sprintf("The references are of another recipe than the record of the model's own run: %s.", strings.Join(other, "; ")), nil
}

// recipeSettings are the settings of a training that are part of its recipe: not its seed,
// and not what an attack adds to the honest loss.
var recipeSettings = []string{"outputs", "epochs", "batch", "learning rate", "target", "widths"}

// otherRecipe lists in what the references' recipe differs from the record of the audited
// model's run.
func (q *Request) otherRecipe(s *Subject, own *training.Result) ([]string, error) {
	seed := training.Seed{Options: curious.Options{Attack: curious.Standard, Outputs: s.Sample.Kind, Epochs: s.Epochs}, Widths: q.widths()}
	reference := seed.Settings(s.Training)
	var other []string
	for _, key := range recipeSettings {
		if is, was := reference[key], own.Settings[key]; is != was {
			other = append(other, fmt.Sprintf("%s %q, the model has %q", key, is, was))
		}
	}
	if own.Learned != s.Training.Learned() {
		other = append(other, "other data, or another division of them")
	}
	net, err := q.net(s)
	if err != nil {
		return nil, err
	}
	if net == nil {
		net = curious.DefaultNet(s.Training.Train.Shape)
	}
	// The settings decide the net: unless another version of the program makes it, or the file is another one, they have as many parameters.
	if g := net(len(s.Training.Train.YNames), 0); g.ParamCount() != own.Parameters || !own.Whole(filepath.Dir(q.Model)) {
		other = append(other, "another architecture")
	}
	return other, nil
}
