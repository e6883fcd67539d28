package nn

// Evaluate64 returns what an operator computes in float64 from one example's inputs x, of these
// shapes. It returns an error if the operator does not fit them.
func Evaluate64(op Op, x [][]float64, shapes ...[]int) ([]float64, error) {
	shape, err := op.Shape(shapes...)
	if err != nil {
		return nil, err
	}
	f := &frame[float64]{batch: 1, x: x, y: make([]float64, Size(shape))}
	if len(f.y) > 0 {
		op.kernel64(shapes...).forward(f)
	}
	return f.y, nil
}
