package onnx

import (
	"slices"

	"tattle/nn"
)

// gemm reads y = alpha·A·B + beta·C. With a constant B it is a Dense: alpha and
// beta are multiplied into the weight and the bias, rounded once where they are
// not 1.
func (d *decoder) gemm(n *node) error {
	s, err := gemmSettings(n)
	if err != nil {
		return err
	}
	a, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	b, err := d.operand(n, 1)
	if err != nil {
		return err
	}
	if len(a.shape) != 2 || len(b.shape) != 2 {
		return beyond("of shapes %v and %v, not two dimensions each", a.shape, b.shape)
	}
	shape := []int{a.shape[0], b.shape[1]}
	if s.transA {
		shape[0] = a.shape[1]
	}
	if s.transB {
		shape[1] = b.shape[0]
	}
	c, added, err := d.optional(n, 2)
	if err != nil {
		return err
	}
	y, added, err := d.gemmProduct(n, s, a, b, c, added, shape)
	if err != nil {
		return err
	}
	if added {
		y = d.plus(y, c, s.beta, shape)
	}
	return y.end(0, shape)
}

// gemmProduct computes alpha·A·B, and adds beta·C where it is a bias of the columns:
// add says whether it is still to be added.
func (d *decoder) gemmProduct(n *node, s gemmSetting, a, b, c operand, added bool, shape []int) (y *chain, add bool, err error) {
	if b.value == nil || a.value != nil {
		y = d.whole(n, a).then(&nn.MatMul{TransA: s.transA, TransB: s.transB}, d.whole(n, b))
		if s.alpha != 1 {
			y = y.number("Mul", s.alpha)
		}
		return y, added, nil
	}
	w, err := d.matrix(b.value, !s.transB, s.alpha)
	if err != nil {
		return nil, added, err
	}
	dense := &nn.Dense{In: w.Shape[1], Out: w.Shape[0], Weight: w}
	if added && c.value != nil && (shape[0] == 1 || perColumn(c.shape)) {
		added = false
		if dense.Bias, err = d.bias(c.value, dense.Out, s.beta); err != nil {
			return nil, added, err
		}
	}
	return d.rows(n, a, s.transA).then(dense), added, nil
}

type gemmSetting struct {
	alpha, beta    float64
	transA, transB bool
}

func gemmSettings(n *node) (s gemmSetting, err error) {
	if s.alpha, err = n.float("alpha", 1); err != nil {
		return s, err
	}
	if s.beta, err = n.float("beta", 1); err != nil {
		return s, err
	}
	if s.transA, err = n.flag("transA", false); err != nil {
		return s, err
	}
	s.transB, err = n.flag("transB", false)
	return s, err
}

// rows starts with a matrix, transposed if told so, as rows that a Dense takes.
func (d *decoder) rows(n *node, a operand, trans bool) *chain {
	if trans {
		return d.whole(n, a).transpose([]int{1, 0})
	}
	if len(a.inner()) == 0 {
		return d.whole(n, a)
	}
	return d.chain(n, a)
}

// plus adds beta·c, which broadcasts to the ONNX shape of the sum.
func (d *decoder) plus(y *chain, c operand, beta float64, shape []int) *chain {
	if s, err := broadcast(shape, c.shape); err != nil || !slices.Equal(s, shape) {
		y.err = malformed("C of shape %v does not broadcast to %v", c.shape, shape)
		return y
	}
	y = y.view(inner(shape))
	if beta == 1 {
		return y.combine("Add", c, shape)
	}
	return y.with("Add", d.chain(y.n, c).number("Mul", beta))
}

// perColumn reports whether a constant of that shape is the same in all rows.
func perColumn(shape []int) bool {
	return len(shape) == 0 || nn.Size(shape) == shape[len(shape)-1]
}
