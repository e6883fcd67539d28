package bound

// Prefixes of the arrays' names of the bounds that are not by near witnesses.
const (
	farName      = "far"
	barankinName = "barankin"
	twinName     = "twin"
)

// witnessSet is what is recorded of one kind of witness: the near witnesses of one size, far
// witnesses, combined ones, twins, or those that are searched for pair floors.
type witnessSet struct {
	name   string // the prefix of the arrays' names, without the underscore
	size   float64
	each   int // witnesses of an example
	domain Domain
	joint  bool // they are combined, too
	double bool // they are stored in float64: twins, and exact differences of two stored inputs

	runtime float64 // how far the runtime's features may lie from real arithmetic
	counted bool    // that is allowed for at every witness, not only where the features hardly move

	small bool // figures are stored in float32
	half  bool // eps is rounded to float16

	eps        []float32 // [examples, each, p], the witnesses
	eps64      []float64 // instead, where they are stored in float64
	solve      []float64 // [examples, each, each], B of the combination
	znorm      []float64 // [examples, each], ‖a(θ+ε) − a(θ)‖ as computed
	allowance  []float64 // [examples, each], for its rounding
	std        []float64 // [examples, m], +Inf for unbounded
	winner     []int16   // [examples, m], the witness that gave it; −1 for none, −2 for all together
	meanSquare []float64 // [examples], A eq. (6)
	pair       pairFloors
}

// witnessSets lists the kinds of witnesses of a resolved experiment.
func (e Experiment) witnessSets() (all []*witnessSet) {
	for _, s := range e.Sizes {
		all = append(all, &witnessSet{name: SizeName(s), size: s, each: e.Search.Restarts, domain: e.Domain})
	}
	if e.Far.Starts > 0 {
		all = append(all, &witnessSet{name: farName, each: e.Far.Starts, domain: e.Far.Domain, counted: true})
	}
	if e.Barankin.Witnesses > 0 {
		far := e.Far.Starts > 0 && !e.Barankin.Near
		all = append(all, &witnessSet{name: barankinName, each: e.Barankin.Witnesses, domain: e.Domain, joint: true, counted: far})
	}
	if e.Twins.Examples > 0 {
		all = append(all, &witnessSet{name: twinName, each: 2, domain: e.Twins.Domain, double: true, counted: true})
	}
	if e.Pairs.Witnesses > 0 {
		all = append(all, &witnessSet{name: pairName, each: e.Pairs.Witnesses + e.Pairs.groups(e.Coordinates.Len()), domain: e.Pairs.Domain, counted: true})
	}
	for _, s := range all {
		s.counted = s.counted || e.lattice()
		s.runtime = e.Runtime.Error
		s.double = s.double || s.domain.Grid != nil
	}
	return all
}

// columns lists the arrays.
func (s *witnessSet) columns(p, m int) columns {
	prefix := s.name + "_"
	cols := columns{
		{prefix + "z_norm", []int{s.each}, slice(&s.znorm)},
		{prefix + "allowance", []int{s.each}, slice(&s.allowance)},
	}
	if s.name != pairName {
		cols = append(columns{
			{prefix + "std", []int{m}, figures{numbers[float64]{&s.std}, &s.small, towardZero32}},
			{prefix + "winner", []int{m}, slice(&s.winner)},
			{prefix + "mean_square", nil, slice(&s.meanSquare)},
		}, cols...)
	}
	if !s.joint {
		cols = append(cols, s.pair.columns(s.name, s.each, m, &s.small)...)
	}
	if s.double {
		cols = append(cols, column{prefix + "eps", []int{s.each, p}, slice(&s.eps64)})
	} else {
		cols = append(cols, column{prefix + "eps", []int{s.each, p}, halfNumbers{numbers[float32]{&s.eps}, &s.half}})
	}
	if s.joint {
		cols = append(cols, column{prefix + "solve", []int{s.each, s.each}, slice(&s.solve)})
	}
	return cols
}

// rows returns the witnesses of examples lo to hi, in the same memory.
func (s *witnessSet) rows(lo, hi, p, m int) *witnessSet {
	v := *s
	v.columns(p, m).keep(lo, hi)
	return &v
}
