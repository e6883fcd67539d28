package dataset

import "math/bits"

// mersenneSize is the number of words in the state of MT19937.
const mersenneSize = 624

// mersenne is the generator MT19937 (Matsumoto and Nishimura, "Mersenne
// Twister", ACM TOMACS 8, 1998), as NumPy's RandomState holds it.
type mersenne struct {
	state [mersenneSize]uint32
	next  int // of the words of state
}

// newMersenne seeds the state as init_genrand(seed) of the authors' program of
// 2002 does.
func newMersenne(seed uint32) *mersenne {
	m := &mersenne{next: mersenneSize}
	for i := range m.state {
		m.state[i] = seed
		seed = 1812433253*(seed^seed>>30) + uint32(i) + 1
	}
	return m
}

// twist makes the next 624 words: x[k+624] = x[k+397] ⊕ (upper bit of x[k] |
// lower 31 bits of x[k+1])·A.
func (m *mersenne) twist() {
	const n, shift = mersenneSize, 397
	for k := range m.state {
		y := m.state[k]&0x80000000 | m.state[(k+1)%n]&0x7fffffff
		m.state[k] = m.state[(k+shift)%n] ^ y>>1 ^ -(y&1)&0x9908b0df
	}
	m.next = 0
}

// uint32 draws 32 bits: the next word, tempered.
func (m *mersenne) uint32() uint32 {
	if m.next == mersenneSize {
		m.twist()
	}
	y := m.state[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// upTo draws evenly from 0 … limit: as many low bits as limit has, until they
// are no larger.
func (m *mersenne) upTo(limit uint32) uint32 {
	mask := uint32(1)<<bits.Len32(limit) - 1
	for {
		if v := m.uint32() & mask; v <= limit {
			return v
		}
	}
}

// numpyPermutation returns what numpy.random.RandomState(seed).permutation(n)
// does: 0 … n−1, shuffled from the end (Fisher and Yates; Knuth's Algorithm P).
// It panics for n of more than 32 bits.
func numpyPermutation(seed uint32, n int) []int {
	if n < 0 || uint64(n) > 1<<32-1 {
		panic("dataset: permutation of a number that has more than 32 bits")
	}
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	m := newMersenne(seed)
	for i := n - 1; i > 0; i-- {
		j := m.upTo(uint32(i))
		p[i], p[j] = p[j], p[i]
	}
	return p
}
