package nn

import "fmt"

// MatMul multiplies matrices, A·op(B), that lie in the last two dimensions of
// its two inputs (ONNX MatMul-13). op transposes if TransB is set (transB of its
// com.microsoft FusedMatMul). The dimensions before them are broadcast against each
// other.
type MatMul struct{ TransB bool }

// Kind returns "MatMul".
func (o *MatMul) Kind() string { return "MatMul" }

// Shape returns [..., m, n] for A of m × k and op(B) of k × n. It returns an error if
// an input is no matrix, the inner dimensions differ or the others do not
// broadcast.
func (o *MatMul) Shape(inputs ...[]int) ([]int, error) {
	p, err := o.plan(inputs)
	if err != nil {
		return nil, err
	}
	return append(p.lead, p.m, p.n), nil
}

func (o *MatMul) kernel32(in ...[]int) kernel[float32] { return newMatmul[float32](o, in) }
func (o *MatMul) kernel64(in ...[]int) kernel[float64] { return newMatmul[float64](o, in) }

// matmulPlan says which matrices of one example are multiplied by which.
type matmulPlan struct {
	transB  bool
	m, n, k int
	lead    []int // dimensions of the output before the last two
	// Product p is that of matrices a[p] and b[p]; usesA[i] and usesB[i] are the
	// products that matrix i enters.
	a, b         []int
	usesA, usesB [][]int
}

func (o *MatMul) plan(inputs [][]int) (*matmulPlan, error) {
	if len(inputs) != 2 {
		return nil, fmt.Errorf("takes two inputs, has %d", len(inputs))
	}
	a, b := inputs[0], inputs[1]
	if len(a) < 2 || len(b) < 2 {
		return nil, fmt.Errorf("inputs have shapes %v and %v, want matrices in the last two dimensions", a, b)
	}
	p := &matmulPlan{transB: o.TransB}
	p.m, p.k = a[len(a)-2], a[len(a)-1]
	inner, n := b[len(b)-2], b[len(b)-1]
	if o.TransB {
		inner, n = n, inner
	}
	if p.n = n; p.k != inner {
		return nil, fmt.Errorf("matrices of %d × %d and %d × %d (shapes %v and %v) have no product", p.m, p.k, inner, p.n, a, b)
	}
	a, b = a[:len(a)-2], b[:len(b)-2]
	var err error
	if p.lead, err = BroadcastShape(a, b); err != nil {
		return nil, fmt.Errorf("before the matrices: %w", err)
	}
	p.a, p.b = BroadcastIndex(a, p.lead), BroadcastIndex(b, p.lead)
	p.usesA, p.usesB = uses(p.a, Size(a)), uses(p.b, Size(b))
	return p, nil
}

// BroadcastIndex returns, for each element of a tensor of shape out, the element
// of one of that shape that is broadcast to it.
func BroadcastIndex(shape, out []int) []int { return Places(out, broadcastStrides(shape, out)) }

// Places returns where the entries of a tensor of that shape lie, in row-major order, given how far
// apart neighbours along each dimension lie.
func Places(shape, strides []int) []int {
	places := []int{0}
	for d, n := range shape {
		places = eachStep(places, n, strides[d])
	}
	return places
}

// uses inverts index: which entries hold i.
func uses(index []int, n int) [][]int {
	out := make([][]int, n)
	for e, i := range index {
		out[i] = append(out[i], e)
	}
	return out
}

// rowsJoined is p with the rows of all matrices of A as one matrix, where all
// are multiplied by the same B.
func (p *matmulPlan) rowsJoined() *matmulPlan {
	if len(p.usesB) != 1 || len(p.usesA) != len(p.a) || len(p.a) < 2 {
		return p
	}
	one := []int{0}
	return &matmulPlan{
		transB: p.transB, m: p.m * len(p.a), n: p.n, k: p.k,
		a: one, b: one, usesA: [][]int{one}, usesB: [][]int{one},
	}
}
