package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"testing"
)

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
