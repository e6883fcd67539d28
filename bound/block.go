package bound

// The rungs beside Algorithm 1's witnesses, and how their arrays' names begin.
const (
	farName      = "far"
	barankinName = "barankin"
	twinName     = "twin"
)

// certified is what is recorded of one kind of witness: those of one size, or of
// one rung.
type certified struct {
	name   string // its arrays' names begin with it and an underscore
	size   float64
	each   int // witnesses of an example
	domain Domain
	joint  bool // they are combined too
	double bool // they are stored in float64: twins, and the exact change from one stored input to another

	runtime float64 // how far the runtime's features may be off
	counted bool    // that is allowed for at every witness, not only where the features hardly move

	eps        []float32 // [examples, each, p], the witnesses
	eps64      []float64 // instead, where they are stored in float64
	solve      []float64 // [examples, each, each], B of the combination
	znorm      []float64 // [examples, each], ‖a(θ+ε) − a(θ)‖ as computed
	allowance  []float64 // [examples, each], for its rounding
	std        []float64 // [examples, m], +Inf for unbounded
	winner     []int16   // [examples, m], the witness that gave it; −1 for none, −2 for all together
	meanSquare []float64 // [examples], A eq. (6)
}

// blocks lists what an experiment records of each kind of witness.
func (e Experiment) blocks() (all []*certified) {
	for _, s := range e.Sizes {
		all = append(all, &certified{name: SizeName(s), size: s, each: e.Search.Restarts, domain: e.Domain})
	}
	if e.Far.Starts > 0 {
		all = append(all, &certified{name: farName, each: e.Far.Starts, domain: e.Far.Domain, counted: true})
	}
	if e.Barankin.Witnesses > 0 {
		far := e.Far.Starts > 0 && !e.Barankin.Near
		all = append(all, &certified{name: barankinName, each: e.Barankin.Witnesses, domain: e.Domain, joint: true, counted: far})
	}
	if e.Twins.Examples > 0 {
		all = append(all, &certified{name: twinName, each: 2, domain: e.Twins.Domain, double: true, counted: true})
	}
	for _, s := range all {
		s.runtime = e.Runtime.Error
		s.double = s.double || s.domain.Grid != nil
	}
	return all
}

// block returns the block of that name, nil where there is none.
func (e *examples) block(name string) *certified {
	for _, s := range e.blocks {
		if s.name == name {
			return s
		}
	}
	return nil
}

// columns lists the arrays.
func (s *certified) columns(p, m int) []column {
	prefix := s.name + "_"
	cols := []column{
		{prefix + "std", "<f8", []int{m}, s.std},
		{prefix + "winner", "<i2", []int{m}, s.winner},
		{prefix + "mean_square", "<f8", nil, s.meanSquare},
		{prefix + "z_norm", "<f8", []int{s.each}, s.znorm},
		{prefix + "allowance", "<f8", []int{s.each}, s.allowance},
	}
	if s.double {
		cols = append(cols, column{prefix + "eps", "<f8", []int{s.each, p}, s.eps64})
	} else {
		cols = append(cols, column{prefix + "eps", "<f4", []int{s.each, p}, s.eps})
	}
	if s.joint {
		cols = append(cols, column{prefix + "solve", "<f8", []int{s.each, s.each}, s.solve})
	}
	return cols
}

// grow makes room for n examples.
func (s *certified) grow(n, p, m int) {
	if s.double {
		s.eps64 = make([]float64, n*s.each*p)
	} else {
		s.eps = make([]float32, n*s.each*p)
	}
	if s.joint {
		s.solve = make([]float64, n*s.each*s.each)
	}
	s.znorm, s.allowance = make([]float64, n*s.each), make([]float64, n*s.each)
	s.std, s.winner, s.meanSquare = make([]float64, n*m), make([]int16, n*m), make([]float64, n)
}
