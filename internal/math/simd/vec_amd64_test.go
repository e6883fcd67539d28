//go:build !purego

package simd

import "testing"

// A processor without AVX2 runs the loops in Go and gonum's products.
func TestWithoutAVX2(t *testing.T) {
	if testing.Short() {
		t.Skip("long: the loops of a processor without AVX2")
	}
	if !useAVX2 {
		t.Skip("this processor has no AVX2: the other tests ran the loops in Go")
	}
	useAVX2 = false
	defer func() { useAVX2 = true }()
	for name, test := range map[string]func(*testing.T){
		"Elementwise": TestElementwise, "Reductions": TestReductions, "Moments": TestMoments, "Rows": TestRows,
		"Adam": TestAdamAgainstReference, "Dropout": TestDropoutMaskByElement, "Channel": TestChannel,
		"Allocations": TestVectorsDoNotAllocate, "Stride": TestStride, "Transcendental": TestTranscendental, "Loops": TestLoops, "NormGradient": TestNormGradient, "ExpSum": TestExpSum, "Interleave": TestInterleave,
		"Products": TestGemmAgainstDefinition, "Shapes": TestGemmPanicsOnShape, "Special": TestGemmSpecialValues, "Batch": TestGemmBytesDoNotDependOnBatch,
	} {
		t.Run(name, test)
	}
}
