package nn

import (
	"errors"
	"fmt"
	"slices"

	"tattle/internal/math/simd"
)

// Opaque applies a function to each row along the last dimension that is known by its values
// only, such as an ensemble of trees. Several goroutines may call its functions.
type Opaque struct {
	Operator string // of ONNX
	// Width returns the length of the output for a row of that length, or an error if the
	// function does not take such rows.
	Width func(in int) (out int, err error)
	// Row overwrites y with the function of x.
	Row func(y, x []float64)
	// Row32 is Row in float32; nil rounds what Row computes.
	Row32 func(y, x []float32)
	// Bound overwrites ey with a bound on the error of y, which Row computed of x: |y −
	// f(x*)| ≤ ey for every x* with |x* − x| ≤ ex, and +Inf where there is none.
	Bound func(ey, y, x, ex []float64)
}

// Kind returns the operator's name.
func (o *Opaque) Kind() string { return o.Operator }

// Shape returns the input's shape with the function's width as its last dimension. It
// returns an error if there is no last dimension, or the function does not take it.
func (o *Opaque) Shape(inputs ...[]int) ([]int, error) {
	s, err := rowsInput(inputs)
	if err != nil {
		return nil, err
	}
	width, err := o.Width(s[len(s)-1])
	if err == nil && s[len(s)-1] == 0 {
		err = errors.New("input has empty rows")
	}
	return append(slices.Clone(s[:len(s)-1]), width), err
}

func (o *Opaque) kernel32(in ...[]int) kernel[float32] { return newOpaque[float32](o, in[0]) }
func (o *Opaque) kernel64(in ...[]int) kernel[float64] { return newOpaque[float64](o, in[0]) }

// opaque is the kernel of Opaque.
type opaque[T Float] struct {
	*Opaque
	in, out int // lengths of a row
	spares  spares[float64]
}

func newOpaque[T Float](o *Opaque, in []int) *opaque[T] {
	width := in[len(in)-1]
	out, _ := o.Width(width)
	return &opaque[T]{Opaque: o, in: width, out: out}
}

// opaqueGrain is how many rows are worth a core of their own.
const opaqueGrain = 16

func (k *opaque[T]) forward(f *frame[T]) {
	simd.Parallel(len(f.y)/k.out, opaqueGrain, func(lo, hi int) {
		room := k.spares.borrow(k.in + k.out)
		for i := lo; i < hi; i++ {
			k.row(f.y[i*k.out:][:k.out], f.x[0][i*k.in:][:k.in], room)
		}
		k.spares.giveBack(room)
	})
}

// row computes a row, in room where it computes it in float64.
func (k *opaque[T]) row(y, x []T, room []float64) {
	if x, ok := any(x).([]float32); ok && k.Row32 != nil {
		k.Row32(any(y).([]float32), x)
		return
	}
	in, out := room[:k.in], room[k.in:]
	for i, v := range x {
		in[i] = float64(v)
	}
	k.Row(out, in)
	for i, v := range out {
		y[i] = T(v)
	}
}

func (k *opaque[T]) jvp(*frame[T], []T, [][]T, int) { panic(errOpaque(k.Kind())) }
func (k *opaque[T]) vjp(*frame[T], [][]T, []T, int) { panic(errOpaque(k.Kind())) }

func errOpaque(kind string) string {
	return fmt.Sprintf("nn: %s has no Jacobian: Graph.Opaque finds such nodes", kind)
}

func (k *opaque[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	for lo, i := 0, 0; lo < len(f.y); lo, i = lo+k.out, i+k.in {
		k.Bound(ey[lo:lo+k.out], f.y[lo:lo+k.out], f.x[0][i:i+k.in], ex[0][i:i+k.in])
	}
}

// Opaque returns the first node without a Jacobian on which the output depends, and which
// depends on the input; nil if there is none. The products of a net with such a node panic.
func (g *Graph) Opaque() *Node {
	return g.first(func(op Op) bool { _, ok := op.(*Opaque); return ok })
}
