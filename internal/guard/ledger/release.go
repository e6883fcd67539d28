package ledger

import (
	"encoding/binary"
	"errors"
	"math"
)

// A stored release is the number of its values, the parameter k, and the values in the code of
// Rice (JPL, 1979): a value v is the unsigned 2v or −2v−1, whose high part, above the k low
// bits, is written in unary. The values are dominated by noise of a bell shape, for which the
// code takes 0.2 bits more than the entropy: 784 values with s = σ/Δ = 64 are 0.85 KB, where
// varints take 1.1 KB.

// unary is the longest high part in unary; a longer one is unary ones and 64 bits of the value.
const unary = 24

var errRelease = errors.New("a stored release is damaged")

// zigzag maps 0, −1, 1, −2, … to 0, 1, 2, 3, …
func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// appendRelease appends the code of a release.
func appendRelease(b []byte, release []int64) []byte {
	k := parameter(release)
	b = append(binary.AppendUvarint(b, uint64(len(release))), byte(k))
	w := bitWriter{bytes: b}
	for _, v := range release {
		u := zigzag(v)
		high := u >> k
		if high >= unary {
			w.put(1<<unary-1, unary)
			w.put(u>>32, 32)
			w.put(u&math.MaxUint32, 32)
			continue
		}
		w.put((1<<high-1)<<1, uint(high)+1)
		w.put(u&(1<<k-1), k)
	}
	return w.flush()
}

// parameter returns the k with the shortest code among those near the logarithm of the mean.
func parameter(release []int64) uint {
	sum := 0.
	for _, v := range release {
		sum += float64(zigzag(v))
	}
	near := uint(0)
	if mean := sum / float64(max(1, len(release))); mean >= 1 {
		near = min(31, uint(math.Log2(mean)))
	}
	best, least := uint(0), uint64(math.MaxUint64)
	for k := near - min(near, 1); k <= near+1; k++ {
		size := uint64(0)
		for _, v := range release {
			if high := zigzag(v) >> k; high < unary {
				size += high + 1 + uint64(k)
			} else {
				size += unary + 64
			}
		}
		if size < least {
			best, least = k, size
		}
	}
	return best
}

// readRelease reads the code of a release.
func readRelease(b []byte) ([]int64, error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || len(b) <= size || n > uint64(8*len(b)) || b[size] > 32 { // a value takes at least a bit
		return nil, errRelease
	}
	k := uint(b[size])
	r := bitReader{bytes: b[size+1:]}
	release := make([]int64, n)
	for i := range release {
		high := uint64(0)
		for high < unary && r.take(1) == 1 {
			high++
		}
		if high == unary {
			release[i] = unzigzag(r.take(32)<<32 | r.take(32))
		} else {
			release[i] = unzigzag(high<<k | r.take(k))
		}
	}
	if r.over || len(r.bytes) > 0 {
		return nil, errRelease
	}
	return release, nil
}

// bitWriter appends bits, the high ones first.
type bitWriter struct {
	bytes []byte
	word  uint64 // its low count bits are not written yet
	count uint
}

// put appends the low n bits of v, n ≤ 32, the others being 0.
func (w *bitWriter) put(v uint64, n uint) {
	w.word, w.count = w.word<<n|v, w.count+n
	for w.count >= 8 {
		w.count -= 8
		w.bytes = append(w.bytes, byte(w.word>>w.count))
	}
}

// flush fills the last byte with zeros and returns the bytes.
func (w *bitWriter) flush() []byte {
	if w.count > 0 {
		w.put(0, 8-w.count)
	}
	return w.bytes
}

// bitReader returns bits, zeros beyond the end.
type bitReader struct {
	bytes []byte
	word  uint64
	count uint
	over  bool // bits beyond the end were asked for
}

// take returns the next n bits, n ≤ 32.
func (r *bitReader) take(n uint) uint64 {
	for r.count < n {
		next := byte(0)
		if r.over = r.over || len(r.bytes) == 0; !r.over {
			next, r.bytes = r.bytes[0], r.bytes[1:]
		}
		r.word, r.count = r.word<<8|uint64(next), r.count+8
	}
	r.count -= n
	return r.word >> r.count & (1<<n - 1)
}
