//go:build purego || !amd64

package simd

func (c *Channel) forward(dst, x []float32, at int, _ bool)       { c.forwardGo(dst, x, at) }
func (c *Channel) sums(d, x []float32, at int) (sum, dot float64) { return c.sumsGo(d, x, at) }
func (c *Channel) combine(dst, d, x []float32, p, q, r float32, at int, _ bool) {
	c.combineGo(dst, d, x, p, q, r, at)
}
