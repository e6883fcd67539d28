//go:build !purego

package simd

import "testing"

// TestTranscendentalWithoutAVX2 runs the loops in Go.
func TestTranscendentalWithoutAVX2(t *testing.T) {
	if !useAVX2 {
		t.Skip("this processor has no AVX2: the other tests ran the loops in Go")
	}
	useAVX2 = false
	defer func() { useAVX2 = true }()
	t.Run("Values", TestTranscendental)
	t.Run("Places", TestTranscendentalPlaces)
	t.Run("Sum", TestExpSum)
}
