package nn

import (
	"fmt"

	"tattle/internal/math/simd"
)

// Constant is the same tensor for every example, without any input: ONNX
// Constant-13, or an initializer that is computed with.
type Constant struct {
	Value   *Param
	Learned bool // Value is a parameter of the net and is trained
}

// Kind returns "Constant".
func (*Constant) Kind() string { return "Constant" }

// Shape returns the tensor's shape; it returns an error if there are inputs or the values do
// not have the tensor's shape.
func (o *Constant) Shape(inputs ...[]int) ([]int, error) {
	if len(inputs) != 0 {
		return nil, fmt.Errorf("takes no inputs, has %d", len(inputs))
	}
	if o.Value == nil {
		return nil, fmt.Errorf("value is missing")
	}
	return o.Value.Shape, o.Value.check("value", o.Value.Shape...)
}

// Params returns the tensor where it is trained, else nil.
func (o *Constant) Params() []*Param {
	if o.Learned {
		return []*Param{o.Value}
	}
	return nil
}

func (o *Constant) kernel32(...[]int) kernel[float32] { return &constantTensor[float32]{o} }
func (o *Constant) kernel64(...[]int) kernel[float64] { return &constantTensor[float64]{o} }

// constantTensor is the kernel of Constant: its derivatives are zero.
type constantTensor[T Float] struct{ op *Constant }

func (k *constantTensor[T]) forward(f *frame[T]) {
	v := values[T](k.op.Value)
	for b := range f.batch {
		copy(f.y[b*len(v):], v)
	}
}

func (k *constantTensor[T]) jvp(_ *frame[T], dy []T, _ [][]T, _ int) { clear(dy) }
func (k *constantTensor[T]) vjp(_ *frame[T], _ [][]T, _ []T, _ int)  {}
func (k *constantTensor[T]) grad(f *frame[float32], dy []float32, keep float32) {
	g := k.op.Value.Grad
	if keep == 0 {
		clear(g)
	}
	for b := range f.batch {
		simd.Add(g, g, dy[b*len(g):][:len(g)])
	}
}

func (k *constantTensor[T]) moves() {}
