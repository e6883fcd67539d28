package bound

import (
	"context"
	"math"
)

// A kind is a kind of witness: near, FarOptions, BarankinOptions, TwinOptions or PairOptions.
type kind interface {
	// seek seeks the witnesses s of the examples of a batch, and keeps them. It reports the part that is done.
	seek(ctx context.Context, r *runner, s *Bounds, b *batch, progress func(part float64)) error
}

// witnessSets lists the kinds of witnesses of a resolved experiment.
func (e Experiment) witnessSets() (all []*Bounds) {
	for _, size := range e.Sizes {
		all = append(all, &Bounds{kind: near{}, name: SizeName(size), Search: e.Search.Search, Size: size, Witnesses: e.Search.Restarts, domain: e.Domain})
	}
	if e.Far.Starts > 0 {
		all = append(all, &Bounds{kind: e.Far, name: "far", Search: SearchFar, Witnesses: e.Far.Starts, domain: e.Far.Domain, counted: true})
	}
	if e.Barankin.Witnesses > 0 {
		far := e.Far.Starts > 0 && !e.Barankin.Near
		all = append(all, &Bounds{kind: e.Barankin, name: "barankin", Search: SearchCombined, Witnesses: e.Barankin.Witnesses, domain: e.Domain, counted: far})
	}
	if e.Twins.Examples > 0 {
		all = append(all, &Bounds{kind: e.Twins, name: "twin", Search: SearchTwins, Witnesses: 2, domain: e.Twins.Domain, double: true, counted: true})
	}
	if e.Pairs.Witnesses > 0 {
		each := e.Pairs.Witnesses + e.Pairs.groups(e.Coordinates.Len())
		all = append(all, &Bounds{kind: e.Pairs, name: "pair", Search: SearchPairs, Witnesses: each, domain: e.Pairs.Domain, counted: true})
	}
	for _, s := range all {
		s.counted = s.counted || e.lattice()
		s.runtime = e.Runtime.Error
		s.double = s.double || s.domain.Grid != nil
	}
	return all
}

// refine moves the best witnesses of each of the inputs theta, most of them, along the grid, if there is one.
func (r *runner) refine(ctx context.Context, s *Bounds, theta []float32, most int) error {
	if s.domain.Grid == nil {
		return ctx.Err()
	}
	_, n := r.model.Dims()
	hidden := 2 * s.runtime * math.Sqrt(float64(n))
	return s.domain.refine(ctx, r.model, s.eps64, theta, r.experiment.Scale(), hidden, s.Witnesses, most)
}
