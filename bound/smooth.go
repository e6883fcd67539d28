package bound

import (
	"errors"
	"fmt"

	"tattle/nn"
)

// smooth returns an error if the model has a node whose function jumps. Cramér-Rao figures
// differentiate the features, and the derivative of a step does not say how far it moves.
// Certificates and van Trees bounds evaluate the features themselves, jumps and all.
func smooth(m any) error {
	g, ok := m.(interface{ Graph() *nn.Graph })
	if !ok {
		return nil
	}
	return Smooth(g.Graph())
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

// differentiable is Differentiable of the model.
func differentiable(m any) error {
	if g, ok := m.(interface{ Graph() *nn.Graph }); ok {
		return Differentiable(g.Graph())
	}
	return nil
}

// smooth returns smooth of the model, and an error for noise on a lattice as well.
func (e Experiment) smooth(m any) error {
	if e.lattice() {
		return errors.New("features are rounded to a lattice before the noise is added, and the Jacobian does not describe a jump")
	}
	return smooth(m)
}

// Smooth returns an error if the graph's output depends on the input through a node that
// jumps, so that figures of its Jacobian say nothing: it names the node.
func Smooth(g *nn.Graph) error {
	if n := g.Jump(); n != nil {
		return fmt.Errorf("node %q (%s) jumps, and the Jacobian does not describe a jump", n.Name, n.Op.Kind())
	}
	return nil
}
