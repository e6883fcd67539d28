package bound

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Settings are the part of an Experiment that is plain data. The manifest of a run and its
// report record them.
type Settings struct {
	Sizes         []float64     `json:"sizes"`  // of the perturbations, ‖z‖ ≈ size·σ; by default DefaultSize alone
	Band          int           `json:"band"`   // low band of Band×Band modes summarised by itself; 0 for none
	Domain        Domain        `json:"domain"` // where estimators must be unbiased
	Search        SearchOptions `json:"search"`
	SkipCramerRao bool          `json:"skip_cramer_rao,omitempty"` // no Cramér-Rao figures
	// Rounding says how the rounding of the features is known, by default by the best of
	// RoundingProved, RoundingPairs and RoundingMeasured for the first example.
	Rounding string `json:"rounding"`
	// Runtime says how far the released features may lie from those of real arithmetic,
	// by default as far as is derived, or else measured, of a runtime in float32.
	Runtime Runtime `json:"runtime_error"`

	// Further bounds; each is left out if it is zero.
	Far      FarOptions      `json:"far,omitzero"`      // witnesses far from θ
	Barankin BarankinOptions `json:"barankin,omitzero"` // witnesses along every singular direction, combined, the far ones with them
	Twins    TwinOptions     `json:"twins,omitzero"`    // inputs of the same features, or on a grid nearly the same
	Pairs    PairOptions     `json:"pairs,omitzero"`    // inputs far from θ that the noise hides

	// Reasons say why this search was chosen and what was left out. A run fills them in.
	Reasons []string `json:"reasons,omitempty"`
}

// Defaults of a search, which are paper A's for MNIST.
const (
	DefaultRepeats  = 10       // of LSQR (A: i in Algorithm 1)
	DefaultRestarts = 25       // independent starts, over which the bounds are maximised (A section 3)
	DefaultSize     = 1. / 200 // ‖z‖ over σ (A Figure 1): small enough to be nearly linear, large against float32's rounding
	DefaultStack    = 500      // images in one LSQR of the published procedure; the authors take 5,000 of MNIST's, for ten times the memory
)

// The searches.
const (
	Auto       = "auto"         // direct or cholesky where that is not much slower than LSQR, else algorithm1
	Algorithm1 = "algorithm1"   // A's Algorithm 1, each example by itself, LSQR converged and matrix-free
	Direct     = "direct"       // the same with an explicit pseudoinverse of each example's Jacobian; cholesky if memory does not allow that
	Cholesky   = "cholesky"     // the same with a Cholesky factor of the Jacobian's Gram matrix, in files
	Published  = "as-published" // the authors' program: one LSQR for a stack of examples, stopped early
)

// The iterations of algorithm1 and direct.
const (
	PaperIteration   = "paper"   // z ← a(θ+ε) − a(θ), as Algorithm 1 says
	InverseIteration = "inverse" // z ← (J⁺)ᵀε: converges to the least singular value
)

// expectedSteps is how many steps LSQR is expected to take to DefaultTolerance before
// any was seen: some 140 on paper A's MNIST net.
const expectedSteps = 140

// SearchOptions says how witnesses are sought. Its zero value is paper A's
// choice, by the quickest way.
type SearchOptions struct {
	Search    string `json:"method"`    // by default Auto
	Repeats   int    `json:"repeats"`   // by default DefaultRepeats
	Restarts  int    `json:"restarts"`  // by default DefaultRestarts
	Iteration string `json:"iteration"` // by default PaperIteration; Published knows no other
	Stack     int    `json:"stack"`     // Published only: examples in one LSQR, by default DefaultStack
	Seed      uint64 `json:"seed"`
}

// leastSearched is the smallest size of a perturbation: below, float32 witnesses are mostly rounding
// error.
const leastSearched = 1e-5

// ParseSizes reads the sizes of perturbations, such as 1/200 or 0.005, which must differ.
func ParseSizes(specs []string) ([]float64, error) {
	var out []float64
	for _, s := range specs {
		v, err := parseFraction(s)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, v) {
			return nil, fmt.Errorf("%s is given twice", s)
		}
		out = append(out, v)
	}
	return out, nil
}

// parseFraction reads 1/200 or 0.005.
func parseFraction(s string) (float64, error) {
	num, den, ok := strings.Cut(s, "/")
	if !ok {
		den = "1"
	}
	a, errA := strconv.ParseFloat(num, 64)
	b, errB := strconv.ParseFloat(den, 64)
	if errA != nil || errB != nil {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	if v := a / b; v >= leastSearched && v <= 1 {
		return v, nil
	}
	return 0, fmt.Errorf("%s is not between %g and 1", s, leastSearched)
}
