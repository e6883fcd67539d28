package nn

import (
	"math"
	"slices"

	"tattle/internal/math/simd"
)

// binaryFunc is what an operator of two numbers does over a run of entries. dst may be
// one of the operands.
type binaryFunc[T Float] struct {
	value func(dst, a, b []T)

	// left sets dst = d·∂y/∂a and right dst = d·∂y/∂b.
	left, right func(dst, d, a, b, y []T)

	linear bool // value is linear: its tangent is the value of the tangents

	// bound is the error of y where a and b are off by at most ea and eb, with its own
	// rounding, but for what underflow does.
	bound func(a, ea, b, eb, y float64) float64

	// The same as value, and as left, where b is one number, c; nil if repeating it
	// serves.
	valueBy func(dst, a []T, c T)
	leftBy  func(dst, d, a []T, c T)
	commute bool // value(a, b) is value(b, a)

	truth bool // the values are 0 and 1, and the bounds are too
}

// binaryKernel is the kernel of the operators of two numbers.
type binaryKernel[T Float] struct {
	broadcast[T]
	op   binaryFunc[T]
	same bool // two inputs of one shape, without repetition
}

func newBinaryKernel[T Float](f binaryFunc[T], in [][]int, constants []*Param) *binaryKernel[T] {
	k := &binaryKernel[T]{op: f}
	k.init(in, constants)
	if f.commute && k.single[0] && !k.single[1] { // the fast paths are of a single b
		shapes, _ := operandShapes(in, constants)
		k.layout = newLayout(shapes[1], shapes[0])
		k.input = []int{k.input[1], k.input[0]}
		k.constants = []*Param{constants[1], constants[0]}
	}
	k.same = constants[0] == nil && constants[1] == nil && slices.Equal(in[0], in[1])
	k.partial = k.partialRun
	return k
}

func (k *binaryKernel[T]) forward(f *frame[T]) {
	if k.same {
		k.combine(f.y, f.x)
	} else {
		k.run(f, f.y, nil, 1, k.valueRuns)
	}
}

func (k *binaryKernel[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	if k.same && k.op.linear {
		k.combine(dy, dx)
	} else {
		k.run(f, dy, dx, n, k.tangents)
	}
}

// combine overwrites dst with the values of two inputs that meet one to one.
func (k *binaryKernel[T]) combine(dst []T, x [][]T) {
	simd.Parallel(len(dst), grain, func(lo, hi int) { k.op.value(dst[lo:hi], x[0][lo:hi], x[1][lo:hi]) })
}

func (k *binaryKernel[T]) valueRuns(lo, hi int) {
	buffer := k.spares.borrow(2 * longestRun)
	for q := lo; q < hi; q++ {
		_, e, r := k.place(q)
		y, a := k.f.y[e*k.out+r.out:][:r.n], k.value(0, e, r, buffer)
		if k.op.valueBy != nil && k.single[1] {
			k.op.valueBy(y, a, k.x[1].first(1, e, r))
			continue
		}
		k.op.value(y, a, k.value(1, e, r, buffer))
	}
	k.spares.giveBack(buffer)
}

func (k *binaryKernel[T]) tangents(lo, hi int) {
	buffer := k.spares.borrow(5 * longestRun)
	more := buffer[2*longestRun:]
	for q := lo; q < hi; q++ {
		row, e, r := k.place(q)
		y, dst := k.f.y[e*k.out+r.out:][:r.n], k.dst[row*k.out+r.out:][:r.n]
		da, db := k.change(0, row, r, more), k.change(1, row, r, more)
		a := k.value(0, e, r, buffer)
		if db == nil && k.op.leftBy != nil && k.single[1] {
			k.op.leftBy(dst, da, a, k.x[1].first(1, e, r))
			continue
		}
		b := k.value(1, e, r, buffer)
		switch {
		case db == nil:
			k.op.left(dst, da, a, b, y)
		case da == nil:
			k.op.right(dst, db, a, b, y)
		default:
			part := buffer[4*longestRun:][:r.n]
			k.op.right(part, db, a, b, y)
			k.op.left(dst, da, a, b, y)
			simd.Add(dst, dst, part)
		}
	}
	k.spares.giveBack(buffer)
}

// partialRun sets dst to the cotangent of the output over a run, times the derivative.
func (k *binaryKernel[T]) partialRun(dst []T, row, example int, r *stretch, buffer []T) {
	d, y := k.dy[row*k.out+r.out:][:r.n], k.f.y[example*k.out+r.out:][:r.n]
	a := k.value(0, example, r, buffer)
	if k.side == 0 && k.op.leftBy != nil && k.single[1] {
		k.op.leftBy(dst, d, a, k.x[1].first(1, example, r))
		return
	}
	b := k.value(1, example, r, buffer)
	if k.side == 0 {
		k.op.left(dst, d, a, b, y)
	} else {
		k.op.right(dst, d, a, b, y)
	}
}

func (k *binaryKernel[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	k.eachRun(f, ey, ex, k.boundRun)
}

// boundRun bounds the entries of a run; the bounds of the operators themselves are
// lifted by their own rounding.
func (k *binaryKernel[T]) boundRun(ey, y []float64) {
	a, b, ea, eb := k.values64[0], k.values64[1], k.bounds64[0], k.bounds64[1]
	up := roundUp(12)
	for j := range ey {
		ey[j] = k.op.bound(a[j], ea[j], b[j], eb[j], y[j])
		if !k.op.truth {
			ey[j] = up*ey[j] + underflow
		}
		overflows := math.IsInf(y[j], 0) && !math.IsInf(a[j], 0) && !math.IsInf(b[j], 0)
		if math.IsNaN(ey[j]) || overflows {
			ey[j] = math.Inf(1)
		}
	}
}
