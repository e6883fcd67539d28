package simd

import "math"

// The generator is Philox 4x32 with seven rounds, the fewest that pass BigCrush
// (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// 2011). Its key is the seed and its counter the number of a block of eight
// elements, sixteen bits for each, so that an element of a mask depends on its
// position alone.
const (
	philoxRounds = 7
	philoxM0     = 0xD2511F53
	philoxM1     = 0xCD9E8D57
	philoxW0     = 0x9E3779B9
	philoxW1     = 0xBB67AE85
)

const (
	dropoutLevels = 1 << 16 // of a decision
	blocksPerWord = 8       // of a mask
)

// philoxKeys holds the two key words of each round, one in each uint64.
type philoxKeys [philoxRounds][2]uint64

// MaskWords returns the length of a mask of n elements: a bit for each, and a word
// more, so that eight bytes can be read from wherever a bit lies.
func MaskWords(n int) int { return (n+63)/64 + 1 }

// Kept returns the probability with which [DropoutMask] keeps an element: keep to
// within 2⁻¹⁷.
func Kept(keep float32) float64 { return float64(dropoutLimit(keep)) / dropoutLevels }

func dropoutLimit(keep float32) uint32 {
	if !(keep > 0) {
		return 0
	}
	return uint32(math.Round(min(float64(keep), 1) * dropoutLevels))
}

// DropoutMask fills words first, first+1, … of a mask, of 64 elements each, the
// first of them in the lowest bit. A bit is 1 with probability [Kept](keep). It is a
// function of seed and its place alone: a long mask may be made in pieces, on any
// cores, and by either implementation.
func DropoutMask(words []uint64, seed, first uint64, keep float32) {
	switch limit := dropoutLimit(keep); limit {
	case 0:
		clear(words)
	case dropoutLevels:
		for i := range words {
			words[i] = math.MaxUint64
		}
	default:
		var keys philoxKeys
		keys.fill(seed)
		if useAVX2 && len(words) > 0 {
			dropoutMaskAVX2(&words[0], len(words), &keys, first*blocksPerWord, uint16(limit-1))
		} else {
			dropoutMaskGo(words, &keys, first*blocksPerWord, uint16(limit))
		}
	}
}

func (k *philoxKeys) fill(seed uint64) {
	k0, k1 := uint32(seed), uint32(seed>>32)
	for r := range k {
		k[r] = [2]uint64{uint64(k0), uint64(k1)}
		k0 += philoxW0
		k1 += philoxW1
	}
}

func dropoutMaskGo(words []uint64, keys *philoxKeys, block uint64, limit uint16) {
	for i := range words {
		words[i] = 0
		for b := range blocksPerWord {
			at := block + uint64(i*blocksPerWord+b)
			for j, word := range philox([4]uint32{uint32(at), uint32(at >> 32)}, keys[:]) {
				words[i] |= below(uint16(word), limit)<<(8*b+2*j) | below(uint16(word>>16), limit)<<(8*b+2*j+1)
			}
		}
	}
}

func below(draw, limit uint16) uint64 {
	if draw < limit {
		return 1
	}
	return 0
}

func philox(c [4]uint32, keys [][2]uint64) [4]uint32 {
	for _, k := range keys {
		p, q := philoxM0*uint64(c[0]), philoxM1*uint64(c[2])
		c = [4]uint32{uint32(q>>32) ^ c[1] ^ uint32(k[0]), uint32(q), uint32(p>>32) ^ c[3] ^ uint32(k[1]), uint32(p)}
	}
	return c
}
