package classify

import (
	"math"
	"math/bits"
	"unsafe"
)

// nearest collects the k nearest points of one query, and those as far as the k-th.
type nearest struct {
	k     int
	found []candidate
	full  int     // length at which it is cut back
	limit float32 // points beyond it are not among the nearest
}

func (c *nearest) reset(k int) {
	c.k, c.found, c.full, c.limit = k, c.found[:0], 2*k, math.MaxFloat32
}

// begin looks at the first tile of n points, which are in random order: a sample of it
// limits the rest of it, and that the other tiles.
func (c *nearest) begin(far []float32, n int) {
	m := min(len(far), searchSample)
	c.full = math.MaxInt
	c.offer(far[:m], 0)
	c.cut(sampled(c.k, m, n))
	c.offer(far[m:], m)
	c.cut(sampled(c.k, len(far), n))
	c.full = 3 * c.k
}

// offer looks at the distances of points from first on: as positive numbers, they are in
// the order of their bits.
func (c *nearest) offer(far []float32, first int) {
	i := 0
	for ; i+64 <= len(far); i += 64 {
		block := (*[64]float32)(far[i:])
		for w := within((*[64]uint32)(unsafe.Pointer(block)), math.Float32bits(c.limit)+1); w != 0; {
			j := bits.LeadingZeros64(w)
			w &^= 1 << (63 - j)
			c.found = append(c.found, candidateOf(block[j&63], first+i+j))
		}
	}
	for ; i < len(far); i++ {
		if far[i] <= c.limit {
			c.found = append(c.found, candidateOf(far[i], first+i))
		}
	}
	if len(c.found) >= c.full {
		c.cut(c.k)
		c.full = max(3*c.k, 2*len(c.found))
	}
}

// within sets a bit for each number below beyond, the highest for the first: the sign of
// their difference, as branches that cannot be foretold would take longer. Numbers are
// below 2³¹.
func within(far *[64]uint32, beyond uint32) (w uint64) {
	for i := 0; i < 64; i += 8 {
		f := (*[8]uint32)(far[i : i+8])
		w = w<<1 + uint64((f[0]-beyond)>>31)
		w = w<<1 + uint64((f[1]-beyond)>>31)
		w = w<<1 + uint64((f[2]-beyond)>>31)
		w = w<<1 + uint64((f[3]-beyond)>>31)
		w = w<<1 + uint64((f[4]-beyond)>>31)
		w = w<<1 + uint64((f[5]-beyond)>>31)
		w = w<<1 + uint64((f[6]-beyond)>>31)
		w = w<<1 + uint64((f[7]-beyond)>>31)
	}
	return w
}

// cut drops what is farther than the k-th.
func (c *nearest) cut(k int) {
	if len(c.found) <= k {
		return
	}
	_, end := kth(c.found, k)
	c.limit = c.found[end-1].distance()
	c.found = c.found[:end]
}

// sampled is the number among m of n points, drawn at random, as far as which there are
// k of all but once in some 10³ times: k·m/n, three and a half standard deviations and
// a bit.
func sampled(k, m, n int) int {
	mean := float64(k) * float64(m) / float64(n)
	return min(k, int(mean+3.5*math.Sqrt(mean)+3))
}
