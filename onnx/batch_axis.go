package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/nn"
)

// batched describes where the examples of a batch of size B lie in a flat tensor: entry i
// depends on example (i/stride) mod B only, in the same way for each example. A reshape does
// not change this layout. A window partition, for example, gives [B·windows, …], whose stride
// is windows times as long.
type batched struct {
	shape   []int
	stride  int       // 0 for a constant
	data    []float32 // of a constant whose value is known
	unknown bool      // the shapes do not decide where the examples lie
}

func (b batched) depends() bool { return b.stride > 0 || b.unknown }

// undecided is the error for an operator whose shapes do not decide whether it mixes the
// examples of a batch.
type undecided string

func (u undecided) Error() string { return string(u) }

// errAcross is the error for a tensor without a single dimension that holds the batch.
const errAcross = undecided("the batch lies across several of its dimensions")

func mixing(format string, args ...any) error {
	return errors.New("mixes the examples of a batch: it " + fmt.Sprintf(format, args...))
}

// strideOf returns the distance between neighbours along dimension k in the flat tensor.
func strideOf(shape []int, k int) int { return nn.Size(shape[k+1:]) }

// axis returns the dimension that holds the batch, and how many neighbours along it
// belong to one example.
func (b batched) axis(batch int) (k, run int, err error) {
	for k := len(b.shape) - 1; k >= 0; k-- {
		step, size := strideOf(b.shape, k), b.shape[k]
		if step*size <= b.stride {
			continue
		}
		if b.stride%step != 0 || step*size%(b.stride*batch) != 0 {
			return 0, 0, errAcross
		}
		return k, b.stride / step, nil
	}
	return 0, 0, errAcross
}

// step is an operator with its inputs; follow finds where the batch lies in its output.
type step struct {
	op    nn.Op
	batch int
	out   []int
	in    []batched
}

// ofConstants returns the output of an operator whose inputs do not depend on the batch.
func (s step) ofConstants() batched {
	switch op := s.op.(type) {
	case *nn.Constant:
		return batched{data: op.Value.Data}
	case *nn.Reshape, *nn.Flatten, *nn.Identity:
		return batched{data: s.in[0].data}
	}
	return batched{}
}

// follow returns where the examples lie in the operator's output, or an error if the operator
// mixes them.
func (s step) follow() (batched, error) {
	x := s.in[0]
	switch op := s.op.(type) {
	case *nn.Reshape, *nn.Flatten, *nn.Identity, *nn.Dropout, *nn.ReLU, *nn.LeakyReLU, *nn.Unary:
		return batched{stride: x.stride}, nil
	case *nn.Expand:
		return s.broadcast()
	case *nn.Binary:
		return s.broadcast(op.Constant)
	case *nn.PRelu:
		return s.broadcast(op.Slope)
	case *nn.Where:
		return s.broadcast(op.Condition, op.Then, op.Else)
	case *nn.Softmax, *nn.LogSoftmax, *nn.Hardmax:
		return s.before(1, "normalises over the batch")
	case *nn.LayerNorm:
		return s.before(max(op.Axes, 1), "normalises over the batch")
	case *nn.Dense:
		return s.before(1, "multiplies by a matrix along the batch")
	case *nn.Opaque:
		return s.before(1, "reads several examples of the batch")
	case *nn.Conv2D, *nn.ConvTranspose:
		return s.before(3, "convolves over the batch")
	case *nn.MaxPool, *nn.AveragePool, *nn.GlobalAveragePool:
		return s.before(2, "pools over the batch")
	case *nn.BatchNorm:
		return s.channels(1, op.Scale, op.Shift, op.Mean, op.Variance)
	case *nn.GroupNorm:
		return s.channels(x.shape[0]/max(op.Groups, 1), op.Scale, op.Shift)
	case *nn.MatMul:
		return s.product(op)
	}
	return s.rearranged()
}

// rearranged follows operators that move entries or reduce dimensions.
func (s step) rearranged() (batched, error) {
	if op, ok := s.op.(*nn.Concat); ok {
		return s.concat(op.Axis)
	}
	x := s.in[0]
	k, run, err := x.axis(s.batch)
	if err != nil {
		return batched{}, err
	}
	switch op := s.op.(type) {
	case *nn.Transpose:
		return s.keep(slices.Index(op.Perm, k), run)
	case *nn.Reduce:
		if slices.Contains(op.Axes, k) {
			return batched{}, mixing("reduces over the batch")
		}
		if !op.Keep {
			k -= below(op.Axes, k)
		}
		return s.keep(k, run)
	case *nn.Resize:
		if op.To[k] != x.shape[k] || op.Scales != nil && op.Scales[k] != 1 {
			return batched{}, mixing("resizes the batch")
		}
		return s.keep(k, run)
	case *nn.Pad:
		if op.Before[k] != 0 || op.After[k] != 0 {
			return batched{}, mixing("pads or crops the batch")
		}
		return s.keep(k, run)
	case *nn.Tile:
		return s.picked(k, run, op.Repeats[k]*x.shape[k], func(i int) int { return i % x.shape[k] })
	case *nn.Slice:
		return s.picked(k, run, op.Counts[k], func(i int) int { return op.Starts[k] + i*op.Steps[k] })
	case *nn.Gather:
		return s.gather(op, k, run)
	}
	return batched{}, undecided(fmt.Sprintf("the shapes of %s do not decide it", s.op.Kind()))
}

