package nn

// Costs returns the multiply-adds that each node takes for one example, forward, by
// the node's name: those of convolutions, affine layers, products and resizing,
// which are all that counts. Other operators have 0. It returns an error if Shapes does.
func (g *Graph) Costs() (map[string]int64, error) {
	shapes, err := g.Shapes()
	if err != nil {
		return nil, err
	}
	costs := make(map[string]int64, len(g.Nodes))
	for _, n := range g.Nodes {
		costs[n.Name] = multiplyAdds(n.Op, n.InputShapes(shapes), shapes[n.Output])
	}
	return costs, nil
}

// MultiplyAdds returns the sum of Costs.
func (g *Graph) MultiplyAdds() (sum int64, err error) {
	costs, err := g.Costs()
	for _, c := range costs {
		sum += c
	}
	return sum, err
}

// multiplyAdds counts those of an operator from its shapes.
func multiplyAdds(op Op, in [][]int, out []int) int64 {
	size := int64(Size(out))
	switch op := op.(type) {
	case *ConvTranspose:
		return int64(Size(in[0])) * int64(Size(op.Weight.Shape[1:]))
	case affineOp:
		return size * int64(op.affine().depth)
	case *MatMul:
		return size * int64(in[0][len(in[0])-1])
	}
	return 0
}
