package nn

import (
	"fmt"
	"slices"

	"tattle/internal/math/simd"
)

// Concat joins its inputs along a dimension: ONNX Concat-13.
type Concat struct{ Axis int }

// Kind returns "Concat".
func (*Concat) Kind() string { return "Concat" }

// Shape returns the first input's shape with dimension Axis summed over the inputs.
// It returns an error if they differ in other dimensions.
func (o *Concat) Shape(inputs ...[]int) ([]int, error) {
	if len(inputs) == 0 {
		return nil, fmt.Errorf("takes at least one input")
	}
	out := append([]int{}, inputs[0]...)
	if o.Axis < 0 || o.Axis >= len(out) {
		return nil, fmt.Errorf("no dimension %d in shape %v", o.Axis, out)
	}
	for _, in := range inputs[1:] {
		if len(in) != len(out) || !slices.Equal(in[:o.Axis], out[:o.Axis]) || !slices.Equal(in[o.Axis+1:], out[o.Axis+1:]) {
			return nil, fmt.Errorf("cannot join shapes %v along dimension %d", inputs, o.Axis)
		}
		out[o.Axis] += in[o.Axis]
	}
	return out, nil
}

func (o *Concat) kernel32(in ...[]int) kernel[float32] { return newConcat[float32](o.Axis, in) }
func (o *Concat) kernel64(in ...[]int) kernel[float64] { return newConcat[float64](o.Axis, in) }

// concat is the kernel of Concat: each row of the output is a row of each input.
type concat[T Float] struct {
	rows   int   // of one example
	widths []int // of the inputs' rows
	width  int   // of the output's
}

func newConcat[T Float](axis int, in [][]int) *concat[T] {
	k := &concat[T]{rows: Size(in[0][:axis])}
	for _, s := range in {
		w := Size(s[axis:])
		k.widths = append(k.widths, w)
		k.width += w
	}
	return k
}

// run has do copy between the rows of the whole and those of the parts, but those that are nil.
func (k *concat[T]) run(whole []T, parts [][]T, n int, do func(whole, part []T)) {
	simd.Parallel(n*k.rows, 1+grain/max(1, k.width), func(lo, hi int) {
		at := 0
		for i, w := range k.widths {
			for r := lo; r < hi && parts[i] != nil; r++ {
				do(whole[r*k.width+at:][:w], parts[i][r*w:][:w])
			}
			at += w
		}
	})
}

func join[T Float](whole, part []T)  { copy(whole, part) }
func split[T Float](whole, part []T) { copy(part, whole) }

func (k *concat[T]) forward(f *frame[T]) { k.run(f.y, f.x, f.batch, join[T]) }

func (k *concat[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) { k.run(dy, dx, f.batch*n, join[T]) }

func (k *concat[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) { k.run(dy, dx, f.batch*n, split[T]) }

func (k *concat[T]) moves() {}
