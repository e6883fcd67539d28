package nn

// Jump returns the first node whose function jumps, so that no Jacobian describes it: a
// rounding, a comparison, a threshold. It returns nil if the graph has none: it is
// then continuous wherever it is finite.
func (g *Graph) Jump() *Node {
	for _, n := range g.needed(g.Output, g.Input) {
		if jumps(n.Op) && g.reads(n) {
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
		return unaryFuncs[op.Function](op).steps
	case *Where:
		return op.Condition == nil
	}
	return false
}

// reads reports whether a node depends on the graph's input.
func (g *Graph) reads(n *Node) bool {
	for _, m := range append(g.needed(n.Output, g.Input), n) {
		for _, in := range m.Inputs {
			if in == g.Input {
				return true
			}
		}
	}
	return false
}
