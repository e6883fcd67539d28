package onnx

import (
	"fmt"
	"slices"

	"tattle/internal/engine/nn"
)

// Products of matrices. With a constant matrix on one side they are a Dense.

// matMul is ONNX MatMul-13.
func (r *nodeReader) matMul() {
	a, b := r.operand(0), r.operand(1)
	shape := productShape(a.shape, b.shape)
	switch {
	case b.value != nil && a.value == nil && len(b.shape) == 2:
		r.rowsTimes(a, b.value, shape)
	case a.value != nil && b.value == nil && len(a.shape) == 2:
		r.timesColumns(a.value, b, shape)
	default:
		r.matrices(a, true).then(&nn.MatMul{}, r.matrices(b, false)).end(0, shape)
	}
}

// productShape is the shape of ONNX's (NumPy's) matmul.
func productShape(a, b []int) []int {
	malformedIf(len(a) == 0 || len(b) == 0, "a product of shapes %v and %v", a, b)
	x, y := a, b
	if len(a) == 1 {
		x = []int{1, a[0]}
	}
	if len(b) == 1 {
		y = []int{b[0], 1}
	}
	rows, columns := x[len(x)-1], y[len(y)-2]
	malformedIf(rows != columns, "matrices of shapes %v and %v do not fit: rows of [%d], columns of [%d]", a, b, rows, columns)
	shape := outputShape(&nn.MatMul{}, x, y)
	if len(b) == 1 {
		shape = shape[:len(shape)-1]
	}
	if i := len(shape) - min(len(b), 2); len(a) == 1 {
		shape = slices.Delete(shape, i, i+1)
	}
	return shape
}

// matrices starts with an operand of a product, with at least two dimensions: a
// leading 1 is dropped only from more than two.
func (r *nodeReader) matrices(o *view, left bool) *view {
	switch {
	case len(o.shape) > 2:
		return o.inner()
	case len(o.shape) == 2:
		return o
	case left:
		return o.as([]int{1, o.shape[0]})
	}
	return o.as([]int{o.shape[0], 1})
}

// rowsDone marks the weights of products that add may give a bias.
const rowsDone = "rows"

// rowsTimes multiplies rows by a constant matrix.
func (r *nodeReader) rowsTimes(a *view, b *value, shape []int) {
	mustNotBeEmpty(b)
	w := r.param(b, rowsDone, func(shape []int, x []float32) ([]int, []float32) {
		return []int{shape[1], shape[0]}, transposed(x, shape[0], shape[1])
	})
	a.rows().then(&nn.Dense{In: w.Shape[1], Out: w.Shape[0], Weight: w}).end(0, shape)
}

// timesColumns computes A·X as (Xᵀ·Aᵀ)ᵀ.
func (r *nodeReader) timesColumns(a *value, x *view, shape []int) {
	w := r.matrix(a, false, 1)
	dense := &nn.Dense{In: w.Shape[1], Out: w.Shape[0], Weight: w}
	c := x
	if len(x.shape) > 2 {
		c = x.inner()
	}
	if len(x.shape) == 1 {
		c.then(dense).end(0, shape)
		return
	}
	swap, last := nn.Indices(len(c.shape)), len(c.shape)-1
	swap[last], swap[last-1] = last-1, last
	c.transpose(swap).then(dense).transpose(swap).end(0, shape)
}

// add is ONNX Add-14, or gives the product before it a bias.
func (r *nodeReader) add() {
	for i := range 2 {
		if c := r.operand(i); c.value != nil && r.addBias(r.operand(1-i), c) {
			return
		}
	}
	pairwise("Add")(r)
}

// addBias adds a constant, one number a column, to a product that nothing else reads.
func (r *nodeReader) addBias(x, c *view) bool {
	before := r.made[x.name()]
	if before == nil || r.usage.readers[x.name()] != 1 || !perColumn(c.shape) || len(c.shape) > len(x.shape) {
		return false
	}
	dense, ok := before.Op.(*nn.Dense)
	if !ok || dense.Bias != nil || r.params[derivation{dense.Weight.Name, rowsDone}] != dense.Weight {
		return false
	}
	if k := nn.Size(c.shape); k != 1 && k != dense.Out || x.shape[len(x.shape)-1] != dense.Out || !nn.Finite(c.value.floats) {
		return false
	}
	dense.Bias = r.bias(c.value, dense.Out, 1)
	r.renameOutput(x)
	return true
}

