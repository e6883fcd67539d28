package bound

import (
	"errors"
	"fmt"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/report"
)

// A front is a model whose features are bounded, as a run looks at it before it begins.
type front struct {
	Model
	first  []float32 // a few examples
	jumps  error     // says why the Jacobian does not describe the features; nil where it does
	size   jacobianSize
	finder *twinFinder // of the twins that the run searches; else nil
}

// lookAt looks at a model and some examples.
func lookAt(m Model, first []float32) *front {
	return &front{Model: m, first: first, jumps: Smooth(m.Graph())}
}

// GraphOf returns the graph of a model, nil if it has none.
func GraphOf(m nn.Model) *nn.Graph {
	if of, ok := m.(interface{ Graph() *nn.Graph }); ok {
		return of.Graph()
	}
	return nil
}

// jacobian returns the size of the largest Jacobian of the examples.
func (f *front) jacobian() jacobianSize {
	if p, n := f.Dims(); f.size.cols == 0 {
		f.size = jacobianSize{slices.Max(activeCounts(activity(f.Linearize(f.first), len(f.first)/p*n), n)), p}
	}
	return f.size
}

// product counts the operations of a product with the Jacobian of one input.
func (f *front) product() float64 {
	sum, err := f.Graph().MultiplyAdds()
	if err != nil { // the shapes of a model that runs are known
		panic(err)
	}
	return 2 * float64(sum)
}

// Differentiable returns an error that names the node if a graph of features has a node
// without a Jacobian on the way from its input: searches for witnesses and attacks by
// gradients need one. Lists of inputs and pairs of inputs need values only.
func Differentiable(g *nn.Graph) error {
	if n := g.Opaque(); n != nil {
		return fmt.Errorf("node %q (%s) has no Jacobian, which the search for bounds needs; tattle audit needs outputs only", n.Name, n.Op.Kind())
	}
	return nil
}

// smooth returns an error if Cramér-Rao figures, which differentiate the features, say
// nothing: for noise on a lattice, and for models that are not Smooth. Certificates evaluate
// the features themselves, jumps and all.
func (e Experiment) smooth(f *front) error {
	if e.lattice() {
		return errors.New("features are rounded to a lattice before the noise is added, and the Jacobian does not describe a jump")
	}
	return f.jumps
}

// Smooth returns an error if the graph's output depends on the input through a node that
// jumps, so that figures of its Jacobian say nothing: it names the node.
func Smooth(g *nn.Graph) error {
	if n := g.Jump(); n != nil {
		return fmt.Errorf("node %q (%s) jumps, and the Jacobian does not describe a jump", n.Name, n.Op.Kind())
	}
	return nil
}

// directLimit is the most rows or columns (whichever are fewer) of J that is
// decomposed, whatever the search, for the singular directions of combined witnesses:
// at 2,048 that takes seconds.
const directLimit = 2048

// jacobianSize is what Jacobians take.
type jacobianSize struct{ rows, cols int } // rows that are not zero

// decomposes reports whether Jacobians of that size are decomposed for their singular
// directions alone, as the run had begun where it had.
func (e Experiment) decomposes(j jacobianSize, begun *settings) bool {
	if begun != nil && begun.Directions != nil {
		return *begun.Directions
	}
	return min(j.rows, j.cols) <= directLimit && j.kept()+j.working() <= e.budget()/2
}

// A choice is a search, Direct if Jacobians are decomposed, and its reason.
type choice struct{ search, why string }

const (
	// favour is how many times as long as LSQR a decomposition or a factor may take and still be
	// chosen: a decomposition is also used for Cramér-Rao figures, both for singular directions.
	favour = 2
	// Time of one operation in a product with J, divided by that in a large product of float64
	// matrices. Measured on two cores of Zen 5, with 16 and 25 vectors at once: of paper A's
	// MNIST net 0.65 in float32 and 1.9 in float64, of ResNet-20 0.54 and 1.8.
	narrowProduct = .6
	wideProduct   = 1.8
)

