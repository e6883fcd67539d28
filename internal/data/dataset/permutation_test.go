package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"testing"
)

// The values are those of NumPy 1.24: RandomState(seed).permutation(n).
func TestNumpyPermutation(t *testing.T) {
	for _, c := range []struct {
		seed uint32
		want []int
	}{
		{0, nil},
		{0, []int{0}},
		{0, []int{1, 0}},
		{0, []int{2, 8, 4, 9, 1, 6, 7, 3, 0, 5}},
		{1, []int{2, 9, 6, 4, 0, 3, 1, 7, 8, 5}},
		{12345, []int{13, 8, 16, 3, 15, 12, 0, 10, 7, 11, 6, 17, 19, 18, 14, 9, 4, 1, 5, 2}},
		{1<<32 - 1, []int{8, 1, 5, 14, 10, 15, 16, 13, 11, 9, 6, 0, 4, 7, 12, 2, 3}},
	} {
		if got := numpyPermutation(c.seed, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("seed %d: %v, NumPy has %v", c.seed, got, c.want)
		}
	}
}

// UTKFace's own: 23705 needs more than one state of the generator. The hash is
// that of NumPy's permutation as 32-bit little-endian integers.
func TestNumpyPermutationOfUTKFace(t *testing.T) {
	p := numpyPermutation(0, 23705)
	if first := p[:4]; !slices.Equal(first, []int{16899, 335, 13720, 9100}) {
		t.Errorf("begins %v", first)
	}
	var b []byte
	for _, v := range p {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	sum := sha256.Sum256(b)
	if got, want := hex.EncodeToString(sum[:]), "e84d7f65ddf94f278eed4acb2fdeda1d27e0d9054354ea817c4e2e3421c98908"; got != want {
		t.Errorf("SHA-256 %s, NumPy's has %s", got, want)
	}
}
