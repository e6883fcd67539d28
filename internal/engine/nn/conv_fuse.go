package nn

import "tattle/internal/math/simd"

// epilogue is what a convolution does to its sum before it is stored: max(y + r, 0), or Slope times it below zero. The
// products of the rectifier need the sign of its input, which its output has, as slopes are not negative here. A program
// for inference asks for it if nothing else reads the tensor in between. Then the step has one more input, r, the last
// one.
type epilogue struct {
	add       bool
	rectifier *rectifier[float32] // or nil
}

// fuseAdd makes y op(x) + r, unless something has been fused.
func (e *epilogue) fuseAdd() bool {
	if e.add || e.rectifier != nil {
		return false
	}
	e.add = true
	return true
}

// fuse makes y next(y) if that is a rectifier, after which nothing more is fused.
func (e *epilogue) fuse(next kernel[float32]) bool {
	r, ok := next.(*rectifier[float32])
	if !ok || e.rectifier != nil || r.slope < 0 {
		return false
	}
	e.rectifier = r
	return true
}

// ending is an epilogue with its operands for one product: y = f(sum + add), where f
// multiplies by slope where sign, or the sum itself where there is no sign, is not
// positive.
type ending[T Float] struct {
	add     []T // like y, or nil
	rectify bool
	sign    []T // of the examples, each of which has k vectors; or nil
	slope   T
	k       int // vectors of an example
	images  int // of a vector
	size    int // of an image
}

func (e *ending[T]) nothing() bool { return e.add == nil && !e.rectify }

// alone reports whether it needs no operand beside the sums.
func (e *ending[T]) alone() bool { return e.add == nil && (!e.rectify || e.sign == nil) }

// finish sets dst to what comes of the sums src and of the rows' biases. Each has n entries. Rows of dst are dstStride
// apart, those of src srcStride. In image i the first row begins at entry at.
func (e *ending[T]) finish(dst, src []T, i, at, rows, n, dstStride, srcStride int, bias []T) {
	var add, sign []T
	if e.add != nil {
		add = e.add[i*e.size+at:]
	}
	slope := e.slope
	switch {
	case !e.rectify:
		slope = 1
	case e.sign != nil:
		of := i/(e.k*e.images)*e.images + i%e.images
		sign = e.sign[of*e.size+at:]
	}
	if slope == 1 && add == nil && bias == nil && &dst[0] == &src[0] {
		return
	}
	simd.Finish(dst, src, add, sign, rows, n, dstStride, srcStride, bias, slope)
}

// ending returns what follows a product of inputs x, with n vectors an example: the
// rectifier goes by sign.
func (k *conv[T]) ending(f *frame[T], x [][]T, sign []T, n int) ending[T] {
	e := ending[T]{sign: sign, k: n, images: k.images, size: k.op.OutChannels * k.outHW}
	if k.add {
		e.add = x[1]
	}
	if k.rectifier != nil {
		e.rectify, e.slope = true, T(k.rectifier.slope)
	}
	return e
}

// beforeEnding takes the cotangent of the output to that of the convolution, which it
// returns, and leaves the other summand's in dx[1].
func (k *conv[T]) beforeEnding(f *frame[T], dx [][]T, dy []T, n int) []T {
	if k.rectifier != nil {
		var to []T
		if k.add && dx[1] != nil {
			to = dx[1]
		} else {
			k.masked = sized(k.masked, len(dy))
			to = k.masked
		}
		any(k.rectifier.product).(pass[T]).run(to, dy, f.y, f.batch, n)
		return to
	}
	if k.add && dx[1] != nil {
		copy(dx[1], dy)
	}
	return dy
}

// active sets which outputs may change, if a rectifier is fused.
func (k *conv[T]) active(f *frame[T], dst []bool) {
	for i, y := range f.y {
		dst[i] = k.rectifier == nil || k.rectifier.slope != 0 || y > 0
	}
}
