package bound

import (
	"fmt"
	"slices"

	"tattle/lsqr"
	"tattle/nn"
)

// Defaults of a search, which are paper A's for MNIST.
const (
	DefaultRepeats  = 10       // of LSQR (A: i in Algorithm 1)
	DefaultRestarts = 25       // independent starts, over which the bounds are maximised (A section 3)
	DefaultSize     = 1. / 200 // ‖z‖ over σ (A Figure 1): small enough to be nearly linear, large against float32's rounding
	DefaultStack    = 500      // images in one LSQR of the published procedure; the authors take 5,000 of MNIST's, for ten times the memory
)

// The searches.
const (
	Auto       = "auto"         // direct where the Jacobian is small enough, else algorithm1
	Algorithm1 = "algorithm1"   // A's Algorithm 1, each example by itself, LSQR converged and matrix-free
	Direct     = "direct"       // the same with an explicit pseudoinverse of each example's Jacobian
	Published  = "as-published" // the authors' program: one LSQR for a stack of examples, stopped early
)

// The iterations of algorithm1 and direct.
const (
	PaperIteration   = "paper"   // z ← a(θ+ε) − a(θ), as Algorithm 1 says
	InverseIteration = "inverse" // z ← (J⁺)ᵀε: converges to the least singular value
)

// directLimit is the most rows or columns (whichever are fewer) of J for which
// a search decomposes it. The cost grows as their cube: 5 ms at 128, 16 s at
// 1,600, when LSQR on paper A's CIFAR-10 net, 25 restarts and 10 repeats, needs
// some 2e13 operations an image, two minutes' worth.
const directLimit = 2048

// expectedSteps is how many steps LSQR is expected to take to DefaultTolerance before
// any was seen: some 140 on paper A's MNIST net.
const expectedSteps = 140

// SearchOptions says how witnesses are sought. Its zero value is paper A's
// choice, by the quickest way.
type SearchOptions struct {
	Search      string       // by default Auto
	Repeats     int          // by default DefaultRepeats
	Restarts    int          // by default DefaultRestarts
	Iteration   string       // by default PaperIteration; Published knows no other
	Relinearize bool         // algorithm1 only: J at θ+ε of the repeat before, not at θ
	Stack       int          // Published only: examples in one LSQR, by default DefaultStack
	LSQR        lsqr.Options // algorithm1 only
	Seed        uint64
}

// resolve replaces zeros by defaults and Auto by a search, saying why in reason.
func (o SearchOptions) resolve(m nn.Model, x []float32) (_ SearchOptions, reason string, err error) {
	if o.Search == "" {
		o.Search = Auto
	}
	if o.Iteration == "" {
		o.Iteration = PaperIteration
	}
	for _, d := range []struct {
		v   *int
		def int
	}{{&o.Repeats, DefaultRepeats}, {&o.Restarts, DefaultRestarts}, {&o.Stack, DefaultStack}} {
		if *d.v == 0 {
			*d.v = d.def
		}
	}
	switch {
	case o.Repeats < 0 || o.Restarts < 0 || o.Stack < 0:
		return o, "", fmt.Errorf("repeats %d, restarts %d, stack %d: each must be positive", o.Repeats, o.Restarts, o.Stack)
	case !slices.Contains([]string{Auto, Algorithm1, Direct, Published}, o.Search):
		return o, "", fmt.Errorf("no search %q: there are %s, %s, %s and %s", o.Search, Auto, Algorithm1, Direct, Published)
	case !slices.Contains([]string{PaperIteration, InverseIteration}, o.Iteration):
		return o, "", fmt.Errorf("no iteration %q: there are %s and %s", o.Iteration, PaperIteration, InverseIteration)
	case o.Relinearize && (o.Search == Direct || o.Search == Published):
		return o, "", fmt.Errorf("re-linearising is for the search %s (%s always does)", Algorithm1, Published)
	case o.Iteration == InverseIteration && (o.Search == Published || o.Relinearize):
		return o, "", fmt.Errorf("the inverse iteration is for J at θ: not for %s, not with re-linearising", Published)
	case o.Search != Auto:
		return o, "as asked", nil
	case o.Relinearize:
		o.Search = Algorithm1
		return o, "re-linearising needs it", nil
	}
	j := sizeUp(m, x)
	o.Search = Direct
	if !j.small() {
		o.Search = Algorithm1
	}
	return o, j.String(), nil
}

// jacobianSize is what decides whether Jacobians are decomposed.
type jacobianSize struct{ rows, cols int } // rows that are not zero

func (j jacobianSize) small() bool { return min(j.rows, j.cols) <= directLimit }

func (j jacobianSize) String() string {
	s := fmt.Sprintf("the Jacobian has %d rows that matter and %d columns", j.rows, j.cols)
	if j.small() {
		return s + ": its decomposition is cheap and serves all restarts"
	}
	return s + fmt.Sprintf(": beyond %d decomposing it is dearer than LSQR", directLimit)
}

// sizeUp returns the size of the largest Jacobian of a few examples.
func sizeUp(m nn.Model, x []float32) jacobianSize {
	p, n := m.Dims()
	j := jacobianSize{rows: n, cols: p}
	lin, ok := m.Linearize(x).(nn.Activity)
	if !ok {
		return j
	}
	j.rows = 0
	on := make([]bool, len(x)/p*n)
	lin.Active(on)
	for i := 0; i < len(on); i += n {
		count := 0
		for _, yes := range on[i : i+n] {
			if yes {
				count++
			}
		}
		j.rows = max(j.rows, count)
	}
	return j
}
