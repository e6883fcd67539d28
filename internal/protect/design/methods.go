package design

import (
	"context"
	"fmt"

	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
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

// vectorMethods are those of vectors, by default.
func vectorMethods() []Method { return []Method{Isotropic, Projected, Erased, Discriminant, Shaped} }

// parts returns divisors of the number of features. Each makes a place of its own, where the method keeps the quotient; 0: it keeps
// what Options.Keep says.
func (m Method) parts(vectors bool) []int {
	if vectors && (m == Projected || m == Erased) {
		return []int{2, 4, 8, 16}
	}
	return []int{0}
}

// defaultMethods are those that are tried where none are named.
func defaultMethods() []Method {
	return []Method{Isotropic, Projected, Discriminant, Shaped, Trained}
}

// learns reports whether a layer is trained.
func (m Method) learns() bool { return m == Shaped || m == Trained }

// weights returns the weights of the penalty, each of which makes a place of its own. Larger
// ones give a release that leaks less at the same noise, and costs more accuracy.
func (m Method) weights() []float64 {
	if m == Shaped {
		return []float64{4, 12}
	}
	return []float64{0} // there is none
}

// protectWeight is the weight of each protected attribute in the loss, relative to that of
// identification.
const protectWeight = .25

// A line is a release at a node without the strength of its noise.
type line struct {
	place
	values rows                                   // of the training data: what noise is added to
	layer  *nn.Graph                              // features to values; nil: they are the features
	front  *nn.Graph                              // inputs to values where the whole model learned; else nil
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
		if err = s.learn(ctx, c, l); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("no method %q", p.Method)
	}
	if err != nil {
		return nil, err
	}
	if l.layer != nil && l.front == nil {
		if l.values, err = outputs(ctx, l.layer, c.features, nil); err != nil {
			return nil, err
		}
	}
	if l.scale == 0 {
		if l.scale = stat.RMS(l.values.values); l.scale == 0 {
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
	if l.front != nil {
		return outputs(ctx, l.front, data, nil)
	}
	r, err := outputs(ctx, c.front, data, nil)
	if err != nil || l.layer == nil {
		return r, err
	}
	return outputs(ctx, l.layer, r, nil)
}

// headOf returns the linear head that fits best.
func (s *searcher) headOf(ctx context.Context, c *cut, l *line) func(sigma float64) (*nn.Graph, error) {
	if s.Use != nil {
		return s.vectorHead(c, l)
	}
	return s.linearHead(ctx, c, l)
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
func (s *searcher) learn(ctx context.Context, c *cut, l *line) error {
	o := shape.Options{
		Weight: l.Weight, Candidates: s.Candidates, Epochs: s.Epochs, Seed: s.Seed,
		Progress: func(done, total int) { s.tell(fmt.Sprintf("learning: %s", l.place), done, total) },
	}
	if s.Keep > 0 {
		o.Keep = s.keep(c, l.place)
	}
	for _, p := range s.Protect {
		a := s.train.Attribute(p.Attribute)
		class := make([]int, len(c.learn))
		for i, j := range c.learn {
			class[i] = a.Labels[j]
		}
		o.Protect = append(o.Protect, shape.Protected{Class: class, Weight: l.Weight * protectWeight})
	}
	var front *nn.Graph
	data := nn.Choose(c.features, c.learn)
	if s.Finetune == FinetuneAll {
		var err error
		if front, err = copyOf(c.front); err != nil {
			return err
		}
		data = nn.Choose(s.train, c.learn)
	}
	tasks := tasksOf(c.train, c.moments.Classes, s.Tasks, c.learn)
	var layer *nn.Graph
	if l.Method == Trained {
		var err error
		if layer, err = shape.Answers(ctx, data, front, c.n, tasks, o); err != nil {
			return err
		}
		l.scale = shape.AnswerSigma
	} else {
		learned, err := shape.Fit(ctx, data, front, c.moments, tasks, o)
		if err != nil {
			return err
		}
		layer, l.scale = learned.Layer, learned.Sigma
		if s.Use == nil {
			l.head = func(float64) (*nn.Graph, error) { return learned.Head, nil }
		}
	}
	if front == nil {
		l.layer = layer
		return nil
	}
	l.front = layer
	var err error
	l.values, err = outputs(ctx, layer, s.train, nil)
	return err
}

// linearHead returns the linear head of what is released, by the moments of the examples to
// learn from; several tasks have one each, side by side.
func (s *searcher) linearHead(ctx context.Context, c *cut, l *line) func(sigma float64) (*nn.Graph, error) {
	var all []*shape.Moments
	var of *rows // values whose moments these are
	return func(sigma float64) (*nn.Graph, error) {
		if values := s.clipped(l, sigma); of == nil || of != l.last {
			all, of = nil, l.last
			for _, t := range tasksOf(c.train, c.moments.Classes, s.Tasks, c.learn) {
				m, err := shape.NewMoments(ctx, labelled{nn.Choose(values, c.learn), t.Labels}, values.n, t.Classes)
				if err != nil {
					return nil, err
				}
				all = append(all, m)
			}
		}
		h := &nn.Dense{In: l.values.n, Weight: &nn.Param{Name: "head.weight"}, Bias: &nn.Param{Name: "head.bias"}}
		for _, m := range all {
			d, err := m.Head(sigma)
			if err != nil {
				return nil, err
			}
			h.Out += d.Out
			h.Weight.Data, h.Bias.Data = append(h.Weight.Data, d.Weight.Data...), append(h.Bias.Data, d.Bias.Data...)
		}
		h.Weight.Shape, h.Bias.Shape = []int{h.Out, h.In}, []int{h.Out}
		return shape.Chain("head", []int{h.In}, h), nil
	}
}

// labelled is a source with other labels.
type labelled struct {
	nn.Source
	labels []int
}

func (l labelled) Label(i int) int { return l.labels[i] }

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
	d := &nn.Dense{In: n, Out: keep, Weight: &nn.Param{Name: "release.weight", Shape: []int{keep, n}, Data: make([]float32, keep*n)},
		Bias: &nn.Param{Name: "release.bias", Shape: []int{keep}, Data: make([]float32, keep)}}
	for i := range keep {
		var offset float64
		for j := range n {
			w := weight[i*n+j]
			d.Weight.Data[i*n+j] = float32(w)
			offset -= w * m.Mean[j]
		}
		d.Bias.Data[i] = float32(offset)
	}
	return shape.Chain(Node, []int{n}, d), nil
}
