package qp

import "fmt"

// Status says how a programme ended.
type Status uint8

// How a programme can end.
const (
	Solved     Status = iota // within the tolerances
	Infeasible               // no x satisfies the constraints: the multipliers prove it
	Unfinished               // the limit of iterations, or no further progress: X may be anything, even no number
)

// String names the status.
func (s Status) String() string {
	return [...]string{"solved", "infeasible", "unfinished"}[s]
}

// A Result is what a Solver returns; X and the multipliers lie in the solver and
// are valid until its next call.
type Result struct {
	X                 []float64 // [n]
	Multipliers       []float64 // [m], those of inequalities at least 0
	AtLow, AtHigh     []float64 // [n], multipliers of the limits, at least 0
	Status            Status
	Iterations        int
	Objective         float64
	Primal, Dual, Gap float64 // what is left of the constraints, of stationarity and of complementarity, relative as in Options
}

// Options are the settings of a Solver; zero means the default.
type Options struct {
	// Tolerance is for stationarity, over 1 + max|Q|, and for the sum of all
	// complementary products, over 1 + |objective|. By default 1e-8.
	Tolerance float64
	// Feasibility is for the rows, over 1 + max|Right|. By default Tolerance.
	Feasibility float64
	// Iterations is the most that are made. By default 100.
	Iterations int
}

const (
	// defaultTolerance is what the factored matrix's conditioning, which grows as
	// the inverse square of the gap, lets float64 reach on nearly every programme.
	defaultTolerance = 1e-8
	// defaultIterations is several times what programmes of any size take.
	defaultIterations = 100
)

// resolve fills the defaults in. It returns an error for settings that nothing satisfies.
func (o Options) resolve() (Options, error) {
	if o.Tolerance == 0 {
		o.Tolerance = defaultTolerance
	}
	if o.Feasibility == 0 {
		o.Feasibility = o.Tolerance
	}
	if o.Iterations == 0 {
		o.Iterations = defaultIterations
	}
	if !(o.Tolerance > 0) || !(o.Feasibility > 0) || o.Iterations < 0 {
		return o, fmt.Errorf("tolerances %g and %g and %d iterations: they must be positive", o.Tolerance, o.Feasibility, o.Iterations)
	}
	return o, nil
}
