package design

import (
	"context"
	"fmt"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
	"tattle/internal/protect/release"
	"tattle/internal/protect/shape"
)

// A Method is a way of making what leaves from the features at a node.
type Method string

// The methods.
const (
	Isotropic    Method = "isotropic"    // the features, with noise of one strength, and the model's own head (A section 3)
	Projected    Method = "projected"    // the principal directions of the features, and a linear head
	Discriminant Method = "discriminant" // Fisher's linear discriminants, and a linear head
	Shaped       Method = "shaped"       // linear functions of the features, learned under the noise with a small head
	Erased       Method = "erased"       // of vectors: principal directions without those that tell protected attributes apart
	Trained      Method = "trained"      // answers to the tasks, by a network that learned them from the features
)

// A trait says for which models a method is tried, and at which places.
type trait struct {
	Method
	labels, vectors bool // tried for a model that answers labels, and for one whose outputs are vectors
	// weights are those of the penalty where a layer is trained. Each makes a place of its own. Larger ones give a release that
	// leaks less at the same noise, and costs more accuracy.
	weights []float64
	parts   []int // of vectors: divisors of the number of features, each a place of its own, where the method keeps the quotient
}

// traits are those of all methods, in the order in which they are tried.
var traits = []trait{
	{Isotropic, true, true, nil, nil},
	{Projected, true, true, nil, []int{2, 4, 8, 16}},
	{Erased, false, true, nil, []int{2, 4, 8, 16}},
	{Discriminant, true, true, nil, nil},
	{Shaped, true, true, []float64{4, 12}, nil},
	{Trained, true, false, []float64{0}, nil},
}

func (m Method) trait() trait {
	return traits[slices.IndexFunc(traits, func(t trait) bool { return t.Method == m })]
}

// known are the methods for the outputs of the model.
func (o *Options) known() (all []Method) {
	for _, t := range traits {
		if o.Use == nil && t.labels || o.Use != nil && t.vectors {
			all = append(all, t.Method)
		}
	}
	return all
}

// places are the nodes and methods of the search, with each weight and part.
func (o *Options) places() (all []place) {
	for _, node := range o.Nodes {
		for _, m := range o.Methods {
			t := m.trait()
			if t.weights == nil {
				t.weights = []float64{0}
			}
			if o.Use == nil || o.Keep > 0 || t.parts == nil {
				t.parts = []int{0}
			}
			for _, w := range t.weights {
				for _, part := range t.parts {
					p := place{Node: node, Method: m, Weight: w, Part: part}
					all = append(all, p)
					if o.Exposed != nil && o.Worst == 0 {
						p.Clip = true
						all = append(all, p)
					}
				}
			}
		}
	}
	return all
}

// protectWeight is the weight of each protected attribute in the loss, relative to that of
// identification.
const protectWeight = .25

// A line is a release at a node without the strength of its noise.
type line struct {
	place
	values rows                                   // of the training data: what noise is added to
	layer  *nn.Graph                              // features to values; nil: they are the features
	head   func(sigma float64) (*nn.Graph, error) // noisy values to logits
	linear bool                                   // head is the linear one that fits best
	scale  float64                                // a strength to begin with

	center     []float64 // of values
	radius     float64   // at which the norm of their differences from it is clipped; 0: none, or by σ
	last       *rows     // the values clipped at lastRadius
	lastRadius float64
}

// line makes the line of a place.
func (s *searcher) line(ctx context.Context, c *cut, p place) (*line, error) {
	l := &line{place: p, values: c.features}
	var err error
	switch p.Method {
	case Isotropic:
		l.head = func(float64) (*nn.Graph, error) { return c.head, nil }
	case Projected:
		l.layer, err = c.principal(s.keep(c, p))
	case Erased:
		l.layer, err = s.erased(ctx, c, s.keep(c, p))
	case Discriminant:
		var d *nn.Dense
		if d, err = c.moments.Discriminant(min(c.moments.Classes-1, c.n)); err == nil {
			l.layer = shape.Chain(Node, []int{c.n}, d)
		}
	case Shaped, Trained:
		err = s.learn(ctx, c, l)
	default:
		return nil, fmt.Errorf("no method %q", p.Method)
	}
	if err != nil {
		return nil, err
	}
	if l.layer != nil {
		if l.values, err = outputs(ctx, l.layer, c.features, nil); err != nil {
			return nil, err
		}
	}
	if l.scale == 0 {
		if l.scale = stat.RMS(l.values.X); l.scale == 0 {
			return nil, fmt.Errorf("all released values are zero")
		}
	}
	l.clip()
	if l.linear = l.head == nil; l.linear {
		l.head = s.headOf(ctx, c, l)
	}
	return l, err
}

