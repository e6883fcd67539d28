package onnx

import (
	"fmt"
	"slices"

	"tattle/nn"
)

func affineOperators() map[string]operator {
	return map[string]operator{
		"Einsum": {(*decoder).einsum, []string{"equation"}},
		"Gemm":   {(*decoder).gemm, []string{"alpha", "beta", "transA", "transB"}},
		"MatMul": {(*decoder).matMul, nil},
	}
}

// matMul reads a product of matrices. With a constant matrix on the right it is a
// Dense of rows; add gives it a bias. One on the left is a Dense of columns.
func (d *decoder) matMul(n *node) error {
	a, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	b, err := d.operand(n, 1)
	if err != nil {
		return err
	}
	shape, err := productShape(a.shape, b.shape)
	switch {
	case err != nil:
		return err
	case b.value != nil && a.value == nil && len(b.shape) == 2:
		return d.rowsTimes(n, a, b.value, shape)
	case a.value != nil && b.value == nil && len(a.shape) == 2:
		return d.timesColumns(n, a.value, b, shape)
	}
	return d.matrices(n, a, true).then(&nn.MatMul{}, d.matrices(n, b, false)).end(0, shape)
}

// productShape is the shape of ONNX's (NumPy's) matmul.
func productShape(a, b []int) ([]int, error) {
	if len(a) == 0 || len(b) == 0 {
		return nil, malformed("of shapes %v and %v", a, b)
	}
	x, y := a, b
	if len(a) == 1 {
		x = []int{1, a[0]}
	}
	if len(b) == 1 {
		y = []int{b[0], 1}
	}
	i, j := len(x)-2, len(y)-2
	if x[i+1] != y[j] {
		return nil, malformed("matrices of shapes %v and %v do not fit: rows of [%d], columns of [%d]", a, b, x[i+1], y[j])
	}
	shape, err := broadcast(x[:i], y[:j])
	if len(a) > 1 {
		shape = append(shape, x[i])
	}
	if len(b) > 1 {
		shape = append(shape, y[j+1])
	}
	return shape, err
}

// matrices starts with an operand of a product: at least two dimensions, so that a
// leading 1 is dropped from more than two only.
func (d *decoder) matrices(n *node, o operand, left bool) *chain {
	switch {
	case len(o.shape) > 2:
		return d.chain(n, o)
	case len(o.shape) == 2:
		return d.whole(n, o)
	case left:
		return d.chain(n, o).view([]int{1, o.shape[0]})
	}
	return d.chain(n, o).view([]int{o.shape[0], 1})
}

func (d *decoder) rowsTimes(n *node, a operand, b *value, shape []int) error {
	w, err := d.param(b, rowsDone, func(shape []int, x []float32) ([]int, []float32, error) {
		if slices.Contains(shape, 0) {
			return nil, nil, malformed("weight %q has the empty shape %v", b.name, shape)
		}
		return []int{shape[1], shape[0]}, transposed(x, shape[0], shape[1]), nil
	})
	if err != nil {
		return err
	}
	return d.rows(n, a, false).then(&nn.Dense{In: w.Shape[1], Out: w.Shape[0], Weight: w}).end(0, shape)
}

// rowsDone marks the weights of products that add may give a bias.
const rowsDone = "rows"

// timesColumns computes A·X as (Xᵀ·Aᵀ)ᵀ.
func (d *decoder) timesColumns(n *node, a *value, x operand, shape []int) error {
	w, err := d.matrix(a, false, 1)
	if err != nil {
		return err
	}
	dense := &nn.Dense{In: w.Shape[1], Out: w.Shape[0], Weight: w}
	c := d.whole(n, x)
	if len(x.shape) > 2 {
		c = d.chain(n, x)
	}
	if len(x.shape) == 1 {
		return c.then(dense).end(0, shape)
	}
	swap := swapLast(len(c.shape))
	return c.transpose(swap).then(dense).transpose(swap).end(0, shape)
}

