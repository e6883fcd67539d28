package bound

import "strings"

// Bounds are what one kind of witness proves: the near witnesses of one size, far witnesses, combined
// ones, twins, or those that are searched for pair floors.
type Bounds struct {
	Search     string    // of the witnesses: that of SearchOptions, SearchFar, SearchTwins, SearchPairs or SearchCombined
	Size       float64   // ‖z‖/σ of near witnesses; 0 for other kinds
	Witnesses  int       // of an example
	Tried      int       // examples whose witnesses were sought: the first ones
	Std        []float64 // [examples, m]: lower bounds on standard deviations, +Inf for unbounded
	MeanSquare []float64 // [examples]: A eq. (6), or the sum over an orthonormal basis
	Winner     []int16   // [examples, m]: the witness that gave it, −1 for none, −2 for all together
	Pair       PairFloor // what binds every adversary, biased or not; empty for combined witnesses

	name    string // the prefix of the arrays' names, without the underscore
	domain  Domain
	joint   bool    // the witnesses are combined, too
	double  bool    // they are stored in float64: twins, and exact differences of two stored inputs
	runtime float64 // how far the runtime's features may lie from real arithmetic
	counted bool    // that is allowed for at every witness, not only where the features hardly move

	eps   []float32 // [examples, Witnesses, p], the witnesses
	eps64 []float64 // instead, where they are stored in float64
	solve []float64 // [examples, Witnesses, Witnesses], B of the combination
}

// witnessSets lists the kinds of witnesses of a resolved experiment.
func (e Experiment) witnessSets() (all []*Bounds) {
	for _, s := range e.Sizes {
		all = append(all, &Bounds{name: SizeName(s), Search: e.Search.Search, Size: s, Witnesses: e.Search.Restarts, domain: e.Domain})
	}
	if e.Far.Starts > 0 {
		all = append(all, &Bounds{name: "far", Search: SearchFar, Witnesses: e.Far.Starts, domain: e.Far.Domain, counted: true})
	}
	if e.Barankin.Witnesses > 0 {
		far := e.Far.Starts > 0 && !e.Barankin.Near
		all = append(all, &Bounds{name: "barankin", Search: SearchCombined, Witnesses: e.Barankin.Witnesses, domain: e.Domain, joint: true, counted: far})
	}
	if e.Twins.Examples > 0 {
		all = append(all, &Bounds{name: "twin", Search: SearchTwins, Witnesses: 2, domain: e.Twins.Domain, double: true, counted: true})
	}
	if e.Pairs.Witnesses > 0 {
		all = append(all, &Bounds{name: "pair", Search: SearchPairs, Witnesses: e.Pairs.Witnesses + e.Pairs.groups(e.Coordinates.Len()), domain: e.Pairs.Domain, counted: true})
	}
	for _, s := range all {
		s.counted = s.counted || e.lattice()
		s.runtime = e.Runtime.Error
		s.double = s.double || s.domain.Grid != nil
	}
	return all
}

// columns lists the arrays.
func (s *Bounds) columns(p, m int) columns {
	prefix := s.name + "_"
	pairPrefix := strings.TrimPrefix(prefix, "pair_")
	var cols columns
	if s.Search != SearchPairs {
		cols = append(cols,
			column{prefix + "std", []int{m}, slice(&s.Std)},
			column{prefix + "winner", []int{m}, slice(&s.Winner)},
			column{prefix + "mean_square", nil, slice(&s.MeanSquare)})
	}
	if !s.joint {
		cols = append(cols,
			column{pairPrefix + "pair_share", []int{s.Witnesses}, slice(&s.Pair.Share)},
			column{pairPrefix + "pair_floor", []int{m}, slice(&s.Pair.Std)},
			column{pairPrefix + "pair_mean_square", nil, slice(&s.Pair.MeanSquare)})
	}
	if s.double {
		cols = append(cols, column{prefix + "eps", []int{s.Witnesses, p}, slice(&s.eps64)})
	} else {
		cols = append(cols, column{prefix + "eps", []int{s.Witnesses, p}, slice(&s.eps)})
	}
	if s.joint {
		cols = append(cols, column{prefix + "solve", []int{s.Witnesses, s.Witnesses}, slice(&s.solve)})
	}
	return cols
}

// rows returns the witnesses of examples lo to hi, in the same memory.
func (s *Bounds) rows(lo, hi, p, m int) *Bounds {
	v := *s
	v.columns(p, m).keep(lo, hi)
	return &v
}
