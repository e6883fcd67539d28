package nn

import (
	"fmt"

	"tattle/internal/math/simd"
)

// Identity hands its input on.
type Identity struct{}

// Kind returns "Identity".
func (*Identity) Kind() string { return "Identity" }

// Shape returns the input's shape.
func (*Identity) Shape(inputs ...[]int) ([]int, error) { return oneInput(inputs) }

func (*Identity) kernel32(...[]int) kernel[float32] { return through[float32]{} }
func (*Identity) kernel64(...[]int) kernel[float64] { return through[float64]{} }

// through is the kernel that copies. The executor does not run it.
type through[T Float] struct{}

func (through[T]) passTrain() bool                          { return true }
func (through[T]) forward(f *frame[T])                      { copy(f.y, f.x[0]) }
func (through[T]) jvp(_ *frame[T], dy []T, dx [][]T, _ int) { copy(dy, dx[0]) }
func (through[T]) vjp(_ *frame[T], dx [][]T, dy []T, _ int) {
	if dx[0] != nil {
		copy(dx[0], dy)
	}
}

func (through[T]) roundoff(_ *frame[float64], ey []float64, ex [][]float64) { copy(ey, ex[0]) }

// Dropout zeroes each entry with probability P and divides the others by 1 − P
// while training, where 1 − P is taken to the nearest multiple of 2⁻¹⁶; it is the
// identity in inference.
type Dropout struct{ P float64 }

// Kind returns "Dropout".
func (*Dropout) Kind() string { return "Dropout" }

// Shape returns the input's shape; it returns an error unless 0 ≤ P < 1.
func (o *Dropout) Shape(inputs ...[]int) ([]int, error) {
	if !(o.P >= 0 && o.P < 1) {
		return nil, fmt.Errorf("probability %v is not in [0, 1)", o.P)
	}
	return oneInput(inputs)
}

func (o *Dropout) kernel32(...[]int) kernel[float32] { return newDropout(o.P) }
func (o *Dropout) kernel64(...[]int) kernel[float64] { return through[float64]{} }

// dropout is the kernel of Dropout in training, whose mask, one bit an entry, lies in f.aux. In
// inference the executor leaves a Dropout out.
type dropout struct {
	keep, scale float32 // the probability of the entries kept, and their factor
}

func newDropout(p float64) *dropout {
	k := &dropout{keep: float32(1 - p)}
	if kept := simd.Kept(k.keep); kept > 0 {
		k.scale = float32(1 / kept)
	}
	return k
}

func (k *dropout) passTrain() bool { return false }
func (k *dropout) inPlace()        {}

// drawMask returns a mask of n entries, in the storage of the one given where that
// suffices.
func (k *dropout) drawMask(mask []uint64, n int, seed uint64) []uint64 {
	mask = sized(mask, simd.MaskWords(n))
	simd.Parallel(len(mask), grain/64, func(lo, hi int) { simd.DropoutMask(mask[lo:hi], seed, uint64(lo), k.keep) })
	return mask
}

func (k *dropout) forward(f *frame[float32]) {
	mask, _ := f.aux.(*[]uint64)
	if mask == nil {
		mask = new([]uint64)
		f.aux = mask
	}
	*mask = k.drawMask(*mask, len(f.y), f.seed)
	k.product(f, f.y, f.x[0])
}

func (k *dropout) jvp(*frame[float32], []float32, [][]float32, int) { panic(errTraining) }

func (k *dropout) vjp(f *frame[float32], dx [][]float32, dy []float32, n int) {
	if n != 1 {
		panic(errTraining)
	}
	if dx[0] != nil {
		k.product(f, dx[0], dy)
	}
}

// product overwrites dst with the mask times d.
func (k *dropout) product(f *frame[float32], dst, d []float32) {
	c := &simd.Channel{A: 1, Slope: 1, Scale: k.scale, Mask: *f.aux.(*[]uint64)}
	simd.Parallel(len(dst), grain, func(lo, hi int) { c.Forward(dst[lo:hi], d[lo:hi], lo, false) })
}

// sized returns x with length n, in its own storage where that suffices.
func sized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
