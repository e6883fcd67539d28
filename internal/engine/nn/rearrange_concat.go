package nn

import (
	"fmt"

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
		if len(in) != len(out) {
			return nil, fmt.Errorf("cannot join shapes %v along dimension %d", inputs, o.Axis)
		}
		for d := range in {
			if d != o.Axis && in[d] != out[d] {
				return nil, fmt.Errorf("cannot join shapes %v along dimension %d", inputs, o.Axis)
			}
		}
		out[o.Axis] += in[o.Axis]
	}
	return out, nil
}

func (o *Concat) kernel32(in ...[]int) kernel[float32] { return newConcat[float32](o.Axis, in) }
func (o *Concat) kernel64(in ...[]int) kernel[float64] { return newConcat[float64](o.Axis, in) }

// concat is the kernel of Concat: each row of the output is a row of each input.
type concat[T Float] struct {
	rows        int   // of one example
	widths      []int // of the inputs' rows
	width       int   // of the output's
	join, split func(lo, hi int)

	whole []T // the operands of the copy in progress
	parts [][]T
}

func newConcat[T Float](axis int, in [][]int) *concat[T] {
	k := &concat[T]{rows: Size(in[0][:axis])}
	for _, s := range in {
		w := Size(s[axis:])
		k.widths = append(k.widths, w)
		k.width += w
	}
	k.join, k.split = k.joinRows, k.splitRows
	return k
}

func (k *concat[T]) run(whole []T, parts [][]T, n int, part func(lo, hi int)) {
	if k.width == 0 {
		return
	}
	k.whole, k.parts = whole, parts
	simd.Parallel(n*k.rows, 1+grain/k.width, part)
}

func (k *concat[T]) joinRows(lo, hi int) {
	at := 0
	for i, w := range k.widths {
		for r := lo; r < hi; r++ {
			copy(k.whole[r*k.width+at:][:w], k.parts[i][r*w:])
		}
		at += w
	}
}

func (k *concat[T]) splitRows(lo, hi int) {
	at := 0
	for i, w := range k.widths {
		for r := lo; r < hi && k.parts[i] != nil; r++ {
			copy(k.parts[i][r*w:][:w], k.whole[r*k.width+at:])
		}
		at += w
	}
}

func (k *concat[T]) forward(f *frame[T]) { k.run(f.y, f.x, f.batch, k.join) }

func (k *concat[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) { k.run(dy, dx, f.batch*n, k.join) }

func (k *concat[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) { k.run(dy, dx, f.batch*n, k.split) }

func (k *concat[T]) moves() {}
