package simd

func multiply[T Float](left, right, out matrix[T], alpha, beta T) {
	if !hasKernels() {
		gonumMultiply(left, right, out, alpha, beta)
		return
	}
	if swapped(right, out) {
		left, right, out = right.transposed(), left.transposed(), out.transposed()
	}
	w := workFor[T]()
	w.multiply(left, right, out, alpha, beta)
	w.release()
}

func multiplyPacked[T Float](left matrix[T], right *Packed[T], out matrix[T], alpha, beta T) {
	if !hasKernels() {
		gonumMultiply(left, right.source, out, alpha, beta)
		return
	}
	w := workFor[T]()
	w.multiplyPacked(left, right, out, alpha, beta)
	w.release()
}

func (p *Packed[T]) store(b matrix[T]) {
	if !hasKernels() {
		p.copy(b)
		return
	}
	p.cut(b, Block(b.rows))
}
