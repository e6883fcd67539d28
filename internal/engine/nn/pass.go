package nn

import "tattle/internal/math/simd"

// grain is how many elements of cheap arithmetic are worth a core of their own.
const grain = 1 << 14

// pass is an elementwise operation that the cores share. It is kept in its kernel
// so that running it allocates nothing.
type pass[T Float] struct {
	f          func(dst, d, x []T)
	dst, d, x  []T
	k, size    int
	rows, flat func(lo, hi int)
}

// newPass makes the pass of f, which computes dst from d, of the same length,
// and from what belongs to the example, x.
func newPass[T Float](f func(dst, d, x []T)) *pass[T] {
	p := &pass[T]{f: f}
	p.rows, p.flat = p.eachRow, p.eachSpan
	return p
}

// run applies f to dst and d, [batch, k, size], and x, [batch, size].
func (p *pass[T]) run(dst, d, x []T, batch, k int) {
	if len(dst) == 0 {
		return
	}
	p.dst, p.d, p.x, p.k = dst, d, x, k
	if k == 1 {
		simd.Parallel(len(dst), grain, p.flat)
		return
	}
	p.size = len(x) / batch
	simd.Parallel(batch*k, 1+grain/p.size, p.rows)
}

func (p *pass[T]) eachSpan(lo, hi int) { p.f(p.dst[lo:hi], p.d[lo:hi], p.x[lo:hi]) }

func (p *pass[T]) eachRow(lo, hi int) {
	for r := lo; r < hi; r++ {
		x := p.x[r/p.k*p.size:][:p.size]
		at := r * p.size
		p.f(p.dst[at:at+p.size], p.d[at:at+p.size], x)
	}
}
