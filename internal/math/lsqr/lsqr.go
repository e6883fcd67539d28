// Package lsqr solves many independent least-squares problems
//
//	minimise ‖A x − b‖²
//
// at once, in lockstep, with LSQR: C. C. Paige and M. A. Saunders, LSQR: an
// algorithm for sparse linear equations and sparse least squares, ACM
// Transactions on Mathematical Software 8 (1982), 43–71.
//
// A is known only by its products and those of its transpose, and each system
// of a batch may have an A of its own. Started from x = 0, the iterates stay in
// the row space of A: where A is singular they tend to the solution of least
// norm, the pseudoinverse times b.
//
// Vectors are float32 or float64; scalars and norms are always float64.
package lsqr

import "tattle/internal/math/simd"

// Float is the element type of the vectors.
type Float = simd.Float

// Operator applies a batch of matrices A, all of the same dimensions, one to
// each system. Systems must not influence one another.
type Operator[T Float] interface {
	Dims() (rows, cols int)
	Mul(dst, v []T)      // dst = A v, [batch, cols] → [batch, rows]
	MulTrans(dst, u []T) // dst = Aᵀ u, [batch, rows] → [batch, cols]
}

// Selector is an Operator that can narrow its batch. Solve calls Select when
// half of the systems or more have stopped: from then on vectors hold only the
// given systems, numbered as they were at first, ascending. The slice is valid
// during the call.
type Selector interface{ Select(systems []int) }

// The defaults that stand for zeros in Options.
const (
	defaultATol   = 1e-6
	defaultBTol   = 1e-6
	defaultConLim = 1e8
)

// Options holds the stopping tolerances. A zero stands for the default; a negative one
// for 0, which leaves the limits of the arithmetic.
type Options struct {
	ATol    float64 // relative error in A; by default 1e-6
	BTol    float64 // relative error in b; by default 1e-6
	ConLim  float64 // stops where the estimate of cond(A) reaches it; by default 1e8, negative for no limit
	MaxIter int     // by default twice the number of columns
}

// withDefaults returns o with zeros replaced and negative tolerances set to 0.
func (o Options) withDefaults(cols int) Options {
	o.ATol = orDefault(o.ATol, defaultATol)
	o.BTol = orDefault(o.BTol, defaultBTol)
	o.ConLim = orDefault(o.ConLim, defaultConLim)
	if o.MaxIter <= 0 {
		o.MaxIter = 2 * cols
	}
	return o
}

func orDefault(v, def float64) float64 {
	if v == 0 {
		return def
	}
	return max(v, 0)
}

// Status says why a system stopped. The first eight have the numbers that the
// paper's implementation and its descendants call istop.
type Status uint8

// The reasons to stop.
const (
	ZeroSolution            Status = iota // Aᵀb = 0 (often b = 0): x = 0 is exact, and no step was made
	Compatible                            // A x = b holds within ATol and BTol
	LeastSquares                          // x solves the least-squares problem within ATol
	IllConditioned                        // the estimate of cond(A) reached ConLim
	CompatibleToPrecision                 // A x = b holds to the precision of the arithmetic
	LeastSquaresToPrecision               // x solves the least-squares problem to the precision of the arithmetic
	IllConditionedToPrecision
	IterationLimit // MaxIter steps were made
	NotFinite      // b or a product with A was NaN or infinite; x is that of the step before

	running Status = 0xff
)

// Solved reports whether the system met a test of convergence, rather than a
// limit.
func (s Status) Solved() bool {
	switch s {
	case ZeroSolution, Compatible, LeastSquares, CompatibleToPrecision, LeastSquaresToPrecision:
		return true
	}
	return false
}

// Stats is what became of one system.
type Stats struct {
	Status     Status
	Iterations int
}

// Result holds the solutions of a batch.
type Result[T Float] struct {
	X     []T     // [batch, cols]
	Stats []Stats // [batch]
}

// Solve solves A x = b for each of batch systems, b being [batch, rows], from x = 0. It
// panics if len(b) does not fit.
func Solve[T Float](a Operator[T], b []T, batch int, o Options) Result[T] {
	return new(Solver[T]).Solve(a, b, batch, o)
}
