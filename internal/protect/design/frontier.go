package design

import (
	"context"

	"tattle/internal/protect/bayes"
	"tattle/internal/protect/release"
)

// A Curve is what a kind of promise costs on the line of the answer: the accuracy where naming the input is limited to a
// probability. Its accuracies are of training examples that the release learned from.
type Curve struct {
	Name                  string
	Probability, Accuracy []float64
}

// Of the curves: multiples of σ, radii of a clip in units of σ, and the share of people who are the most exposed.
var (
	curveStrengths = []float64{.25, .5, 1, 2, 4, 8}
	curveRadii     = []float64{.5, 1, 1.5, 2, 2.5, 3, 4, 5}
)

const mostExposedShare = .01

// curves measures, on the line of the answer, accuracy against three kinds of promise about naming: on average, for the most
// exposed people, and whatever the data.
func (s *searcher) curves(ctx context.Context, c *cut, l *line, sigma float64) ([]Curve, error) {
	average, exposed, worst := Curve{Name: "on average"}, Curve{Name: "for the 1 % most exposed"}, Curve{Name: "whatever the data (bound)"}
	free, at := *s, *l
	free.Worst = 0
	accuracy := func(radius, sigma float64) (float64, error) {
		at.radius, at.last = radius, nil
		if l.linear {
			at.head = free.headOf(ctx, c, &at)
		}
		head, err := at.head(sigma)
		if err != nil {
			return 0, err
		}
		a, err := free.accuracy(ctx, c, &at, head, sigma)
		if err != nil {
			return 0, err
		}
		return a[0], nil
	}
	done, all := 0, len(curveStrengths)+len(curveRadii)
	step := func() { s.tell("what each kind of promise costs", done, all); done++ }
	for _, times := range curveStrengths {
		step()
		sigma := times * sigma
		a, err := accuracy(l.radius, sigma)
		if err != nil {
			return nil, err
		}
		noise, err := s.averaged(sigma)
		if err != nil {
			return nil, err
		}
		list := list{free.clipped(&at, sigma), s.candidates}
		o := bayes.Options{Prior: s.people.Prior, People: s.people.People, Draws: searchDraws, Seed: s.Seed}
		r, err := bayes.Run(ctx, list, noise, nil, o)
		if err != nil {
			return nil, err
		}
		e, err := bayes.Expose(ctx, list, noise, searchSubjects, bayes.DefaultReleases, o)
		if err != nil {
			return nil, err
		}
		mean := r.Named(alpha)
		average.add(mean.Mean, a)
		exposed.add(max(e.Quantile(1-mostExposedShare), mean.Mean), a)
	}
	_, norms := l.values.center()
	radius := fewest(norms)
	for _, r := range curveRadii {
		step()
		a, err := accuracy(radius, radius/r)
		if err != nil {
			return nil, err
		}
		if w, ok := release.WorstOf(release.Gaussian{Sigma: radius / r}, radius, s.Queries); ok {
			worst.add(w.Success(1/float64(s.Among)), a)
		}
	}
	return []Curve{average, exposed, worst}, nil
}

func (c *Curve) add(probability, accuracy float64) {
	c.Probability, c.Accuracy = append(c.Probability, probability), append(c.Accuracy, accuracy)
}
