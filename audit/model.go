package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/dataset"
	"tattle/nn"
)

// fromModel evaluates a classifier on a set with its target and sensitive attributes.
// Outputs are soft if every row is a distribution, as after a Softmax.
func fromModel(ctx context.Context, g *nn.Graph, set *dataset.Set) (*Sample, error) {
	if err := auditable(set); err != nil {
		return nil, err
	}
	outputs, err := curious.Predict(ctx, g, set)
	if err != nil {
		return nil, err
	}
	return fromSet(set, outputs, curious.ClassesOf(g))
}

// vectorSample returns a sample of vectors: what a node of a net, or a classifier without a target,
// answered of each example.
func vectorSample(set *dataset.Set, outputs []float32) (*Sample, error) {
	s := unasked(set, Vector, 0)
	s.Width, s.Outputs = len(outputs)/set.Len(), outputs
	for i := len(s.Classes); i <= slices.Max(s.Y); i++ {
		s.Classes = append(s.Classes, fmt.Sprintf("class %d", i))
	}
	if set.YNumbers != nil {
		s.YNumbers = slices.Clone(set.YNumbers)
		s.cut()
	}
	if untargeted(set) || len(s.Classes) < 2 {
		s.YNumbers, s.Target, s.Classes, s.Y = nil, "", []string{anyClass}, make([]int, set.Len())
		s.Notes = append(s.Notes, noTargetNote)
	}
	if err := checkFinite(outputs, s.Width, 0); err != nil {
		return nil, err
	}
	return s, s.Check()
}

// untargeted reports whether a set has no target: one class of y, without a name.
func untargeted(set *dataset.Set) bool {
	return set.YName == "" && len(set.YNames) == 0 && slices.Max(set.Y) == 0
}

// fromNode evaluates a net on a set up to a node, or the tensor of that name, whose output is a
// vector. Nodes that it does not need may be computed, too.
func fromNode(ctx context.Context, g *nn.Graph, name string, set *dataset.Set) (*Sample, error) {
	if err := auditable(set); err != nil {
		return nil, err
	}
	at := g.Node(name)
	if at == nil {
		_, _, err := g.Cut(name) // which lists similar names
		return nil, fmt.Errorf("%w; tattle inspect lists the nodes", err)
	}
	shapes, err := g.Shapes()
	if err != nil {
		return nil, err
	}
	width := nn.Size(shapes[at.Output])
	if width < 1 || width > maxColumns || width > maxScores/set.Len() {
		return nil, fmt.Errorf("node %q has %d numbers for each of %d examples: want at most %d, and %d of all examples; choose another node, or fewer examples", name, width, set.Len(), maxColumns, maxScores)
	}
	front := &nn.Graph{Name: g.Name, Input: g.Input, InputShape: g.InputShape, Output: at.Output, Nodes: g.Nodes[:slices.Index(g.Nodes, at)+1]}
	outputs, err := curious.Predict(ctx, front, set)
	if err != nil {
		return nil, err
	}
	s, err := vectorSample(set, outputs)
	if err != nil {
		return nil, err
	}
	s.Notes = append(s.Notes, fmt.Sprintf("the output of the node %s is audited, %d numbers", showName(name), width))
	return s, nil
}

// unasked returns a sample with the labels of a set's examples but without outputs: the
// classifier, which has the given number of classes or as many as the data, has not been applied
// to them.
func unasked(set *dataset.Set, kind curious.Outputs, classes int) *Sample {
	s := &Sample{
		Name: set.Name, Kind: kind, Y: slices.Clone(set.Y), Target: cmp.Or(set.YName, "y"), Classes: slices.Clone(set.YNames),
		Sensitive: slices.Clone(set.Sensitive),
	}
	for i := len(s.Classes); i < classes; i++ {
		s.Classes = append(s.Classes, fmt.Sprintf("output %d", i))
	}
	return s
}