// released returns what the line releases of other inputs, without noise and before it is clipped.
func (l *line) released(ctx context.Context, c *cut, data nn.Source) (rows, error) {
	r, err := outputs(ctx, c.front, data, nil)
	if err != nil || l.layer == nil {
		return r, err
	}
	return outputs(ctx, l.layer, r, nil)
}

// headOf returns the linear head that fits best what is released: by the moments of the examples to learn from, with several
// tasks side by side, or to the vectors of the model. It is fitted again where the clip changes the values.
func (s *searcher) headOf(ctx context.Context, c *cut, l *line) func(sigma float64) (*nn.Graph, error) {
	var layer func(sigma float64) (*nn.Dense, error)
	var of *rows // values to which it is fitted
	return func(sigma float64) (*nn.Graph, error) {
		if values := s.clipped(l, sigma); of == nil || of != l.last {
			if s.Use != nil {
				layer = shape.NewJoint(values.X, c.vectors.X, values.P, c.vectors.P, c.learn).Head
			} else {
				all, err := s.moments(ctx, c, values)
				if err != nil {
					return nil, err
				}
				layer = func(sigma float64) (*nn.Dense, error) { return sideBySide(all, sigma) }
			}
			of = l.last
		}
		d, err := layer(sigma)
		if err != nil {
			return nil, err
		}
		return shape.Chain("head", []int{l.values.P}, d), nil
	}
}

// moments are those of values, by the labels of each task.
func (s *searcher) moments(ctx context.Context, c *cut, values rows) (all []*shape.Moments, err error) {
	for _, t := range tasksOf(c.train, c.moments.Classes, s.Tasks, nn.Indices(c.train.Len())) {
		m, err := values.labelled(t.Labels).moments(ctx, c.learn, t.Classes)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// sideBySide is one layer with the answers of each head.
func sideBySide(all []*shape.Moments, sigma float64) (*nn.Dense, error) {
	h := &nn.Dense{In: all[0].N, Weight: &nn.Param{Name: "head.weight"}, Bias: &nn.Param{Name: "head.bias"}}
	for _, m := range all {
		d, err := m.Head(sigma)
		if err != nil {
			return nil, err
		}
		h.Out += d.Out
		h.Weight.Data, h.Bias.Data = append(h.Weight.Data, d.Weight.Data...), append(h.Bias.Data, d.Bias.Data...)
	}
	h.Weight.Shape, h.Bias.Shape = []int{h.Out, h.In}, []int{h.Out}
	return h, nil
}

// keep returns how many numbers a projected release sends.
func (s *searcher) keep(c *cut, p place) int {
	switch {
	case s.Keep > 0:
		return min(s.Keep, c.n)
	case p.Part > 0:
		return max(1, c.n/p.Part)
	}
	return min(c.moments.Classes-1+shape.LinearExtra, c.n)
}

// learn trains the layer of a line, and for Shaped its head.
func (s *searcher) learn(ctx context.Context, c *cut, l *line) (err error) {
	o := shape.Options{
		Weight: l.Weight, Candidates: s.Candidates, Epochs: s.Epochs, Seed: s.Seed,
		Progress: func(done, total int) { s.tell(fmt.Sprintf("learning: %s", l.place), done, total) },
	}
	if s.Keep > 0 {
		o.Keep = s.keep(c, l.place)
	}
	for _, p := range s.Protect {
		a := s.train.Attribute(p.Attribute)
		o.Protect = append(o.Protect, shape.Protected{Class: pick(a.Labels, c.learn), Weight: l.Weight * protectWeight})
	}
	data, tasks := nn.Choose(c.features, c.learn), tasksOf(c.train, c.moments.Classes, s.Tasks, c.learn)
	if l.Method == Trained {
		l.layer, err = shape.Answers(ctx, data, c.n, tasks, o)
		l.scale = shape.AnswerSigma
		return err
	}
	learned, err := shape.Fit(ctx, data, c.moments, tasks, o)
	if err != nil {
		return err
	}
	l.layer, l.scale = learned.Layer, learned.Sigma
	if s.Use == nil {
		l.head = func(float64) (*nn.Graph, error) { return learned.Head, nil }
	}
	return nil
}

// mostPrincipal is the largest number of features whose covariance is decomposed: about ten
// seconds.
const mostPrincipal = 2048

// principal returns the layer of the directions in which the features vary most.
func (c *cut) principal(keep int) (*nn.Graph, error) {
	n, m := c.n, c.moments
	if n > mostPrincipal {
		return nil, fmt.Errorf("%d features are too many for principal directions: at most %d", n, mostPrincipal)
	}
	weight, err := shape.Principal(m.Covariance(), keep)
	if err != nil {
		return nil, err
	}
	return shape.Chain(Node, []int{n}, (&release.Map{In: n, Out: keep, Weight: weight, Mean: m.Mean}).Onto("release")), nil
}
