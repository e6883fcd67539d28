//go:build purego || !(amd64 || arm64)

package simd

func multiply[T Float](left, right, out matrix[T], alpha, beta T) {
	gonumMultiply(left, right, out, alpha, beta)
}

func multiplyPacked[T Float](left matrix[T], right *Packed[T], out matrix[T], alpha, beta T) {
	gonumMultiply(left, right.source, out, alpha, beta)
}

func (p *Packed[T]) store(b matrix[T]) { p.copy(b) }

// Block returns k: a product adds up all terms of an inner sum by themselves.
func Block(k int) int { return k }