// auditable returns an error if a set lacks what an audit needs, or has names that a file of
// outputs cannot have: this is found before the model is run.
func auditable(set *dataset.Set) error {
	switch {
	case set.Len() == 0:
		return errors.New("the data has no examples: give some")
	case !set.Labelled():
		return errors.New("the data has no labels: name the column of the target")
	case len(set.Sensitive) == 0:
		return errors.New("the data has no sensitive attribute: name one, or a rule that makes it")
	}
	return checkNames(namesOf(set))
}

// namesOf are those of a set's classes and attributes.
func namesOf(set *dataset.Set) []string {
	names := slices.Clone(set.YNames)
	for _, a := range set.Sensitive {
		names = append(append(names, a.Name), a.Values...)
	}
	return names
}

// fromSet joins outputs [n, Y] of the examples of a set to their labels; model are the
// names of the model's classes, nil if they are not known.
func fromSet(set *dataset.Set, outputs []float32, model []string) (*Sample, error) {
	width := len(outputs) / set.Len()
	if width < 1 || len(outputs) != width*set.Len() {
		return nil, fmt.Errorf("%d outputs of %d examples: want as many for each", len(outputs), set.Len())
	}
	if untargeted(set) || set.YNumbers != nil {
		return vectorSample(set, outputs)
	}
	classes, err := classNames(set, width)
	if err != nil {
		return nil, err
	}
	s := unasked(set, "", 0)
	s.Classes = classes
	if model == nil && len(classes) > max(len(set.YNames), 2) {
		s.Notes = append(s.Notes, fmt.Sprintf("there are %d outputs, and the data have %d classes of %s: the other outputs are of classes without examples here", width, len(set.YNames), showName(set.YName)))
	}
	if err := s.matchClasses(len(set.YNames), model); err != nil {
		return nil, err
	}
	if err := checkFinite(outputs, width, 0); err != nil {
		return nil, err
	}
	place := func(i int) string { return fmt.Sprintf("example %d (from 0)", i) }
	if err := s.settle(outputs, width, "", place); err != nil {
		return nil, err
	}
	return s, s.Check()
}

// checkFinite refuses outputs [n, width] of the examples from one on that hold NaN or
// an infinity.
func checkFinite(outputs []float32, width, from int) error {
	for i, v := range outputs {
		if v-v != 0 {
			return fmt.Errorf("example %d (from 0): output %d is %v: a model whose outputs are not finite cannot be audited; check the preprocessing of its inputs", from+i/width, i%width, v)
		}
	}
	return nil
}

// classNames returns a name for each of width outputs: those of the set and, if the
// model has more classes, numbers.
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

// matchClasses puts the labels in the order of the model's classes; the data name the first
// known of them. If the model lacks some of these names, the order stays, with a note. It
// returns an error if both have a name, but at different places: the model's accuracy would
// then be that of chance.
func (s *Sample) matchClasses(known int, model []string) error {
	if len(model) == 0 || slices.Equal(model, s.Classes) {
		return nil
	}
	data := s.Classes[:known]
	of, all := byName(data, model, strings.Clone)
	moved := false
	for k, name := range model {
		i := slices.Index(data, name)
		moved = moved || i >= 0 && i != k
	}
	switch {
	case all && len(model) == len(s.Classes) && slices.Max(s.Y) < known:
		for i, y := range s.Y {
			s.Y[i] = of[y]
		}
		s.Classes = slices.Clone(model)
		if moved {
			s.Notes = append(s.Notes, fmt.Sprintf("the model has its classes in the order %s, the data in the order %s: labels go by their names", showNames(model), showNames(data)))
		}
	case moved:
		return fmt.Errorf("the model says that its classes are %s, the data's are %s: name the target that it was trained on, or a rule that makes its classes", showNames(model), showNames(data))
	default:
		s.Notes = append(s.Notes, fmt.Sprintf("the model says that its classes are %s, the data's are %s: unless these are the same, name the target that it was trained on", showNames(model), showNames(s.Classes)))
	}
	return nil
}
