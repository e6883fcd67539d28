package nn

// foldConstants makes a Constant of each node that reads only such: its values are
// computed in float64 and rounded to float32.
func foldConstants(r *rewrite) {
	for _, n := range r.Nodes {
		r.foldConstant(n)
	}
}

// foldCopies is foldConstants for operators that round nothing, as they only copy.
func foldCopies(r *rewrite) {
	for _, n := range r.Nodes {
		if copies32(n.Op) {
			r.foldConstant(n)
		}
	}
}

// copies32 reports whether every entry of the output is one of an input, or a float32.
func copies32(op Op) bool {
	switch op := op.(type) {
	case *Identity, *Flatten, *Reshape, *Transpose, *Slice, *Gather, *Expand, *Tile, *Concat:
		return true
	case *Pad:
		return float64(float32(op.Value)) == op.Value
	}
	return false
}

func (r *rewrite) foldConstant(n *Node) {
	if len(n.Inputs) == 0 {
		return
	}
	var in [][]int
	var values, sources []*Param
	for _, name := range n.Inputs {
		m := r.maker[name]
		if m == nil {
			return
		}
		c, ok := m.Op.(*Constant)
		if !ok {
			return
		}
		in, values = append(in, c.Value.Shape), append(values, c.Value)
	}
	sources = append(append(sources, values...), operands(n.Op)...)
	shape := r.shapes[n.Output]
	kernel := n.Op.kernel64(in...)
	p := derive(n.Name, shape, sources, func(dst []float32) { evaluate(kernel, dst, values) })
	r.become(n, &Constant{Value: p})
}

// evaluate computes one example in float64.
func evaluate(k kernel[float64], dst []float32, values []*Param) {
	f := &frame[float64]{batch: 1, y: make([]float64, len(dst))}
	for _, v := range values {
		f.x = append(f.x, widen[float64](nil, v.Data, false))
	}
	if len(dst) > 0 {
		k.forward(f)
	}
	for i, y := range f.y {
		dst[i] = float32(y)
	}
}