func mustNotBeEmpty(v *value) {
	malformedIf(slices.Contains(v.shape, 0), "weight %q has the empty shape %v", v.name, v.shape)
}

// matrix returns a constant, times alpha, as [outputs, inputs].
func (r *nodeReader) matrix(v *value, transpose bool, alpha float64) *nn.Param {
	unsupportedIf(len(v.shape) != 2, "weight %q has shape %v: it must have two dimensions", v.name, v.shape)
	mustNotBeEmpty(v)
	return r.param(v, fmt.Sprint("matrix", transpose, alpha), func(shape []int, x []float32) ([]int, []float32) {
		if transpose {
			x = transposed(x, shape[0], shape[1])
			shape = []int{shape[1], shape[0]}
		}
		scale(v.name, x, alpha)
		return shape, x
	})
}

// bias returns a constant, times beta, as one value per output.
func (r *nodeReader) bias(v *value, outputs int, beta float64) *nn.Param {
	return r.param(v, fmt.Sprint("bias", outputs, beta), func(shape []int, x []float32) ([]int, []float32) {
		switch {
		case !perColumn(shape) || len(x) != 1 && len(x) != outputs:
			panic(unsupportedf("bias %q has shape %v for %d outputs", v.name, shape, outputs))
		case len(x) != outputs:
			x = slices.Repeat(x, outputs)
		}
		scale(v.name, x, beta)
		return []int{outputs}, x
	})
}

// scale multiplies in place.
func scale(name string, x []float32, a float64) {
	if a == 1 {
		return
	}
	for i, v := range x {
		x[i] = float32(a * float64(v))
		if x[i]-x[i] != 0 {
			panic(malformedf("tensor %q times %v overflows at element %d", name, a, i))
		}
	}
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

// gemm is ONNX Gemm-13, y = alpha·A·B + beta·C. With a constant B, alpha and
// beta are multiplied into the weight and the bias, rounded once where they are
// not 1.
func (r *nodeReader) gemm() {
	alpha, beta := r.float("alpha", 1), r.float("beta", 1)
	transA, transB := r.flag("transA", false), r.flag("transB", false)
	a, b := r.operand(0), r.operand(1)
	unsupportedIf(len(a.shape) != 2 || len(b.shape) != 2,
		"matrices of shapes %v and %v: they must have two dimensions", a.shape, b.shape)
	product := b.value == nil || a.value != nil
	if transA {
		a = a.transpose([]int{1, 0})
	}
	shape := []int{a.shape[0], b.shape[1]}
	if transB {
		shape[1] = b.shape[0]
	}
	c, added := r.optional(2)
	var y *view
	if product {
		y = a.then(&nn.MatMul{TransB: transB}, b)
		if alpha != 1 {
			y = y.number("Mul", alpha)
		}
	} else {
		w := r.matrix(b.value, !transB, alpha)
		dense := &nn.Dense{In: w.Shape[1], Out: w.Shape[0], Weight: w}
		if added && c.value != nil && (shape[0] == 1 || perColumn(c.shape)) {
			added = false
			dense.Bias = r.bias(c.value, dense.Out, beta)
		}
		y = a.rows().then(dense)
	}
	if added {
		y = y.plus(c, beta, shape)
	}
	y.end(0, shape)
}

// rows views a tensor as rows that a Dense reads: as itself, or without the batch.
func (a *view) rows() *view {
	if len(inner(a.shape)) == 0 {
		return a
	}
	return a.inner()
}

// plus adds beta·c, which broadcasts to the ONNX shape of the sum.
func (y *view) plus(c *view, beta float64, shape []int) *view {
	mustBroadcastTo(c.shape, shape)
	y = y.as(inner(shape))
	if beta == 1 {
		return y.combine("Add", c, shape)
	}
	return y.with("Add", c.inner().number("Mul", beta))
}

// perColumn reports whether a constant of that shape is the same in all rows.
func perColumn(shape []int) bool {
	return len(shape) == 0 || nn.Size(shape) == shape[len(shape)-1]
}
