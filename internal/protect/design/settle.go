package design

import (
	"context"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/measure"
	"tattle/internal/run"
)

// A trial returns by what factor a release is expected to miss its limits in the final measurement: at
// most 1 if it keeps them. Trials of different rounds draw other noise.
type trial func(ctx context.Context, p Point, round int) (over float64, err error)

// settle finds σ with as many draws as the final measurement has, and other noise. It raises
// σ until the limits of the means, with a margin for the other draws, keep the promise, or
// lowers it if much of them is left unused and less noise gains accuracy.
func (s *searcher) settle(ctx context.Context, a *Answer) error {
	trial, err := s.promiseTrial(ctx, a.Model, a.ListDraws)
	if err != nil {
		return err
	}
	kept := 0.
	defer func() { a.Best.Radius = s.radiusOf(a.Best.Radius, a.Best.Sigma) }()
	for round := range rounds {
		s.tell("checking the strength of the noise", round, rounds)
		over, err := trial(ctx, *a.Best, round)
		if err != nil {
			return err
		}
		switch {
		case over <= 1 && (over > unused || a.Best.Free):
			return nil
		case over <= 1:
			kept = a.Best.Sigma
			a.Best.Sigma *= max(math.Pow(over/aim, 1/steepness), 1/coarse)
		case kept > 0:
			a.Best.Sigma = kept
			return nil
		default:
			a.Best.Sigma *= min(max(math.Pow(over/aim, 1/steepness), fine), coarse)
		}
	}
	if kept > 0 {
		a.Best.Sigma = kept
	}
	return nil
}

// promiseTrial measures a promise as the final measurement does, on training data.
func (s *searcher) promiseTrial(ctx context.Context, model *nn.Graph, listDraws int) (trial, error) {
	graph, _, err := model.Cut(Node)
	if err != nil {
		return nil, err
	}
	values, err := outputs(ctx, graph, s.train, func(done, total int) { s.tell("computing what is released", done, total) })
	if err != nil {
		return nil, err
	}
	var fresh rows
	if s.Fresh != nil {
		if fresh, err = outputs(ctx, graph, s.Fresh, nil); err != nil {
			return nil, err
		}
	}
	center, _ := values.center()
	validate := s.validation()
	return func(ctx context.Context, p Point, round int) (float64, error) {
		seed := s.Seed ^ streamSettle + uint64(round)
		radius := s.radiusOf(p.Radius, p.Sigma)
		values := values.within(center, radius)
		// Fewer draws have wider limits: if these keep the promise, those of more draws almost surely do. Where less
		// noise gains nothing, wide limits cost nothing.
		few := min(listDraws, DefaultListDraws)
		if p.Free {
			few = (few-1)/freeDraws + 1
		}
		over := 0.
		for _, draws := range slices.Compact([]int{few, listDraws}) {
			var err error
			if over, err = s.newExcess(ctx, values, fresh.within(center, radius), p, draws, seed); err != nil {
				return 0, err
			}
			if over <= coarse { // else the noise is too weak, whatever the other figures are
				if err := s.leaks(ctx, values, validate, &p, draws, seed, true); err != nil {
					return 0, err
				}
				over = max(over, s.excess(p, false))
			}
			if over <= 1 {
				break
			}
		}
		return over, nil
	}, nil
}

// newExcess returns by what factor the final measurement of new inputs is expected to miss the
// limit on identification, about once in 40 times: its inputs and its draws are others.
func (s *searcher) newExcess(ctx context.Context, values, fresh rows, p Point, draws int, seed uint64) (float64, error) {
	if s.Identify == 0 || s.Fresh == nil {
		return 0, nil
	}
	r, err := s.hidden(ctx, values, fresh, p.Sigma, draws, seed)
	if err != nil {
		return 0, err
	}
	first := r.Identified(alpha)
	// Two standard errors, of the people and of the draws. High is three of the draws above the mean.
	inputs := 2 * r.Spread() * math.Sqrt(1/float64(People(s.Fresh))+1/float64(People(s.test)))
	return (first.High + math.Hypot(inputs, 2./3*(first.High-first.Mean))) / s.Identify, nil
}

// Of settle.
const (
	streamSettle = 0x736574746c65 // "settle"
	rounds       = 5
	aim          = .98
	unused       = .88
	freeDraws    = 8   // where less noise gains nothing, the draws are divided by it
	steepness    = 2.5 // the probability of identification falls with about this power of σ
)

// validation returns the examples that measure accuracies while places are searched. Nothing learns
// from them until the best place is learned again. People are whole.
func (s *searcher) validation() []int {
	if s.train.Group != nil {
		some, _ := measure.DividePeople(s.train, validationShare, s.Seed^streamSplit)
		return some
	}
	order := run.Rand(s.Seed, 0, streamSplit).Perm(s.train.Len())
	return order[:max(1, len(order)/validationShare)]
}