// choose chooses the search for Jacobians of size j. It decomposes them if they are so small that
// it takes hardly any time. Otherwise the first of a decomposition and a Cholesky factor that
// memory allows, and that takes at most favour times as many operations as LSQR, is chosen.
// Operations are counted from sizes, so every machine chooses the same.
func (e Experiment) choose(f *front, j jacobianSize) choice {
	if min(j.rows, j.cols) <= eigenSmall {
		return choice{Direct, j.String() + ": its decomposition is cheap and serves all restarts"}
	}
	c, product := e.chooseDirect(j), f.product()
	limit := favour * e.lsqrWork(f, product)
	if c.search == Direct {
		c.why = fmt.Sprintf("%s: decomposing it takes %s of memory and, by the count of operations, %%s %d times as long as LSQR", j, inGiB(j.kept()+j.working()), favour)
		if j.directWork(product) <= limit {
			return choice{Direct, fmt.Sprintf(c.why, "at most")}
		}
		c.why = fmt.Sprintf(c.why, "more than")
	}
	o := j.gramOptions()
	switch {
	case o.WorkingBytes() > e.budget()/2:
		return choice{Algorithm1, c.why}
	case e.choleskyWork(product, j) > limit:
		return choice{Algorithm1, fmt.Sprintf("%s; a Cholesky factor of its Gram matrix takes more than %d times as long as LSQR", c.why, favour)}
	}
	return choice{Cholesky, fmt.Sprintf("%s; a Cholesky factor of its Gram matrix takes %s of disk and, by the count of operations, at most %d times as long as LSQR", c.why, inGiB(o.DiskBytes()), favour)}
}

// chooseDirect returns Direct if a decomposition takes at most half of the memory, else Cholesky.
func (e Experiment) chooseDirect(j jacobianSize) choice {
	need := j.kept() + j.working()
	if min(j.rows, j.cols) <= eigenSmall || need <= e.budget()/2 {
		return choice{Direct, ""}
	}
	return choice{Cholesky, fmt.Sprintf("%s: decomposing it takes %s of memory, more than half of the %s that the run may use", j, inGiB(need), inGiB(e.budget()))}
}

// String says how large the Jacobian is.
func (j jacobianSize) String() string {
	if min(j.rows, j.cols) <= eigenSmall {
		return fmt.Sprintf("the Jacobian has %d relevant rows and %d columns", j.rows, j.cols)
	}
	return fmt.Sprintf("the Jacobian has %s relevant rows and %s columns", report.Grouped(j.rows), report.Grouped(j.cols))
}

// directWork counts the operations for computing J, its decomposition, its pseudoinverse and
// the Cramér-Rao figures, as those of float64 matrix products. With d and D the smaller and the
// larger side of J, it is 8 d²D for products with J and 16 d³ for the eigenvectors of a Gram
// matrix. The latter is so large because the reduction to tridiagonal form is partly limited by
// the speed of memory.
func (j jacobianSize) directWork(product float64) float64 {
	d, wide := float64(min(j.rows, j.cols)), float64(max(j.rows, j.cols))
	return wideProduct*product*d + (8*d*d*wide + 16*d*d*d)
}

// choleskyWork counts the operations for the factor of J's Gram matrix and the searches with it.
func (e Experiment) choleskyWork(product float64, j jacobianSize) float64 {
	d, wide := float64(min(j.rows, j.cols)), float64(max(j.rows, j.cols))
	return narrowProduct*product*d + j.gramOptions().Operations() + e.solves()*gramSolves*4*d*(d+wide)
}

// lsqrWork counts the operations of Algorithm 1 with LSQR: expectedSteps steps for each solve, or
// 2·min(p, n) if that is fewer, with a product with J and one with Jᵀ each.
func (e Experiment) lsqrWork(f *front, product float64) float64 {
	p, n := f.Dims()
	return e.solves() * min(expectedSteps, float64(2*min(p, n))) * 2 * narrowProduct * product
}

// solves returns the number of systems that Algorithm 1 solves for an example.
func (e Experiment) solves() float64 {
	return float64(len(e.Sizes) * e.Search.Restarts * e.Search.Repeats)
}

// inGiB prints bytes in GiB, or in MiB if they are few.
func inGiB(bytes int64) string {
	if bytes < 100<<20 {
		return inMiB(bytes)
	}
	return fmt.Sprintf("%.2g GiB", float64(bytes)/(1<<30))
}
