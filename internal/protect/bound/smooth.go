package bound

import (
	"errors"
	"fmt"

	"tattle/internal/engine/nn"
)

// graphOf returns the graph of a model, or nil if it has none.
func graphOf(m any) *nn.Graph {
	if g, ok := m.(interface{ Graph() *nn.Graph }); ok {
		return g.Graph()
	}
	return nil
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
func (e Experiment) smooth(m any) error {
	if e.lattice() {
		return errors.New("features are rounded to a lattice before the noise is added, and the Jacobian does not describe a jump")
	}
	return smooth(m)
}

// smooth is Smooth of the model, if it has a graph.
func smooth(m any) error {
	if g := graphOf(m); g != nil {
		return Smooth(g)
	}
	return nil
}

// Smooth returns an error if the graph's output depends on the input through a node that
// jumps, so that figures of its Jacobian say nothing: it names the node.
func Smooth(g *nn.Graph) error {
	if n := g.Jump(); n != nil {
		return fmt.Errorf("node %q (%s) jumps, and the Jacobian does not describe a jump", n.Name, n.Op.Kind())
	}
	return nil
}
