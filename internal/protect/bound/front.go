package bound

import (
	"errors"
	"fmt"
	"slices"

	"tattle/internal/engine/nn"
)

// A front is a model whose features are bounded, as a run looks at it before it begins.
type front struct {
	Model
	graph  *nn.Graph // nil if it has none
	first  []float32 // a few examples
	jumps  error     // says why the Jacobian does not describe the features; nil where it does
	size   jacobianSize
	finder *twinFinder // of the twins that the run searches; else nil
}

// lookAt looks at a model and some examples.
func lookAt(m Model, first []float32) *front {
	f := &front{Model: m, first: first, graph: GraphOf(m)}
	if f.graph != nil {
		f.jumps = Smooth(f.graph)
	}
	return f
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
	if f.graph == nil {
		p, n := f.Dims()
		return 2 * float64(p) * float64(n)
	}
	sum, err := f.graph.MultiplyAdds()
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
