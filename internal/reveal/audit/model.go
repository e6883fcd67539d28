package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/curious"
)

// fromModel evaluates a net on a set with its target and sensitive attributes: a classifier, whose outputs are soft if
// every row is a distribution, as after a Softmax; or the net up to the node or the tensor called at, whose output is a
// vector. Nodes that are not needed for that may be computed, too.
func fromModel(ctx context.Context, g *nn.Graph, at string, set *dataset.Set) (*Sample, error) {
	if err := auditable(set); err != nil {
		return nil, err
	}
	a := &answers{classes: curious.ClassesOf(g)}
	if at != "" {
		node := g.Node(at)
		if node == nil {
			_, _, err := g.Cut(at) // which lists similar names
			return nil, fmt.Errorf("%w; tattle inspect lists the nodes", err)
		}
		shapes, err := g.Shapes()
		if err != nil {
			return nil, err
		}
		width := nn.Size(shapes[node.Output])
		if err := checkWidth(width, set.Len()); err != nil {
			return nil, fmt.Errorf("node %q: %w; choose another node, or fewer examples", at, err)
		}
		g = &nn.Graph{Name: g.Name, Input: g.Input, InputShape: g.InputShape, Output: node.Output, Nodes: g.Nodes[:slices.Index(g.Nodes, node)+1]}
		a.kind = Vector
	}
	var err error
	if a.outputs, err = curious.Predict(ctx, g, set); err != nil {
		return nil, err
	}
	s, err := a.ofSet(set)
	if err == nil && at != "" {
		s.note("the output of the node %s is audited, %d numbers", file.Shown(at), s.Width)
	}
	return s, err
}

// ofSet makes the sample of the answers and the labels of a set; without a target, or with a numeric one, they are
// vectors.
func (a *answers) ofSet(set *dataset.Set) (*Sample, error) {
	if err := checkOutputs(a.outputs, set.Len(), 0, set.Len()); err != nil {
		return nil, err
	}
	a.width, a.sensitive, a.group, a.ordered = len(a.outputs)/set.Len(), set.Sensitive, set.Group, true
	a.place = func(i int) string { return fmt.Sprintf("example %d (from 0)", i) }
	if set.Y == nil || set.YNumbers != nil {
		a.kind = Vector
	}
	if set.Y != nil {
		a.target = &Attribute{Name: cmp.Or(set.YName, "y"), Values: slices.Clone(set.YNames), Labels: set.Y, Numbers: set.YNumbers}
		for i := len(set.YNames); i <= slices.Max(set.Y); i++ {
			a.target.Values = append(a.target.Values, strconv.Itoa(i))
		}
	}
	s, err := a.sample()
	if err != nil {
		return nil, err
	}
	s.Name = set.Name
	return s, nil
}

// auditable returns an error if a set lacks what an audit needs, or has names that a file of
// outputs cannot have: this is found before the model is run.
func auditable(set *dataset.Set) error {
	switch {
	case set.Len() == 0:
		return errors.New("the data has no examples: give some")
	case len(set.Sensitive) == 0:
		return &measure.OptionError{Option: "Sensitive", Err: errors.New("the data has no sensitive attribute: name a column, or a rule that makes one")}
	}
	return checkNames(set.YNames, set.Sensitive)
}

// checkWidth returns an error unless each of n examples can have as many outputs.
func checkWidth(width, n int) error {
	if most := min(maxColumns, maxScores/n); width < 1 || width > most {
		return fmt.Errorf("%d outputs of each example: want 1 to %d of each of %d", width, most, n)
	}
	return nil
}

// checkOutputs returns an error unless n examples have equally many outputs, all of them finite. The first of the
// examples is number from of the set, which has total examples.
func checkOutputs(outputs []float32, n, from, total int) error {
	width := len(outputs) / n
	if width*n != len(outputs) {
		return fmt.Errorf("%d outputs of %d examples: want as many for each", len(outputs), n)
	}
	for i, v := range outputs {
		if v-v != 0 {
			return fmt.Errorf("example %d (from 0): output %d is %v: a model whose outputs are not finite cannot be audited; check the preprocessing of its inputs", from+i/width, i%width, v)
		}
	}
	return checkWidth(width, total)
}