// swapLast permutes the last two of that many dimensions.
func swapLast(rank int) []int {
	perm := make([]int, rank)
	for i := range perm {
		perm[i] = i
	}
	perm[rank-1], perm[rank-2] = rank-2, rank-1
	return perm
}

// add sums two inputs, or gives the product before it a bias.
func (d *decoder) add(n *node) error {
	for i := range 2 {
		c, err := d.operand(n, i)
		if err != nil {
			return err
		}
		if c.value == nil {
			continue
		}
		x, err := d.operand(n, 1-i)
		if err != nil {
			return err
		}
		if done, err := d.addBias(n, x, c); done || err != nil {
			return err
		}
	}
	return pairwise("Add")(d, n)
}

// addBias adds a constant to a product that nothing else reads, one number a
// column.
func (d *decoder) addBias(n *node, x, c operand) (done bool, err error) {
	before := d.made[x.tensor]
	if before == nil || d.uses[x.tensor] != 1 || !perColumn(c.shape) || len(c.shape) > len(x.shape) {
		return false, nil
	}
	dense, ok := before.Op.(*nn.Dense)
	if !ok || dense.Bias != nil || d.params[use{dense.Weight.Name, rowsDone}] != dense.Weight {
		return false, nil
	}
	if k := nn.Size(c.shape); k != 1 && k != dense.Out || x.shape[len(x.shape)-1] != dense.Out {
		return false, nil
	}
	if c.value.finite() != nil {
		return false, nil
	}
	if dense.Bias, err = d.bias(c.value, dense.Out, 1); err != nil {
		return true, err
	}
	before.Output = n.outputs[0]
	d.made[before.Output], d.shapes[before.Output], d.inners[before.Output] = before, x.shape, d.inners[x.tensor]
	delete(d.made, x.tensor)
	return true, nil
}

// matrix returns a constant, times alpha, as [outputs, inputs].
func (d *decoder) matrix(v *value, transpose bool, alpha float64) (*nn.Param, error) {
	if len(v.shape) != 2 {
		return nil, beyond("weight %q has shape %v, not two dimensions", v.name, v.shape)
	}
	if slices.Contains(v.shape, 0) {
		return nil, malformed("weight %q has the empty shape %v", v.name, v.shape)
	}
	return d.param(v, fmt.Sprint("matrix", transpose, alpha), func(shape []int, x []float32) ([]int, []float32, error) {
		if transpose {
			x = transposed(x, shape[0], shape[1])
			shape = []int{shape[1], shape[0]}
		}
		return shape, x, scale(v.name, x, alpha)
	})
}

// bias returns a constant, times beta, as one value per output.
func (d *decoder) bias(v *value, outputs int, beta float64) (*nn.Param, error) {
	return d.param(v, fmt.Sprint("bias", outputs, beta), func(shape []int, x []float32) ([]int, []float32, error) {
		switch {
		case !perColumn(shape) || len(x) != 1 && len(x) != outputs:
			return nil, nil, beyond("bias %q has shape %v for %d outputs", v.name, shape, outputs)
		case len(x) != outputs:
			x = slices.Repeat(x, outputs)
		}
		return []int{outputs}, x, scale(v.name, x, beta)
	})
}

func scale(name string, x []float32, a float64) error {
	if a == 1 {
		return nil
	}
	for i, v := range x {
		x[i] = float32(a * float64(v))
		if x[i]-x[i] != 0 {
			return malformed("tensor %q times %v overflows at element %d", name, a, i)
		}
	}
	return nil
}

// transposed returns x, [rows, cols], as [cols, rows].
func transposed(x []float32, rows, cols int) []float32 {
	const block = 32 // both sides of a block stay in the cache
	y := make([]float32, len(x))
	for r0 := 0; r0 < rows; r0 += block {
		for c0 := 0; c0 < cols; c0 += block {
			for r := r0; r < min(rows, r0+block); r++ {
				for c := c0; c < min(cols, c0+block); c++ {
					y[c*rows+r] = x[r*cols+c]
				}
			}
		}
	}
	return y
}
