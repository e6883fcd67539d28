package classify

import (
	"math"
	"math/bits"
)

// candidate is a point, in the lower half, and its squared distance and 1: positive, so
// that its bits, in the upper half, are in the order of distances.
type candidate uint64

func candidateOf(far float32, at int) candidate {
	return candidate(math.Float32bits(far))<<32 | candidate(at)
}

// distance returns the squared distance and 1.
func (c candidate) distance() float32 { return math.Float32frombits(uint32(c >> 32)) }

// at returns the point.
func (c candidate) at() int { return int(uint32(c)) }

// nearest returns the smallest candidate of the same distance.
func (c candidate) nearest() candidate { return c &^ math.MaxUint32 }

// middle returns the median of the first, the middle and the last candidate, or rather the
// smallest candidate of its distance.
func middle(c []candidate) candidate {
	a, b, d := c[0], c[len(c)/2], c[len(c)-1]
	return max(min(a, b), min(max(a, b), d)).nearest()
}

// below moves the candidates nearer than pivot to the front and counts them. It always
// swaps: an unpredictable branch takes longer.
func below(c []candidate, pivot candidate) int {
	m := 0
	for i, v := range c {
		c[i] = c[m]
		c[m] = v
		_, less := bits.Sub64(uint64(v), uint64(pivot), 0)
		m += int(less)
	}
	return m
}

// same moves the candidates that have pivot's distance to the front and counts them.
func same(c []candidate, pivot candidate) int { return below(c, pivot+1<<32) }

// closest reorders the candidates: c[:near] are nearer than the k-th row, and c[near:end] are at
// the same distance as the k-th row. Each of the latter counts by the same share, so that all counts
// add up to k rows. If self is not negative, one row of that point is left out. With at most k rows,
// all of them are near.
func (p *points) closest(c []candidate, k, self int) (near, end int, share float64) {
	if p.weights == nil && self < 0 && len(c) <= k {
		return len(c), len(c), 0
	}
	lo, hi, less := 0, len(c), 0 // rows before lo
	for lo < hi {
		pivot := middle(c[lo:hi])
		near = lo + below(c[lo:hi], pivot)
		nearer := less + p.rows(c[lo:near], self)
		if nearer >= k {
			hi = near
			continue
		}
		end = near + same(c[near:hi], pivot)
		tied := p.rows(c[near:end], self)
		if nearer+tied >= k {
			return near, end, float64(k-nearer) / float64(tied)
		}
		lo, less = end, nearer+tied
	}
	return lo, lo, 0
}

// rows returns how many rows the candidates stand for, one less where self is among them.
func (p *points) rows(c []candidate, self int) int {
	n := 0
	if p.weights == nil {
		n = len(c)
	} else {
		for _, f := range c {
			n += p.weights[f.at()]
		}
	}
	if self >= 0 && holds(c, self) {
		n--
	}
	return n
}

// holds reports whether a point is among the candidates.
func holds(c []candidate, at int) bool {
	for _, f := range c {
		if f.at() == at {
			return true
		}
	}
	return false
}
