package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tattle/curious"
	"tattle/dataset"
	"tattle/nn"
)

// FromModel evaluates a classifier on a set with its target and sensitive attributes.
// Outputs are soft where every row is a distribution, which those of a Softmax are.
func FromModel(ctx context.Context, g *nn.Graph, set *dataset.Set, o ModelOptions) (*Sample, error) {
	if err := auditable(set); err != nil {
		return nil, err
	}
	outputs, err := curious.Predict(ctx, g, set)
	if err != nil {
		return nil, err
	}
	s, err := fromSet(set, outputs, o)
	if err != nil {
		return nil, err
	}
	s.compareClasses(g)
	return s, nil
}

// ModelOptions says what is known of a model's outputs.
type ModelOptions struct {
	Name string          // of the sample; "" is the set's
	Kind curious.Outputs // "" is Soft where every row is a distribution
}

// auditable says what a set lacks.
func auditable(set *dataset.Set) error {
	switch {
	case set.Len() == 0:
		return errors.New("the data has no examples: give some")
	case !set.Labelled():
		return errors.New("the data has no labels: name the column of the target")
	case len(set.Sensitive) == 0:
		return errors.New("the data has no sensitive attribute: name one, or a rule that makes it")
	}
	return nil
}

// fromSet joins outputs [n, Y] of the examples of a set to their labels.
func fromSet(set *dataset.Set, outputs []float32, o ModelOptions) (*Sample, error) {
	width := len(outputs) / set.Len()
	if width < 1 || len(outputs) != width*set.Len() {
		return nil, fmt.Errorf("%d outputs of %d examples: want as many for each", len(outputs), set.Len())
	}
	classes, err := classNames(set, width)
	if err != nil {
		return nil, err
	}
	s := &Sample{Name: o.Name, Target: set.YName, Classes: classes, Y: slices.Clone(set.Y)}
	if s.Name == "" {
		s.Name = set.Name
	}
	if s.Target == "" {
		s.Target = "y"
	}
	for _, a := range set.Sensitive {
		s.Sensitive = append(s.Sensitive, Attribute{Name: a.Name, Values: slices.Clone(a.Values), Labels: slices.Clone(a.Labels)})
	}
	for i, v := range outputs {
		if v-v != 0 {
			return nil, fmt.Errorf("example %d (from 0): output %d is %v: a model whose outputs are not finite cannot be audited; look at its inputs' preprocessing", i/width, i%width, v)
		}
	}
	place := func(i int) string { return fmt.Sprintf("example %d (from 0)", i) }
	if err := s.settle(outputs, width, o.Kind, place); err != nil {
		return nil, err
	}
	return s, s.Check()
}

// classNames returns a name for each of width outputs: those of the set and, where the
// model knows more classes, numbers.
func classNames(set *dataset.Set, width int) ([]string, error) {
	want := width
	if width == 1 {
		want = 2
	}
	largest := slices.Max(set.Y)
	if len(set.YNames) > want || largest >= want {
		return nil, fmt.Errorf("the model has %d outputs and %s of the data %d classes: name the target that it was trained on", width, showName(set.YName), max(len(set.YNames), largest+1))
	}
	names := slices.Clone(set.YNames)
	for i := len(names); i < want; i++ {
		name := fmt.Sprintf("output %d", i)
		for slices.Contains(names, name) {
			name += "'"
		}
		names = append(names, name)
	}
	return names, nil
}

// classesKey is where package curious keeps the classes of a net that it trained.
const classesKey = "tattle.classes"

// compareClasses notes where the model says that its classes are others than the
// data's, which would make its accuracy that of chance.
func (s *Sample) compareClasses(g *nn.Graph) {
	var names []string
	if json.Unmarshal([]byte(g.Metadata[classesKey]), &names) != nil || len(names) == 0 || slices.Equal(names, s.Classes) {
		return
	}
	s.Notes = append(s.Notes, fmt.Sprintf("the model says that its classes are %s, the data's are %s: unless these are the same, name the target that it was trained on", showNames(names), showNames(s.Classes)))
}
