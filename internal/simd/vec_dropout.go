package simd

import "math"

// The generator is Philox 4x32 with seven rounds, the fewest that pass BigCrush
// (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// 2011). Its key is the seed and its counter the number of a block of four
// elements, so that an element of a mask depends on its position alone.
const (
	philoxRounds = 7
	philoxM0     = 0xD2511F53
	philoxM1     = 0xCD9E8D57
	philoxW0     = 0x9E3779B9
	philoxW1     = 0xBB67AE85
)

// philoxKeys holds the two key words of each round, one in each uint64.
type philoxKeys [philoxRounds][2]uint64

// DropoutMask fills mask with 1/keep, with probability keep, and 0. Element i is
// a function of seed and offset+i alone: a long mask may be made in pieces, on
// any cores, and by either implementation. offset+len(mask) must not overflow. keep is met to within 2⁻³³; at 1 and
// above the mask is all ones, at 0 and below all zeros.
func DropoutMask(mask []float32, seed, offset uint64, keep float32) {
	threshold := math.Round(float64(keep) * (1 << 32))
	switch {
	case keep >= 1:
		for i := range mask {
			mask[i] = 1
		}
		return
	case !(threshold >= 1):
		clear(mask)
		return
	}
	var keys philoxKeys
	keys.fill(seed)
	limit, value := uint32(threshold), 1/keep
	head := min(int(-offset%4), len(mask))
	dropoutGo(mask[:head], &keys, offset, limit, value)
	mask, offset = mask[head:], offset+uint64(head)
	done := dropoutBlocks(mask, &keys, offset/4, limit, value)
	dropoutGo(mask[done:], &keys, offset+uint64(done), limit, value)
}

func (k *philoxKeys) fill(seed uint64) {
	k0, k1 := uint32(seed), uint32(seed>>32)
	for r := range k {
		k[r] = [2]uint64{uint64(k0), uint64(k1)}
		k0 += philoxW0
		k1 += philoxW1
	}
}

func dropoutGo(mask []float32, keys *philoxKeys, offset uint64, limit uint32, value float32) {
	var words [4]uint32
	for i := range mask {
		at := offset + uint64(i)
		if i == 0 || at%4 == 0 {
			words = philox([4]uint32{uint32(at / 4), uint32(at / 4 >> 32)}, keys[:])
		}
		mask[i] = 0
		if words[at%4] < limit {
			mask[i] = value
		}
	}
}

func philox(c [4]uint32, keys [][2]uint64) [4]uint32 {
	for _, k := range keys {
		p, q := philoxM0*uint64(c[0]), philoxM1*uint64(c[2])
		c = [4]uint32{uint32(q>>32) ^ c[1] ^ uint32(k[0]), uint32(q), uint32(p>>32) ^ c[3] ^ uint32(k[1]), uint32(p)}
	}
	return c
}
