package simd

// Channel is what a normalised channel goes through in training, element by element:
//
//	y = m·leaky(A·x + B)
//
// with Slope below zero in leaky (1: no rectifier; 0: ReLU) and, where there is a
// dropout mask, m = Scale for what it keeps and 0 for the rest.
type Channel struct {
	A, B, Slope float32
	Scale       float32
	Mask        []uint64 // of a [DropoutMask], or nil: m = 1
}

// Forward sets dst = y. The mask's element at belongs to x[0]. With stream, the
// results go past the caches as far as the processor can do that: for tensors that
// no cache would keep until they are read.
func (c *Channel) Forward(dst, x []float32, at int, stream bool) {
	sameLength(len(dst), len(x))
	c.covers(at, len(x))
	c.forward(dst, x, at, stream)
}

// Sums returns Σ g[i] and Σ g[i]·x[i], where g = ∂y/∂(A·x + B)·d: [DotAndSum] of what
// is not stored.
func (c *Channel) Sums(d, x []float32, at int) (sum, dot float64) {
	sameLength(len(d), len(x))
	c.covers(at, len(x))
	return c.sums(d, x, at)
}

// Combine sets dst = p·g + q·x + r with the g of Sums: [Combine] of what is not
// stored. It streams as Forward does; dst may be d or x.
func (c *Channel) Combine(dst, d, x []float32, p, q, r float32, at int, stream bool) {
	sameLength(len(dst), len(d), len(x))
	c.covers(at, len(x))
	c.combine(dst, d, x, p, q, r, at, stream)
}

// covers panics unless the mask has elements at, …, at+n−1.
func (c *Channel) covers(at, n int) {
	if c.Mask != nil && (at < 0 || at > 64*(len(c.Mask)-1)-n) {
		panic("simd: mask is too short")
	}
}

func (c *Channel) forwardGo(dst, x []float32, at int) {
	for i, v := range x {
		y := c.A*v + c.B
		if y <= 0 {
			y = sloped(y, c.Slope)
		}
		dst[i] = y * c.factor(at+i)
	}
}

func (c *Channel) sumsGo(d, x []float32, at int) (sum, dot float64) {
	var s, q [2]float64
	for i, v := range x {
		g := float64(c.pull(d[i], v, at+i))
		s[i%2] += g
		q[i%2] += g * float64(v)
	}
	return s[0] + s[1], q[0] + q[1]
}

func (c *Channel) combineGo(dst, d, x []float32, p, q, r float32, at int) {
	for i, v := range x {
		dst[i] = p*c.pull(d[i], v, at+i) + (q*v + r)
	}
}

func (c *Channel) pull(d, x float32, at int) float32 {
	d *= c.factor(at)
	if c.A*x+c.B <= 0 {
		return sloped(d, c.Slope)
	}
	return d
}

func (c *Channel) factor(at int) float32 {
	switch {
	case c.Mask == nil:
		return 1
	case c.Mask[at/64]>>(at%64)&1 == 0:
		return 0
	}
	return c.Scale
}