// below returns the number of axes that are less than k.
func below(axes []int, k int) (n int) {
	for _, a := range axes {
		if a < k {
			n++
		}
	}
	return n
}

// keep returns an output whose dimension k holds the batch, with run neighbours for each
// example.
func (s step) keep(k, run int) (batched, error) {
	return batched{stride: run * strideOf(s.out, k)}, nil
}

// before follows an operator that works on each slice of the last dimensions separately. It
// returns an error that says what the operator does if the batch is in one of them.
func (s step) before(last int, what string) (batched, error) {
	k, run, err := s.in[0].axis(s.batch)
	if err == nil && k >= len(s.in[0].shape)-last {
		err = mixing("%s", what)
	}
	if err != nil {
		return batched{}, err
	}
	return s.keep(k, run)
}

// channels follows a normalisation over groups of neighbours along dimension 0, with the
// parameters params along that dimension.
func (s step) channels(group int, params ...*nn.Param) (batched, error) {
	x := s.in[0]
	k, run, err := x.axis(s.batch)
	if err != nil {
		return batched{}, err
	}
	_, each := s.op.(*nn.BatchNorm) // which normalises each entry by itself
	if k != 0 && !each || k == 0 && run%group != 0 {
		return batched{}, mixing("normalises over the batch")
	}
	for _, p := range params {
		if k == 0 && p != nil && !repeats(p.Data, run, s.batch) {
			return batched{}, mixing("has different parameters for each example of the batch")
		}
	}
	return batched{stride: x.stride}, nil
}

// repeats reports whether data are the same for every example of a batch.
func repeats(data []float32, stride, batch int) bool {
	if len(data)%(stride*batch) != 0 {
		return false
	}
	for i, v := range data {
		first := i - i/stride%batch*stride
		if math.Float32bits(v) != math.Float32bits(data[first]) {
			return false
		}
	}
	return true
}

// aligned returns the stride, in the output, of the examples of an input that broadcasts to it.
func (s step) aligned(b batched) (int, error) {
	k, run, err := b.axis(s.batch)
	if err != nil {
		if slices.Equal(b.shape, s.out) {
			return b.stride, nil
		}
		return 0, err
	}
	return run * strideOf(s.out, k+len(s.out)-len(b.shape)), nil
}

// broadcast follows an elementwise operator whose inputs and constants broadcast.
func (s step) broadcast(constants ...*nn.Param) (batched, error) {
	in := slices.Clone(s.in)
	for _, p := range constants {
		if p != nil {
			in = append(in, batched{shape: p.Shape, data: p.Data})
		}
	}
	out := batched{shape: s.out}
	for _, b := range in {
		if b.stride == 0 {
			continue
		}
		stride, err := s.aligned(b)
		if err != nil {
			return batched{}, err
		}
		if out.stride != 0 && out.stride != stride {
			return batched{}, mixing("combines different examples")
		}
		out.stride = stride
	}
	for _, b := range in {
		if b.stride == 0 {
			if err := s.sameForAll(out, b); err != nil {
				return batched{}, err
			}
		}
	}
	return out, nil
}

// sameForAll returns an error unless a constant that broadcasts to the tensor out is the same
// for every example of the batch.
func (s step) sameForAll(out, constant batched) error {
	if nn.Size(constant.shape) == 1 {
		return nil
	}
	k, run, err := out.axis(s.batch)
	if err != nil {
		return err
	}
	k -= len(out.shape) - len(constant.shape)
	switch {
	case k < 0 || constant.shape[k] == 1:
		return nil
	case constant.data == nil:
		return undecided("the value of a constant is not known")
	case !repeats(constant.data, run*strideOf(constant.shape, k), s.batch):
		return errors.New("treats the examples of a batch differently: its constant is not the same for every example")
	}
	return nil
}

// product follows a matrix product.
func (s step) product(op *nn.MatMul) (batched, error) {
	rank := len(s.out)
	stride := 0
	var other batched
	for i, b := range s.in {
		if b.stride == 0 {
			other = b
			continue
		}
		k, run, err := b.axis(s.batch)
		if err != nil {
			return batched{}, err
		}
		own := len(b.shape) - 2 // the dimension of b, rows or columns, that the output keeps
		if (i == 1) != [2]bool{op.TransA, op.TransB}[i] {
			own++
		}
		to := k + rank - len(b.shape)
		switch {
		case k == own:
			to = rank - 2 + i
		case k >= len(b.shape)-2:
			return batched{}, mixing("sums products over the batch")
		}
		if at := run * strideOf(s.out, to); stride == 0 || stride == at {
			stride = at
		} else {
			return batched{}, mixing("multiplies different examples with each other")
		}
	}
	out := batched{shape: s.out, stride: stride}
	if other.shape == nil {
		return out, nil
	}
	if k, _, err := out.axis(s.batch); err != nil || k >= rank-2 {
		return out, err
	}
	return out, s.sameForAll(out, other)
}
