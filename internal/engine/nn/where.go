package nn

import "math"

// Where takes each entry from one of two tensors: from the first where the condition
// is not 0, else from the second, after broadcasting the three to one another (ONNX
// Where-16). They are inputs in that order, but for those that are constants here,
// which are not learned. The derivative with respect to the condition is 0.
type Where struct{ Condition, Then, Else *Param }

// Kind returns "Where".
func (*Where) Kind() string { return "Where" }

func (o *Where) constants() []*Param { return []*Param{o.Condition, o.Then, o.Else} }

// Shape returns the shape to which the three broadcast. It returns an error if they do
// not.
func (o *Where) Shape(inputs ...[]int) ([]int, error) {
	shapes, err := operandShapes(inputs, o.constants())
	if err != nil {
		return nil, err
	}
	return BroadcastShape(shapes...)
}

func (o *Where) kernel32(in ...[]int) kernel[float32] { return newWhere[float32](o, in) }
func (o *Where) kernel64(in ...[]int) kernel[float64] { return newWhere[float64](o, in) }

// selection is the kernel of Where.
type selection[T Float] struct{ broadcast[T] }

func newWhere[T Float](o *Where, in [][]int) *selection[T] {
	k := &selection[T]{}
	k.init(in, o.constants())
	k.partial = k.partialRun
	return k
}

func (k *selection[T]) forward(f *frame[T]) { k.run(f, f.y, nil, 1, k.choose) }

func (k *selection[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) { k.run(f, dy, dx, n, k.tangents) }

func (k *selection[T]) choose(lo, hi int) {
	buffer := k.spares.borrow(maxOperands * longestRun)
	for q := lo; q < hi; q++ {
		row, e, r := k.place(q)
		pick(k.dst[row*k.out+r.out:][:r.n], k.value(0, e, r, buffer), k.value(1, e, r, buffer), k.value(2, e, r, buffer))
	}
	k.spares.giveBack(buffer)
}

func pick[T Float](dst, c, a, b []T) {
	for i, v := range c {
		if v != 0 {
			dst[i] = a[i]
		} else {
			dst[i] = b[i]
		}
	}
}

func (k *selection[T]) tangents(lo, hi int) {
	buffer := k.spares.borrow(maxOperands * longestRun)
	for q := lo; q < hi; q++ {
		row, e, r := k.place(q)
		da, db := k.changeOrZero(1, row, r, buffer), k.changeOrZero(2, row, r, buffer)
		pick(k.dst[row*k.out+r.out:][:r.n], k.value(0, e, r, buffer), da, db)
	}
	k.spares.giveBack(buffer)
}

// partialRun sets dst to the cotangent of the output where that tensor is chosen; the
// condition's is 0.
func (k *selection[T]) partialRun(dst []T, row, example int, r *stretch, buffer []T) {
	d := k.dy[row*k.out+r.out:][:r.n]
	for i, v := range k.value(0, example, r, buffer) {
		dst[i] = 0
		if k.side > 0 && (v != 0) == (k.side == 1) {
			dst[i] = d[i]
		}
	}
}

func (k *selection[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	k.eachRun(f, ey, ex, k.boundRun)
}

func (k *selection[T]) boundRun(ey, _ []float64) {
	x, e := &k.values64, &k.bounds64
	for j := range ey {
		ey[j] = whereBound(x[0][j], e[0][j], x[1][j], e[1][j], x[2][j], e[2][j])
	}
}

// whereBound is the error of the tensor chosen or, where the condition may be 0 or not,
// that of the other, which lies |a − b| away, if it is larger.
func whereBound(c, ec, a, ea, b, eb float64) float64 {
	mine, other := ea, eb
	if c == 0 {
		mine, other = eb, ea
	}
	if ec == 0 || math.Abs(c) > ec {
		return mine
	}
	return max(mine, roundUp(3)*(math.Abs(a-b)+other))
}
