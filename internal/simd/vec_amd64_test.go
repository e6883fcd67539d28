//go:build !purego

package simd

import "testing"

// A processor without AVX2 runs the loops in Go.
func TestWithoutAVX2(t *testing.T) {
	if !vecAVX2 {
		t.Skip("this processor has no AVX2: the other tests ran the loops in Go")
	}
	vecAVX2 = false
	defer func() { vecAVX2 = true }()
	for name, test := range map[string]func(*testing.T){
		"Elementwise": TestElementwise, "Reductions": TestReductions, "Moments": TestMoments, "Rows": TestRows,
		"Adam": TestAdamAgainstReference, "Dropout": TestDropoutMaskByElement, "Transpose": TestTranspose,
		"Allocations": TestVectorsDoNotAllocate,
	} {
		t.Run(name, test)
	}
}
