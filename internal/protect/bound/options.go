package bound

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
