package tattle

import (
	"context"
	"errors"
	"fmt"

	"tattle/internal/data/dataset"
	"tattle/internal/protect/design"
	"tattle/internal/protect/release"
	"tattle/internal/protect/shape"
)

// Examples are inputs with their classes, from 0.
type Examples struct {
	Inputs [][]float32
	Labels []int
}

// Promise limits every adversary. A limit of zero asks for nothing.
type Promise struct {
	Identify float64 // probability that an adversary with a list of the training inputs names the input with one guess, at most
	Bits     float64 // revealed about which of them the input is, at most
	Worst    float64 // probability of naming one of Among equally likely inputs, whatever the data, at most
	Among    int     // 0: as many as there are training inputs
	Floor    float64 // root-mean-square error of an adversary without a list, at least, in the units of the inputs
}

// A Design is a release that was found to keep a promise. Its figures are those of the search, on training data.
type Design struct {
	Model      *Model // whose features are what is to be released
	Noise      Noise  // to be added to them
	Accuracy   float64
	Clean      float64 // accuracy of the model without any noise
	Identified float64 // probability that the best adversary with the list names the input
}

// Design searches for the least lattice noise that keeps a promise at the least cost in accuracy, and for linear
// functions of the features and a small head that answer better under it. The model's outputs are scores of the
// classes: [Vectors] have none, and Design returns an error. [Model.Identify] then measures what it promises, on other draws.
func (m *Model) Design(ctx context.Context, train, test Examples, p Promise, seed uint64) (*Design, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if m.vectors {
		return nil, errors.New("vectors have no classes whose accuracy a design could keep: the command tattle design --vectors keeps what they are used for")
	}
	learned, err := m.set("the training data", train)
	if err != nil {
		return nil, err
	}
	measured, err := m.set("the test data", test)
	if err != nil {
		return nil, err
	}
	a, err := design.Search(ctx, m.graph, learned, measured, design.Options{Limits: design.Limits{Identify: p.Identify, Bits: p.Bits, Floor: p.Floor, Worst: p.Worst, Among: p.Among}, Seed: seed, Nodes: []string{m.node}})
	if err != nil {
		return nil, err
	}
	if a.Best == nil {
		return nil, errors.New("no noise keeps the promise: promise less")
	}
	d := &Design{Noise: Noise{Sigma: a.Best.Sigma, ClipNorm: a.Best.Radius}, Accuracy: a.Best.Accuracy[0], Clean: a.Clean, Identified: a.Best.Identified}
	g, node := a.Model, design.Node
	if a.Best.Radius > 0 { // about the mean of the training data, which then is zero: the clip of the noise changes no more
		front, head, err := release.Spec{Node: node, ClipNorm: a.Best.Radius}.Build(ctx, g, learned)
		if err != nil {
			return nil, err
		}
		node, g = front.Output, shape.Join(front, head)
	}
	d.Model, err = cut(g, node)
	return d, err
}

// set makes a data set of examples.
func (m *Model) set(what string, e Examples) (*dataset.Set, error) {
	if err := m.checkAll(what, e.Inputs); err != nil {
		return nil, err
	}
	if len(e.Labels) != len(e.Inputs) {
		return nil, fmt.Errorf("%s: %d labels of %d inputs: give one for each", what, len(e.Labels), len(e.Inputs))
	}
	_, classes := m.head.Dims()
	s := &dataset.Set{Name: what, Shape: m.graph.InputShape, Y: e.Labels, YName: "class", YNames: numbered(classes - 1)}
	for i, x := range e.Inputs {
		if e.Labels[i] < 0 || e.Labels[i] >= classes {
			return nil, fmt.Errorf("%s, input %d: class %d of %d", what, i, e.Labels[i], classes)
		}
		s.Values = append(s.Values, x...)
	}
	s.SHA256 = s.Sum()
	return s, nil
}
