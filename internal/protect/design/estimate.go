package design

import (
	"context"
	"fmt"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

// A Point is a release that was tried. Its figures are those of the search: means over draws,
// without limits, on training data.
type Point struct {
	place
	Keep       int       `json:"keep"` // numbers that leave
	Sigma      float64   `json:"sigma"`
	Accuracy   []float64 `json:"accuracy"`          // of each task
	Identified float64   `json:"identified"`        // probability that the best adversary with the candidates names the input
	New        float64   `json:"new,omitempty"`     // probability that new inputs, hidden among the candidates, are identified; only of points that meet the limits best
	Radius     float64   `json:"radius,omitempty"`  // at which the norm is clipped; 0: not at all
	Exposed    float64   `json:"exposed,omitempty"` // share of people, at most, who are named more often than Limits.Exposed says; 0 without such a limit
	Bits       float64   `json:"bits"`              // that the release reveals about which candidate the input is
	Floor      float64   `json:"floor"`             // root mean square error of every adversary without a list, at least; in the model's units
	Guessed    []Guess   `json:"guessed,omitempty"`
	Meets      bool      `json:"meets"`          // the limits, with a margin
	Free       bool      `json:"free,omitempty"` // less noise gains no accuracy
}

// A Guess is what the best adversary guesses of a protected attribute.
type Guess struct {
	Right   float64 `json:"right"`   // right guesses, with the list of candidates
	Anybody float64 `json:"anybody"` // the same without a list, at most
	AUC     float64 `json:"auc,omitempty"`
	Bits    float64 `json:"bits"` // revealed to an adversary who knows the target attribute
}

// place is a node and a method.
type place struct {
	Node   string  `json:"node"`
	Method Method  `json:"method"`
	Weight float64 `json:"weight,omitempty"` // of the penalty, where the method learns
	Part   int     `json:"part,omitempty"`   // of vectors: the features are divided by it, which gives how many numbers are kept; 0: as Options.Keep says
	Clip   bool    `json:"clip,omitempty"`   // the norm is clipped at that of exposedClip of the inputs
}

func (p place) String() string {
	words := string(p.Method)
	if p.Part > 0 {
		words += fmt.Sprintf(" to 1/%d", p.Part)
	}
	if p.Clip {
		words += " with a clipped norm"
	}
	return words + " at " + p.Node
}

// list is released values of some examples, for package bayes.
type list struct {
	rows
	indices []int
}

func (l list) Len() int { return len(l.indices) }
func (l list) Dim() int { return l.P }
func (l list) Features(_ context.Context, dst []float64, indices []int) error {
	for i, j := range indices {
		for k, v := range l.row(l.indices[j]) {
			dst[i*l.P+k] = float64(v)
		}
	}
	return nil
}

// alpha is the probability that a limit of the first look does not hold.
const alpha = (1 - measure.DefaultConfidence) * measure.FirstLook

// at measures a line at a strength of the noise.
func (s *searcher) at(ctx context.Context, c *cut, l *line, sigma float64) (Point, error) {
	p := Point{place: l.place, Keep: l.values.P, Sigma: sigma, Radius: s.radiusOf(l.radius, sigma)}
	if err := s.leaks(ctx, s.clipped(l, sigma), c.validate, &p, searchDraws, s.Seed, false); err != nil {
		return p, err
	}
	p.Meets = s.excess(p, true) <= 1
	head, err := l.head(p.Sigma)
	if err != nil {
		return p, err
	}
	p.Accuracy, err = s.accuracy(ctx, c, l, head, p.Sigma)
	return p, err
}

// leaks fills in what a release of these values gives away, by so many draws: means, or the
// limits of them that do not overstate the protection.
func (s *searcher) leaks(ctx context.Context, values rows, validate []int, p *Point, draws int, seed uint64, limits bool) error {
	noise, err := s.averaged(p.Sigma)
	if err != nil {
		return err
	}
	of := func(l measure.Peopled, attributes []bayes.Attribute) (*bayes.Result, error) { // the best adversary with these candidates
		return bayes.Run(ctx, list{values, l.Indices}, noise, attributes, bayes.Options{Prior: l.Prior, People: l.People, Draws: draws, Seed: seed})
	}
	upper := func(l bayes.Limit) float64 {
		if limits {
			return 2*l.High - l.Mean // another measurement has a limit above this about once in 200 times
		}
		return l.Mean
	}
	attributes := s.attributes(s.people)
	r, err := of(s.people, attributes)
	if err != nil {
		return err
	}
	first := r.Named(alpha)
	p.Identified, p.Bits = upper(first), upper(r.Bits(alpha))
	switch x := s.Exposed; {
	case x == nil:
	case first.Low > x.Than+x.Share: // so the mean would be at most that
		p.Exposed = 1
	default:
		people, fails := x.People(), alpha/exposedShares
		if !limits {
			people, fails = min(people, searchSubjects), searchFails
		}
		e, err := bayes.Expose(ctx, list{values, s.candidates}, noise, people, measure.ReleasesFor(x.Than), bayes.Options{Prior: s.people.Prior, People: s.people.People, Seed: seed})
		if err != nil {
			return err
		}
		p.Exposed = e.Above(x.Than, fails).High
	}
	p.Guessed = make([]Guess, len(attributes))
	for k, a := range attributes {
		alone, _ := r.Guessed(k, alpha)
		_, given := r.AttributeBits(k, a, alpha)
		p.Guessed[k] = Guess{Right: upper(alone), Bits: upper(given)}
		if a.Classes == 2 {
			p.Guessed[k].AUC = upper(r.AUC(k, a, alpha))
		}
	}
	if limits && s.Floor == 0 && len(s.Protect) == 0 {
		return nil // the rest is for charts
	}
	// The examples to validate stand for the sample of the final measurement.
	everybody, sample := bayes.Population{N: People(s.test), Alpha: alpha / 2}, measure.PeopledOf(s.train, validate)
	attributes = s.attributes(sample)
	if r, err = of(sample, attributes); err != nil {
		return err
	}
	floor := r.Floor(s.distances(r, sample.Indices), s.most, alpha/2)
	lower := floor.Mean
	if limits {
		lower = 2*floor.Low - floor.Mean
	}
	p.Floor = math.Sqrt(everybody.Floor(min(max(lower*projected, 0), s.most), s.most))
	for k := range attributes {
		alone, _ := r.Guessed(k, alpha)
		p.Guessed[k].Anybody = everybody.Ceiling(min(upper(alone), 1))
	}
	return nil
}

// averaged is the noise of the mean of all releases of an input.
func (s *searcher) averaged(sigma float64) (release.Gaussian, error) {
	return release.NewGaussian(sigma / math.Sqrt(float64(max(s.Queries, 1))))
}

// hidden hides new inputs among the candidates. It returns how often they are identified.
func (s *searcher) hidden(ctx context.Context, values, fresh rows, sigma float64, draws int, seed uint64) (*bayes.HiddenResult, error) {
	of, others := measure.PeopledOf(s.Fresh, nn.Indices(fresh.Len())), s.people.Others()
	noise, err := s.averaged(sigma)
	if err != nil {
		return nil, err
	}
	return bayes.RunHidden(ctx, list{values, others.Indices}, list{fresh, of.Indices}, of.People, noise, bayes.Options{
		Prior: others.Prior, People: others.People, Draws: draws, Seed: seed, Progress: func(share float64) { s.tell("identifying new inputs", int(share*float64(draws)), draws) }})
}

// distances returns the mean squares of the differences between the two inputs of each draw.
func (s *searcher) distances(r *bayes.Result, indices []int) []float64 {
	truth, other := make([]float32, s.inputs), make([]float32, s.inputs)
	squares := make([]float64, len(r.Draws))
	for i, d := range r.Draws {
		s.train.Examples(truth, []int{indices[d.Truth]})
		s.train.Examples(other, []int{indices[d.Other]})
		for j, x := range truth {
			squares[i] += float64(x-other[j]) * float64(x-other[j]) / float64(s.inputs)
		}
	}
	return squares
}

// attributes returns the protected attributes of training examples.
func (s *searcher) attributes(l measure.Peopled) []bayes.Attribute {
	var all []bayes.Attribute
	known := s.train.Answers(l.Indices, s.Tasks)
	for _, p := range s.Protect {
		a := s.train.Attribute(p.Attribute)
		b := bayes.Attribute{Name: p.Attribute, Classes: len(a.Values), Target: known, Prior: l.Prior, People: l.People}
		for _, i := range l.Indices {
			b.Class = append(b.Class, a.Labels[i])
		}
		all = append(all, b)
	}
	return all
}

// projected is the part of a mean-square error that is left if inputs are projected onto a ball, as the final
// measurement does; about .98 on MNIST.
const projected = .97

// Margins of the search for the limits of the final measurement, whose draws are more.
const (
	identifyMargin = 1.15 // relative
	identifyRoom   = 1.02 // above guessing: no noise hides everything
	bitsMargin     = 1.03
	floorMargin    = 1.01
	rightMargin    = .006 // of a probability
	areaMargin     = .03  // of an area
)

// excess returns by what factor a point misses the limit that it keeps worst: at most 1
// if it keeps all. early adds the margins of the search.
func (s *searcher) excess(p Point, early bool) float64 {
	identify, bits, floor, right, area := 1., 1., 1., 0., 0.
	if early {
		identify, bits, floor, right, area = identifyMargin, bitsMargin, floorMargin, rightMargin, areaMargin
	}
	l, worst := s.Limits, 0.
	over := func(limit, v float64) {
		if limit > 0 {
			worst = max(worst, v/limit)
		}
	}
	over(l.Identify, p.Identified*identify)
	over(l.Bits, p.Bits*bits)
	if l.Exposed != nil {
		over(l.Exposed.Share, p.Exposed)
	}
	if l.Floor > 0 {
		worst = max(worst, min(l.Floor*floor/p.Floor, 1e6))
	}
	for k, want := range l.Protect {
		g := p.Guessed[k]
		over(want.Accuracy, max(g.Right, g.Anybody)+right)
		over(want.AUC, g.AUC+area)
		over(want.Bits, g.Bits*bits)
	}
	return worst
}

// accuracy returns the mean score of each task, on the examples to validate: of labels, the share of right answers.
func (s *searcher) accuracy(ctx context.Context, c *cut, l *line, head *nn.Graph, sigma float64) ([]float64, error) {
	values, examples := s.clipped(l, sigma), c.validate
	m, err := nn.NewNet(head)
	if err != nil {
		return nil, err
	}
	_, answers := m.Dims()
	var widths []int
	var scorers []release.Scorer
	query := sigma
	if s.Use != nil {
		task, err := s.noisyTask(ctx, c, l, m, sigma)
		if err != nil {
			return nil, err
		}
		if s.Use.Noise == release.NoiseDatabase {
			query = 0
		}
		examples = pick(c.validate, c.task.Queries())
		widths, scorers = []int{answers}, []release.Scorer{task.Scorer(len(examples), answers)}
	} else {
		tasks := tasksOf(c.train, c.moments.Classes, s.Tasks, c.validate)
		if l.Method == Isotropic {
			tasks = tasks[:1] // the model's own head
		}
		for _, t := range tasks {
			widths, scorers = append(widths, t.Classes), append(scorers, release.Labels{Data: nn.Rows{Labels: t.Labels}}.Scorer(len(examples), t.Classes))
		}
	}
	noisy, all, some := make([]float32, passBatch*values.P), make([]float32, passBatch*answers), make([]float32, 0, passBatch*answers)
	draws := accuracyDraws
	if query == 0 {
		draws = 1 // all are equal
	}
	for draw := range draws {
		for first := 0; first < len(examples); first += passBatch {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			b := min(passBatch, len(examples)-first)
			r := run.Rand(s.Seed^streamAccuracy, first, draw)
			for i := range b {
				row := noisy[i*values.P : (i+1)*values.P]
				copy(row, values.row(examples[first+i]))
				if query > 0 {
					for k := range row {
						row[k] += float32(query * r.NormFloat64())
					}
				}
			}
			m.Forward(all[:b*answers], noisy[:b*values.P])
			at := 0
			for k, scorer := range scorers {
				some = some[:0]
				for i := range b {
					some = append(some, all[i*answers+at:][:widths[k]]...)
				}
				if err := scorer.Add(first, some); err != nil {
					return nil, err
				}
				at += widths[k]
			}
		}
	}
	means := make([]float64, len(scorers))
	for k, scorer := range scorers {
		means[k] = mean(scorer.Scores())
	}
	return means, nil
}

const streamAccuracy = 0x6163637572616379 // "accuracy"
