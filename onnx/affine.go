package onnx

import (
	"fmt"
	"slices"

	"tattle/nn"
)

// gemm reads y = alpha·x·B + beta·C as a Dense: alpha and beta are multiplied
// into the weight and the bias, rounded once where they are not 1.
func (d *decoder) gemm(n *node) error {
	x, _, err := d.activation(n, 0)
	if err != nil {
		return err
	}
	alpha, err := n.float("alpha", 1)
	if err != nil {
		return err
	}
	beta, err := n.float("beta", 1)
	if err != nil {
		return err
	}
	transA, err := n.flag("transA", false)
	if err != nil {
		return err
	}
	transB, err := n.flag("transB", false)
	if err != nil {
		return err
	}
	if transA {
		return beyond("transA: the batch would be the last dimension")
	}
	w, err := d.matrix(n, !transB, alpha)
	if err != nil {
		return err
	}
	dense := &nn.Dense{In: w.Shape[1], Out: w.Shape[0], Weight: w}
	if n.has(2) {
		c, err := d.constantFloats(n, 2)
		if err != nil {
			return err
		}
		if dense.Bias, err = d.bias(c, dense.Out, beta); err != nil {
			return err
		}
	}
	return d.attach(n.name, dense, n.outputs[0], x)
}

// matMul reads x·B as a Dense without bias; add gives it one.
func (d *decoder) matMul(n *node) error {
	x, shape, err := d.activation(n, 0)
	if err != nil {
		return err
	}
	if len(shape) > 1 {
		return beyond("of %d dimensions", len(shape)+1)
	}
	w, err := d.matrix(n, true, 1)
	if err != nil {
		return err
	}
	return d.attach(n.name, &nn.Dense{In: w.Shape[1], Out: w.Shape[0], Weight: w}, n.outputs[0], x)
}

// add sums two activations, or gives the affine layer before it a bias.
func (d *decoder) add(n *node) error {
	for i := range 2 {
		if !n.has(i) {
			return malformed("lacks its input %d", i+1)
		}
	}
	for i := range 2 {
		if d.isConstant(n.inputs[i]) {
			c, err := d.constantFloats(n, i)
			if err != nil {
				return err
			}
			return d.addConstant(n, n.inputs[1-i], c)
		}
	}
	a, b := n.inputs[0], n.inputs[1]
	if s, t := d.inners[a], d.inners[b]; s != nil && t != nil && !slices.Equal(s, t) {
		return beyond("of shapes %v and %v, which differ", s, t)
	}
	return d.attach(n.name, &nn.Add{}, n.outputs[0], a, b)
}

// mul multiplies two activations of the same shape.
func (d *decoder) mul(n *node) error {
	a, s, err := d.activation(n, 0)
	if err != nil {
		return err
	}
	b, t, err := d.activation(n, 1)
	if err != nil {
		return err
	}
	if s != nil && t != nil && !slices.Equal(s, t) {
		return beyond("of shapes %v and %v, which differ", s, t)
	}
	return d.attach(n.name, &nn.Mul{}, n.outputs[0], a, b)
}

func (d *decoder) addConstant(n *node, x string, c *value) error {
	before := d.made[x]
	if before == nil || d.uses[x] != 1 {
		return beyond("of a constant that is not the bias of an affine layer")
	}
	dense, ok := before.Op.(*nn.Dense)
	if !ok || dense.Bias != nil {
		return beyond("of a constant that is not the bias of an affine layer")
	}
	bias, err := d.bias(c, dense.Out, 1)
	if err != nil {
		return err
	}
	dense.Bias, before.Output = bias, n.outputs[0]
	d.made[before.Output], d.shapes[before.Output], d.inners[before.Output] = before, d.shapes[x], d.inners[x]
	delete(d.made, x)
	return nil
}

// matrix returns the node's second input, times alpha, as [outputs, inputs].
func (d *decoder) matrix(n *node, transpose bool, alpha float64) (*nn.Param, error) {
	t, err := d.constantFloats(n, 1)
	if err != nil {
		return nil, err
	}
	if len(t.shape) != 2 {
		return nil, beyond("weight %q has shape %v, not two dimensions", t.name, t.shape)
	}
	if slices.Contains(t.shape, 0) {
		return nil, malformed("weight %q has the empty shape %v", t.name, t.shape)
	}
	return d.param(t, fmt.Sprint("matrix", transpose, alpha), func(shape []int, x []float32) ([]int, []float32, error) {
		if transpose {
			x = transposed(x, shape[0], shape[1])
			shape = []int{shape[1], shape[0]}
		}
		return shape, x, scale(t.name, x, alpha)
	})
}

// bias returns a constant, times beta, as one value per output.
func (d *decoder) bias(t *value, outputs int, beta float64) (*nn.Param, error) {
	return d.param(t, fmt.Sprint("bias", outputs, beta), func(shape []int, x []float32) ([]int, []float32, error) {
		rows := 1
		for _, s := range shape[:max(0, len(shape)-1)] {
			rows *= s
		}
		switch {
		case len(shape) > 2 || rows != 1 || len(x) != 1 && len(x) != outputs:
			return nil, nil, beyond("bias %q has shape %v for %d outputs", t.name, shape, outputs)
		case len(x) != outputs:
			x = slices.Repeat(x, outputs)
		}
		return []int{outputs}, x, scale(t.name, x, beta)
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
