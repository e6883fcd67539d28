package nn

import "slices"

// foldCopies makes a Constant of each node that copies entries of such, as of a table that is learned. What else follows
// from constants alone has been computed where the file was read.
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
	case *Identity, *Reshape, *Transpose, *Slice, *Gather, *Concat:
		return true
	case *Pad:
		return float64(float32(op.Value)) == op.Value
	}
	return false
}

func (r *rewrite) foldConstant(n *Node) {
	var in [][]int
	var values []*Param
	for _, name := range n.Inputs {
		v := r.constant(name)
		if v == nil {
			return
		}
		in, values = append(in, v.Shape), append(values, v)
	}
	op := n.Op
	p := derive(n.Name, r.shapes[n.Output], slices.Concat(values, operands(op)), func(dst []float32) {
		x := make([][]float32, len(values))
		for i, v := range values {
			x[i] = v.Data
		}
		op.kernel32(in...).forward(&frame[float32]{batch: 1, x: x, y: dst})
	})
	r.become(n, &Constant{Value: p})
}

// takeConstants has operators that can hold a constant hold those that they read: a
// Binary of a Constant is one with that constant, and a MatMul by a matrix that
// is constant a Dense.
func takeConstants(r *rewrite) {
	for _, n := range r.Nodes {
		switch op := n.Op.(type) {
		case *Binary:
			if op.Constant == nil {
				r.takeOne(n, op)
			}
		case *Where:
			r.takeWhere(n, op)
		case *MatMul:
			r.takeMatrix(n, op)
		}
	}
}

// constant returns the value of a tensor that a Constant makes, or nil.
func (r *rewrite) constant(tensor string) *Param {
	if m := r.producer[tensor]; m != nil {
		if c, ok := m.Op.(*Constant); ok {
			return c.Value
		}
	}
	return nil
}

// takeOne makes of n, which reads two tensors, the operator with one of them.
func (r *rewrite) takeOne(n *Node, op *Binary) {
	first, second := r.constant(n.Inputs[0]), r.constant(n.Inputs[1])
	switch {
	case second != nil && first == nil:
		r.become(n, &Binary{Operator: op.Operator, Constant: second}, n.Inputs[0])
	case first != nil && second == nil:
		r.become(n, &Binary{Operator: op.Operator, Constant: first, ConstantFirst: true}, n.Inputs[1])
	}
}

func (r *rewrite) takeWhere(n *Node, op *Where) {
	taken := *op
	fields := []**Param{&taken.Condition, &taken.Then, &taken.Else}
	var rest []string
	next := 0
	for _, f := range fields {
		if *f != nil {
			continue
		}
		in := n.Inputs[next]
		next++
		if *f = r.constant(in); *f == nil {
			rest = append(rest, in)
		}
	}
	if len(rest) > 0 && len(rest) < len(n.Inputs) {
		r.become(n, &taken, rest...)
	}
}

func (r *rewrite) takeMatrix(n *Node, op *MatMul) {
	b := r.constant(n.Inputs[1])
	if b == nil || len(b.Shape) != 2 || Size(b.Shape) == 0 || r.constant(n.Inputs[0]) != nil {
		return
	}
	if !op.TransB {
		b = transposed(b)
	}
	d := &Dense{In: b.Shape[1], Out: b.Shape[0], Weight: b}
	if s, err := d.Shape(r.shapes[n.Inputs[0]]); err == nil && slices.Equal(s, r.shapes[n.Output]) {
		r.become(n, d, n.Inputs[0])
	}
}

// transposed returns the transpose of a matrix, whose values follow it.
func transposed(p *Param) *Param {
	rows, cols := p.Shape[0], p.Shape[1]
	return derive(p.Name, []int{cols, rows}, []*Param{p}, func(dst []float32) {
		for i := range rows {
			for j := range cols {
				dst[j*rows+i] = p.Data[i*cols+j]
			}
		}
	})
}
