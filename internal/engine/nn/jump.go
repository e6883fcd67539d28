package nn

import "slices"

// Jump returns the first node whose function jumps, so that no Jacobian describes it: a
// rounding, a comparison, a threshold. It returns nil if the graph has none: it is
// then continuous wherever it is finite.
func (g *Graph) Jump() *Node { return g.first(jumps) }

// first returns the first node of such an operator on which the output depends, and which depends
// on the input; nil if there is none.
func (g *Graph) first(is func(Op) bool) *Node {
	for _, n := range g.Needed(g.Output, g.Input) {
		if is(n.Op) && g.reads(n) {
			return n
		}
	}
	return nil
}

func jumps(op Op) bool {
	switch op := op.(type) {
	case *Hardmax, *Opaque:
		return true
	case *Binary:
		return Compares(op.Operator)
	case *Unary:
		return op.function().steps
	case *Where:
		return op.Condition == nil
	}
	return false
}

// reads reports whether a node depends on the graph's input.
func (g *Graph) reads(n *Node) bool {
	return slices.ContainsFunc(append(g.Needed(n.Output, g.Input), n), func(m *Node) bool { return slices.Contains(m.Inputs, g.Input) })
}
