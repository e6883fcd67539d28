package nn

import (
	"errors"
	"fmt"
	"slices"

	"tattle/internal/math/simd"
)

// A RowFunction is a function of a row of numbers that is known by its values only, such as
// an ensemble of trees. Its methods do not change it: several goroutines may call them.
type RowFunction interface {
	// Kind returns the ONNX operator's name.
	Kind() string
	// Width returns the length of the output for a row of that length, or an error if the
	// function does not take such rows.
	Width(in int) (out int, err error)
	// Row32 overwrites y with the function of x.
	Row32(y, x []float32)
	// Row64 is Row32 in float64.
	Row64(y, x []float64)
	// Bound overwrites ey with a bound on the error of y, which Row64 computed of x: |y −
	// f(x*)| ≤ ey for every x* with |x* − x| ≤ ex, and +Inf where there is none.
	Bound(ey, y, x, ex []float64)
}

// Opaque applies a function without a Jacobian to each row along the last dimension.
type Opaque struct{ Function RowFunction }

// Kind returns the function's name.
func (o *Opaque) Kind() string { return o.Function.Kind() }

// Shape returns the input's shape with the function's width as its last dimension. It
// returns an error if there is no last dimension, or the function does not take it.
func (o *Opaque) Shape(inputs ...[]int) ([]int, error) {
	s, err := rowsInput(inputs)
	if err != nil {
		return nil, err
	}
	width, err := o.Function.Width(s[len(s)-1])
	if err == nil && s[len(s)-1] == 0 {
		err = errors.New("input has empty rows")
	}
	return append(slices.Clone(s[:len(s)-1]), width), err
}

func (o *Opaque) kernel32(in ...[]int) kernel[float32] {
	return newOpaque(o, in[0], o.Function.Row32)
}

func (o *Opaque) kernel64(in ...[]int) kernel[float64] {
	return newOpaque(o, in[0], o.Function.Row64)
}

// opaque is the kernel of Opaque.
type opaque[T Float] struct {
	RowFunction
	in, out int // lengths of a row
	rows    int // of one example
	row     func(y, x []T)
}

func newOpaque[T Float](o *Opaque, in []int, row func(y, x []T)) *opaque[T] {
	width := in[len(in)-1]
	out, _ := o.Function.Width(width)
	return &opaque[T]{o.Function, width, out, Size(in[:len(in)-1]), row}
}

// opaqueGrain is how many rows are worth a core of their own.
const opaqueGrain = 16

func (k *opaque[T]) forward(f *frame[T]) {
	simd.Parallel(len(f.y)/k.out, opaqueGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			k.row(f.y[i*k.out:(i+1)*k.out], f.x[0][i*k.in:(i+1)*k.in])
		}
	})
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
	for _, n := range g.needed(g.Output, g.Input) {
		if _, ok := n.Op.(*Opaque); ok && g.reads(n) {
			return n
		}
	}
	return nil
}
